"""Writes tests/fuzz/corpus.zip: the smallest node test of each op, tensor files of each
format, and what ampc info reads of a compiled model.

usage: make_corpus.py [--build=DIR]

The archive is the same for the same onnx, numpy and ampc. Inputs that fuzzing finds
are no part of it: they become cases of tests/hostile.
"""

import argparse
import io
import pathlib
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


def info(build: pathlib.Path):
    """The info section alone: the rest of a library is not read."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "m.onnxtxt").write_text(
            '<ir_version: 8, opset_import: ["" : 17]>'
            "g (float[n, 3] x) => (float[n, 3] y) { y = Relu(x) }"
        )
        library, small = folder / "m.so", folder / "small.o"
        target = "--target=x86-64-v3"
        command = [build / "bin" / "ampc", folder / "m.onnxtxt", "-o", library, target]
        subprocess.run(command, check=True)
        objcopy = "/usr/lib/llvm-19/bin/llvm-objcopy"
        subprocess.run([objcopy, "--only-section=.ampc.info", library, small], check=True)
        yield "small", small.read_bytes()
        subprocess.run([objcopy, "--dump-section=.ampc.info=" + str(folder / "text"), library], check=True)
        yield "text", (folder / "text").read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    path = HERE / "corpus.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for target, entries in (
            ("onnx", models()),
            ("tensors", tensors()),
            ("info", info(options.build.resolve())),
        ):
            for name, data in entries:
                archive.writestr(zipfile.ZipInfo(f"{target}/{name}"), data, zipfile.ZIP_DEFLATED)
        print(f"{len(archive.namelist())} inputs")
    print(f"{path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
