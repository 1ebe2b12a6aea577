"""Writes tests/fuzz/corpus.zip: the smallest node test of each op, tensor files of each
format, and what ampc info reads of a compiled model.

usage: make_corpus.py [--build=DIR]

The archive is the same for the same onnx, numpy and ampc. Inputs that fuzzing finds
are no part of it: they become cases of tests/hostile.
"""

import argparse
import io
import pathlib
import struct
import subprocess
import tempfile
import warnings
import zipfile

import numpy as np
import onnx

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
MOST = 1500  # Bytes of a model.


def models():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        cases = collect_testcases(None)
    smallest = {}
    for case in cases:
        if any(n.domain == "ai.onnx.preview.training" for n in case.model.graph.node):
            continue
        data = case.model.SerializeToString(deterministic=True)
        op = "+".join(sorted({n.op_type for n in case.model.graph.node}))
        if len(data) <= MOST and len(data) < len(smallest.get(op, bytes(MOST + 1))):
            smallest[op] = data
    # Bodies of functions give many combinations; single ops come first.
    single = {op: data for op, data in smallest.items() if "+" not in op}
    several = [op for op in sorted(smallest) if "+" in op][::4]
    yield from sorted({**single, **{op[:60]: smallest[op] for op in several}}.items())


def texts():
    """ONNX's text syntax, which begins with an angle bracket."""
    smallest = dict(models())
    for op in ("Conv", "If", "Loop", "Slice", "Constant", "Elu"):
        if op in smallest:
            yield f"{op}.onnxtxt", onnx.printer.to_text(onnx.load_from_string(smallest[op])).encode()
    function = """<ir_version: 8, opset_import: ["" : 17, "my" : 1]>
g (float[n, 3] x) => (float[n, 3] y) <float[3] w = {1, 2, 3}> {
  [call] a = my.Scale<by = 0.25>(x)
  y = Add(a, w)
}
<domain: "my", opset_import: ["" : 17]>
Scale<by: float = 0.5>(a) => (r) {
  factor = Constant<value_float: float = @by>()
  r = Mul(a, factor)
}
"""
    yield "function.onnxtxt", function.encode()


def tensors():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    for name, array in (
        ("float", a),
        ("fortran", np.asfortranarray(a)),
        ("scalar", np.float64(1)),
        ("bool", np.ones(3, bool)),
        ("empty", np.zeros((0, 4), np.int64)),
    ):
        file = io.BytesIO()
        np.save(file, array)
        yield f"{name}.npy", b"\0" + file.getvalue()
    for save in (np.savez, np.savez_compressed):
        file = io.BytesIO()
        save(file, a=a, b=np.int8(3))
        yield f"{save.__name__}.npz", b"\1" + file.getvalue()
    for dtype in (1, 2, 7, 10, 16, 17, 21, 22):
        proto = onnx.helper.make_tensor("t", dtype, [3], [1, 0, 1])
        yield f"{dtype}.pb", b"\2" + proto.SerializeToString()
    yield "raw.pb", b"\2" + onnx.numpy_helper.from_array(a, "r").SerializeToString()


def elf(content: bytes) -> bytes:
    """The smallest 64-bit object with an info section: the rest of a library is not read."""
    names = b"\0.ampc.info\0.shstrtab\0"
    at_names = 64 + len(content)
    at_sections = -(-(at_names + len(names)) // 8) * 8
    section = struct.Struct("<IIQQQQIIQQ")
    header = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, at_sections, 0, 64, 0, 0, 64, 3, 2
    )
    return (
        (header + content + names).ljust(at_sections, b"\0")
        + bytes(64)
        + section.pack(1, 1, 2, 0, 64, len(content), 0, 0, 1, 0)
        + section.pack(12, 3, 0, 0, at_names, len(names), 0, 0, 1, 0)
    )


def info(build: pathlib.Path):
    """As a file, and as the text in its section."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "m.onnxtxt").write_text(
            '<ir_version: 8, opset_import: ["" : 17]>'
            "g (float[n, 3] x) => (float[n, 3] y) { y = Relu(x) }"
        )
        library = folder / "m.so"
        target = "--target=x86-64-v3"
        command = [build / "bin" / "ampc", folder / "m.onnxtxt", "-o", library, target]
        subprocess.run(command, check=True)
        objcopy = "/usr/lib/llvm-19/bin/llvm-objcopy"
        subprocess.run([objcopy, "--dump-section=.ampc.info=" + str(folder / "text"), library], check=True)
        text = (folder / "text").read_bytes()
        yield "text", text.rstrip(b"\0")
        yield "object", elf(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    path = HERE / "corpus.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for target, entries in (
            ("onnx", models()),
            ("onnx", texts()),
            ("tensors", tensors()),
            ("info", info(options.build.resolve())),
        ):
            for name, data in entries:
                archive.writestr(zipfile.ZipInfo(f"{target}/{name}"), data, zipfile.ZIP_DEFLATED)
        print(f"{len(archive.namelist())} inputs")
    print(f"{path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
