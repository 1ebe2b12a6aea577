"""Models of one kernel each, or of a chain of equal ones, with what they compute and read."""

from typing import Callable, NamedTuple

import numpy as np
import onnx

from graph import Graph, tensor

RNG = np.random.default_rng(1)


class Kernel(NamedTuple):
    model: onnx.ModelProto
    feed: "dict[str, np.ndarray]"
    flops: float
    read: int = 0  # Bytes, where reading them is what takes the time, not the arithmetic.


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def finish(g: Graph, result: str, feed: "dict[str, np.ndarray]", flops: float, read: int = 0):
    inputs = [tensor(name, *array.shape) for name, array in feed.items()]
    rank = next(iter(feed.values())).ndim
    return Kernel(g.model(inputs, [(result, rank)]), feed, flops, read)


def product(rows: int, columns: int, inner: int) -> Kernel:
    """A linear layer: constant weights, a bias, ReLU."""
    g = Graph()
    weights = normal(columns, inner) / np.float32(inner**0.5)
    result = g("Relu", g("Gemm", "x", weights, normal(columns), transB=1))
    read = weights.nbytes if rows <= 8 else 0
    return finish(g, result, {"x": normal(rows, inner)}, 2.0 * rows * columns * inner, read)


def batch(count: int, rows: int, columns: int, inner: int) -> Kernel:
    g = Graph()
    feed = {"x": normal(count, rows, inner), "y": normal(count, inner, columns)}
    return finish(g, g("MatMul", "x", "y"), feed, 2.0 * count * rows * columns * inner)


def scores(heads: int, length: int, size: int) -> Kernel:
    """Attention's QK^T: each key is a row."""
    g = Graph()
    feed = {"q": normal(1, heads, length, size), "k": normal(1, heads, length, size)}
    result = g("MatMul", "q", g("Transpose", "k", perm=[0, 1, 3, 2]))
    return finish(g, result, feed, 2.0 * heads * length * length * size)


def convolutions(layers, channels, out, size, taps, stride=1, groups=1) -> Kernel:
    """A chain, so that what it takes to enter and leave a layout hardly counts."""
    g, value, flops = Graph(), "x", 0.0
    feed = {"x": normal(1, channels, size, size)}
    for _ in range(layers):
        inner = channels // groups * taps * taps
        filters = normal(out, channels // groups, taps, taps) / np.float32(inner**0.5)
        value = g("Conv", value, filters, np.full(out, 0.1, np.float32), group=groups,
                  pads=[taps // 2] * 4, strides=[stride] * 2)
        value = g("Relu", value)
        size = (size - 1) // stride + 1
        flops += 2.0 * out * size * size * inner
    return finish(g, value, feed, flops)


def softmax(rows: int, columns: int) -> Kernel:
    g, feed = Graph(), {"x": normal(rows, columns)}
    return finish(g, g("Softmax", "x", axis=-1), feed, 0, 2 * feed["x"].nbytes)


def layer_norm(rows: int, columns: int) -> Kernel:
    g, feed = Graph(), {"x": normal(rows, columns)}
    result = g("LayerNormalization", "x", normal(columns), normal(columns), axis=-1)
    return finish(g, result, feed, 0, 2 * feed["x"].nbytes)


def elementwise(count: int) -> Kernel:
    g, feed = Graph(), {"x": normal(count)}
    result = g("Relu", g("Add", g("Mul", "x", normal(count)), normal(count)))
    return finish(g, result, feed, 0, 4 * feed["x"].nbytes)


def table(make: Callable[..., Kernel], *shapes: "tuple[str, tuple]"):
    return {title: (make, shape) for title, shape in shapes}


def products(*shapes: "tuple[int, int, int]"):
    return table(product, *(("gemm " + "x".join(map(str, shape)), shape) for shape in shapes))


# By title: the function that makes the kernel, and its arguments. Products are rows x
# columns x inner; convolutions are layers, channels in and out, size, taps, stride, groups.
KERNELS = {
    **products((1024, 1024, 1024), (512, 768, 768), (128, 3072, 768), (197, 768, 3072),
               (128, 768, 768), (197, 1000, 768), (1, 4096, 4096), (8, 4096, 4096)),
    **table(batch, ("batch 12x64x64x64", (12, 64, 64, 64))),
    **table(scores, ("QK^T 12x128x128x64", (12, 128, 64)), ("QK^T 12x197x197x64", (12, 197, 64))),
    **table(
        convolutions,
        ("conv 3x3 64 @56", (6, 64, 64, 56, 3)),
        ("conv 3x3 128 @28", (6, 128, 128, 28, 3)),
        ("conv 3x3 256 @14", (6, 256, 256, 14, 3)),
        ("conv 3x3 512 @7", (4, 512, 512, 7, 3)),
        ("conv 1x1 256 @14", (8, 256, 256, 14, 1)),
        ("conv 1x1 96 @40", (8, 96, 96, 40, 1)),
        ("conv 3x3 32 @80", (6, 32, 32, 80, 3)),
        ("conv 3x3 16 @160", (6, 16, 16, 160, 3)),
        ("conv 3x3 24 @80", (6, 24, 24, 80, 3)),
        ("conv 7x7/2 3->64 @224", (1, 3, 64, 224, 7, 2)),
        ("dw 3x3 96 @112", (6, 96, 96, 112, 3, 1, 96)),
        ("dw 5x5 192 @20", (6, 192, 192, 20, 5, 1, 192)),
    ),
    **table(softmax, ("softmax 1536x128", (1536, 128))),
    **table(layer_norm, ("layernorm 128x768", (128, 768))),
    **table(elementwise, ("mul add relu 1000", (1000,))),
}
