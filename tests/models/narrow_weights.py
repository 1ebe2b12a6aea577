"""Weights stored in 16 bits (--weights=f16, bf16): results have the bits that a model has
whose weights were rounded to that format before, since nothing else changes; the library
is at most 55 % as large. What the format cannot hold stays as it was.
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto

import compiler
from graph import Graph, tensor

import ampc

RANDOM = np.random.default_rng(5)


def values(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32) / 8


def rounded(array: np.ndarray, storage: str) -> np.ndarray:
    if storage == "f16":
        return array.astype(np.float16).astype(np.float32)
    bits = array.view(np.uint32)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
    return bits.view(np.float32)


# What is too small to be worth it, and a value beyond f16.
SMALL, LARGE = values(64), values(64, 300)
LARGE[3, 5] = 70000
STORED = {
    "table": values(700, 64),
    "square": values(64, 320),
    "turned": values(240, 320),
    "filter": values(48, 16, 3, 3),
    "groups": values(96, 12, 5),
}


def build(storage: "str | None") -> onnx.ModelProto:
    """Embeddings, products of both orientations, convolutions; an LSTM's steps."""
    weights = {n: rounded(w, storage) if storage else w for n, w in STORED.items()}
    # bf16 has the range of f32.
    large = rounded(LARGE, storage) if storage == "bf16" else LARGE
    g = Graph()
    x = g("Add", g("Gather", weights["table"], "ids"), SMALL)
    h = g("Relu", g("MatMul", x, weights["square"]))
    y = g("Gemm", g("Reshape", h, np.array([-1, 320])), weights["turned"], transB=1)
    image = g("Reshape", y, np.array([1, 16, -1, 15]))
    c = g("Conv", image, weights["filter"], pads=[1, 1, 1, 1])
    line = g("Reshape", c, np.array([1, 48, -1]))
    d = g("Conv", line, weights["groups"], group=4)
    e = g("MatMul", x, large)
    inputs = [tensor("ids", "n", "length", kind=TensorProto.INT64)]
    return g.model(inputs, [(y, 2), (c, 4), (d, 3), (e, 3)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=compiler.ROOT / "build")
    options = parser.parse_args()
    errors = []
    with tempfile.TemporaryDirectory(prefix="ampc-narrow-") as name:
        folder = pathlib.Path(name)

        def compiled(model: onnx.ModelProto, file: str, *flags: str) -> compiler.Compiled:
            onnx.save(model, folder / f"{file}.onnx")
            return compiler.compile_model(
                options.build, folder / f"{file}.onnx", folder / f"{file}.so", *flags
            )

        whole = compiled(build(None), "whole")
        stored = sum(w.nbytes for w in STORED.values())
        for storage in ("f16", "bf16"):
            narrow = compiled(build(None), f"narrow-{storage}", f"--weights={storage}")
            before = compiled(build(storage), f"before-{storage}")
            if whole.size - narrow.size < stored * 0.45:
                errors.append(f"{storage}: {narrow.size} bytes, of {whole.size} in f32")
            models = [ampc.Model(c.library, threads=1) for c in (narrow, before)]
            for rows, length in ((1, 1), (2, 3), (5, 12)):
                feed = {"ids": RANDOM.integers(0, 700, (rows, length))}
                results = [model.run(feed) for model in models]
                for index, (a, b) in enumerate(zip(*results, strict=True)):
                    if a.tobytes() != b.tobytes():
                        error = np.abs(a - b).max()
                        errors.append(f"{storage} {rows}x{length}: output {index} is off by {error}")
    print(*errors, sep="\n")
    print(f"narrow weights: {len(errors)} failures")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
