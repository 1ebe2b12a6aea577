"""A model with a weight of 3 GB, past what 32 bits address: it compiles and runs,
each within twice the weight's size of memory, and reads the right elements.

The weight lies in a file beside the model. It is sparse (zero but for a few rows),
on disk too, so that the test costs the time of ampc and not of its own writing.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper

import compiler
from compiler import ROOT

ROWS, COLUMNS = 49152, 16384  # 3 GiB of float32
ROWS_SET = (0, 1, 32767, 32768, ROWS - 1)  # Either side of 2 GiB, and the ends.


def row_values(row: int) -> np.ndarray:
    return ((np.arange(COLUMNS) + row) % 251 - 125).astype(np.float32)


def write_model(folder: pathlib.Path) -> pathlib.Path:
    with open(folder / "weight.bin", "wb") as file:
        file.truncate(ROWS * COLUMNS * 4)
        for row in ROWS_SET:
            file.seek(row * COLUMNS * 4)
            file.write(row_values(row).tobytes())
    tensor = TensorProto(
        name="w",
        data_type=TensorProto.FLOAT,
        dims=[ROWS, COLUMNS],
        data_location=TensorProto.EXTERNAL,
    )
    for key, value in {"location": "weight.bin", "offset": 0, "length": ROWS * COLUMNS * 4}.items():
        tensor.external_data.add(key=key, value=str(value))
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["product"], "product")],
        "large",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", ROWS])],
        [helper.make_tensor_value_info("product", TensorProto.FLOAT, ["n", COLUMNS])],
        [tensor],
    )
    path = folder / "large.onnx"
    path.write_bytes(
        helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
        ).SerializeToString()
    )
    return path


def run(library: str) -> None:
    """In a process of its own: prints its peak memory."""
    import ampc

    x = np.zeros((2, ROWS), np.float32)
    x[0, list(ROWS_SET)] = 1  # Small integers: the sums are exact.
    x[1, ROWS_SET[-1]] = 2
    (product,) = ampc.Model(library, threads=1).run({"x": x})
    np.testing.assert_array_equal(product[0], sum(row_values(row) for row in ROWS_SET))
    np.testing.assert_array_equal(product[1], 2 * row_values(ROWS_SET[-1]))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--external-weights", action="store_true")
    options = parser.parse_args()
    limit = 2 * ROWS * COLUMNS * 4
    # Not in /tmp, which may be memory.
    with tempfile.TemporaryDirectory(dir=options.build, prefix="large-") as name:
        folder = pathlib.Path(name)
        flags = ["--external-weights"] if options.external_weights else []
        compiled = compiler.compile_model(
            options.build, write_model(folder), folder / "large.so", *flags
        )
        print(f"compiled in {compiled.seconds:.0f} s, peak {compiled.peak_bytes / 1e9:.2f} GB")
        output = subprocess.run(
            [sys.executable, __file__, "--run", str(compiled.library)],
            check=True,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        ).stdout
        peak = int(output)
        print(f"ran, peak {peak / 1e9:.2f} GB")
    if max(compiled.peak_bytes, peak) > limit:
        print(f"FAIL more than {limit / 1e9:.2f} GB")
        return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(sys.argv[2])
    else:
        sys.exit(main())
