"""All ops in one format, by the passes: f32 changes no bit, 16 bits err no more than they may,
for every target that this machine runs and whatever the sizes; and do err, so that they are
what was run.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import compiler
from graph import Graph, gelu, tensor

import ampc

RANDOM = np.random.default_rng(9)

# Up to where precision is assigned; ampc does the rest.
PIPELINE = """builtin.module(inline,symbol-dce,amp-canonicalize,amp-cse,
func.func(amp-form-attention,amp-decompose-ops),amp-canonicalize,amp-cse,
func.func(amp-hoist-invariants,amp-fold-scales,amp-assign-precision{{uniform={format}}},
amp-materialize-precision,amp-fold-casts),amp-cse)"""

# Relative L2 errors: about what 20 roundings in a row add up to.
BOUNDS = {"bf16": 3e-2, "f16": 4e-3}


def weight(*shape: int) -> np.ndarray:
    scale = np.sqrt(np.prod(shape[1:] if len(shape) > 2 else shape[:1]))
    return (RANDOM.standard_normal(shape) / scale).astype(np.float32)


def vision() -> onnx.ModelProto:
    """Padded, strided, grouped and depthwise convolutions, a residual, a concat."""
    g = Graph()
    x = g("Relu", g("Conv", "x", weight(32, 3, 3, 3), weight(32), pads=[1, 1, 1, 1], strides=[2, 2]))
    y = g("Relu", g("Conv", x, weight(32, 32, 3, 3), weight(32), pads=[1, 1, 1, 1]))
    x = g("Relu", g("Add", x, g("Conv", y, weight(32, 32, 1, 1))))
    d = g("HardSwish", g("Conv", x, weight(32, 1, 3, 3), group=32, pads=[1, 1, 1, 1]))
    s = g("Conv", x, weight(48, 8, 3, 3), group=4, pads=[1, 1, 1, 1])
    c = g("Concat", d, s, axis=1)
    c = g("MaxPool", c, kernel_shape=[2, 2], strides=[2, 2])
    c = g("Sigmoid", g("Conv", c, weight(40, 80, 1, 1), weight(40)))
    p = g("Flatten", g("GlobalAveragePool", c))
    z = g("Gemm", p, weight(40, 10), weight(10))
    return g.model([tensor("x", "n", 3, "h", "w")], [(z, 2), (c, 4)])


def language() -> onnx.ModelProto:
    """A transformer's layer, its heads by hand."""
    g = Graph()
    shape = np.array([0, -1, 4, 16])
    q, k, v = (
        g("Transpose", g("Reshape", g("MatMul", "x", weight(64, 64)), shape), perm=[0, 2, 1, 3])
        for _ in range(3)
    )
    scores = g("Mul", g("MatMul", q, g("Transpose", k, perm=[0, 1, 3, 2])), np.float32(0.25))
    heads = g("MatMul", g("Softmax", scores, axis=-1), v)
    joined = g("Reshape", g("Transpose", heads, perm=[0, 2, 1, 3]), np.array([0, -1, 64]))
    x = g("Add", "x", g("MatMul", joined, weight(64, 64)))
    x = g("LayerNormalization", x, 1 + weight(64), weight(64))
    h = gelu(g, g("Add", g("MatMul", x, weight(64, 200)), weight(200)))
    y = g("LayerNormalization", g("Add", x, g("MatMul", h, weight(200, 64))), 1 + weight(64))
    return g.model([tensor("x", "n", "length", 64)], [(y, 3)])


MODELS = {
    "vision": (vision(), [(1, 3, 32, 32), (2, 3, 37, 21)]),
    "language": (language(), [(1, 16, 64), (3, 21, 64), (1, 1, 64)]),
}


def run(*command) -> None:
    subprocess.run([str(c) for c in command], check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=compiler.ROOT / "build")
    options = parser.parse_args()
    errors, compared = [], 0
    with tempfile.TemporaryDirectory(prefix="ampc-uniform-") as name:
        folder = pathlib.Path(name)

        def compiled(source: pathlib.Path, target: str) -> ampc.Model:
            library = folder / f"{source.name}.{target}.so"
            compiler.compile_model(options.build, source, library, f"--target={target}")
            return ampc.Model(library, threads=1)

        for model, (proto, shapes) in MODELS.items():
            onnx.save(proto, folder / f"{model}.onnx")
            imported = folder / f"{model}.mlir"
            run(options.build / "bin/ampc", folder / f"{model}.onnx", "-o", imported)
            for target in ("native", "x86-64-v3"):
                whole = compiled(imported, target)
                for storage in ("f32", *BOUNDS):
                    lowered = folder / f"{model}.{storage}.mlir"
                    pipeline = PIPELINE.format(format=storage).replace("\n", "")
                    run(options.build / "bin/amp-opt", imported, f"--pass-pipeline={pipeline}",
                        "-o", lowered, "--mlir-print-debuginfo")
                    narrow = compiled(lowered, target)
                    for shape in shapes:
                        x = RANDOM.standard_normal(shape).astype(np.float32)
                        pairs = zip(whole.run([x]), narrow.run([x]), strict=True)
                        for index, (a, b) in enumerate(pairs):
                            compared += 1
                            error = np.linalg.norm(a - b) / np.linalg.norm(a)
                            least, most = (0, 0) if storage == "f32" else (1e-5, BOUNDS[storage])
                            if not least <= error <= most:
                                errors.append(f"{model} in {storage} for {target}, {shape}: "
                                              f"output {index} is off by {error:.2e}")
    print(*errors, sep="\n")
    print(f"uniform precision: {compared} outputs compared, {len(errors)} failures")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
