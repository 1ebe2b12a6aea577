"""Models of well-known shapes with random weights, written as PyTorch exports them.

    synthetic.py FOLDER [--filter=NAME]

Weights are random but the same every time, and scaled so that values neither vanish nor
overflow. Each model is tested by ONNX's checker and by a run of onnxruntime.
"""

import argparse
import pathlib
import sys
from typing import Callable, NamedTuple

import numpy as np
import onnx
from onnx import TensorProto

import machine  # noqa: F401  Finds what is imported below.
from graph import Graph, gelu, tensor
from timing import cpu_session


class Synthetic(NamedTuple):
    name: str
    make: Callable[[], onnx.ModelProto]
    feed: Callable[[], "dict[str, np.ndarray]"]


class Weights:
    """Normally distributed weights of a network with a seed of its own."""

    def __init__(self):
        self._random = np.random.default_rng(17)

    def __call__(self, *shape: int, deviation: float) -> np.ndarray:
        return self._random.standard_normal(shape, np.float32) * np.float32(deviation)

    def bias(self, count: int) -> np.ndarray:
        return self(count, deviation=0.05)


def convolution(g, w, x, channels, out, taps, stride=1, groups=1, gain=2.0) -> str:
    """Batch normalization is part of the weights, as it is after export."""
    inner = channels // groups * taps * taps
    filters = w(out, channels // groups, taps, taps, deviation=(gain / inner) ** 0.5)
    return g("Conv", x, filters, w.bias(out), dilations=[1, 1], group=groups,
             kernel_shape=[taps, taps], pads=[taps // 2] * 4, strides=[stride, stride])


def classifier(g, w, x, channels) -> str:
    x = g("Flatten", g("GlobalAveragePool", x), axis=1)
    return g("Gemm", x, w(1000, channels, deviation=channels**-0.5), w.bias(1000), transB=1)


def mobilenet_v2() -> onnx.ModelProto:
    g, w = Graph(), Weights()
    low, high = g.weight(np.float32(0)), g.weight(np.float32(6))

    def relu6(x):
        return g("Clip", x, low, high)

    x, channels = relu6(convolution(g, w, "input", 3, 32, 3, 2)), 32
    # How much wider inside, channels, blocks, stride of the first.
    for factor, out, count, stride in (
        (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
        (6, 160, 3, 2), (6, 320, 1, 1),
    ):
        for block in range(count):
            step, wide = stride if block == 0 else 1, channels * factor
            y = relu6(convolution(g, w, x, channels, wide, 1)) if factor > 1 else x
            y = relu6(convolution(g, w, y, wide, wide, 3, step, groups=wide))
            y = convolution(g, w, y, wide, out, 1, gain=1.0)
            x = g("Add", x, y) if step == 1 and channels == out else y
            channels = out
    x = relu6(convolution(g, w, x, channels, 1280, 1))
    x = classifier(g, w, x, 1280)
    return g.model([tensor("input", "batch", 3, 224, 224)], [(x, 2)])


def resnet_50() -> onnx.ModelProto:
    g, w = Graph(), Weights()
    x = g("Relu", convolution(g, w, "input", 3, 64, 7, 2))
    x, channels = g("MaxPool", x, kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2]), 64
    for inner, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(count):
            step, out = stride if block == 0 else 1, 4 * inner
            y = g("Relu", convolution(g, w, x, channels, inner, 1))
            y = g("Relu", convolution(g, w, y, inner, inner, 3, step))
            y = convolution(g, w, y, inner, out, 1, gain=0.2)
            if block == 0:
                x = convolution(g, w, x, channels, out, 1, step, gain=1.0)
            x, channels = g("Relu", g("Add", y, x)), out
    x = classifier(g, w, x, channels)
    return g.model([tensor("input", "batch", 3, 224, 224)], [(x, 2)])


def bert_base() -> onnx.ModelProto:
    g, w = Graph(), Weights()
    hidden, heads, wide, length = 768, 12, 3072, 128

    def linear(x, inner, outer):
        product = g("MatMul", x, w(inner, outer, deviation=inner**-0.5))
        return g("Add", w.bias(outer), product)

    def norm(x):
        return g("LayerNormalization", x, w.bias(hidden) + 1, w.bias(hidden), axis=-1,
                 epsilon=1e-12)

    def embedding(count, indices):
        return g("Gather", w(count, hidden, deviation=0.5), indices, axis=0)

    words = g("Add", embedding(30522, "input_ids"), embedding(2, "token_type_ids"))
    x = norm(g("Add", words, embedding(512, g.weight(np.arange(length)[None]))))
    mask = g("Unsqueeze", g("Unsqueeze", "attention_mask", np.array([1])), np.array([2]))
    mask = g("Sub", np.float32(1), g("Cast", mask, to=TensorProto.FLOAT))
    mask = g("Mul", mask, np.finfo(np.float32).min)
    split = g.weight(np.array([0, 0, heads, hidden // heads]))
    join = g.weight(np.array([0, 0, hidden]))
    for _ in range(12):
        query, key, value = (
            g("Transpose", g("Reshape", linear(x, hidden, hidden), split), perm=perm)
            for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
        )
        scores = g("Div", g("MatMul", query, key), np.float32((hidden // heads) ** 0.5))
        mixed = g("MatMul", g("Softmax", g("Add", scores, mask), axis=-1), value)
        mixed = g("Reshape", g("Transpose", mixed, perm=[0, 2, 1, 3]), join)
        x = norm(g("Add", linear(mixed, hidden, hidden), x))
        x = norm(g("Add", linear(gelu(g, linear(x, hidden, wide)), wide, hidden), x))
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [tensor(name, "batch", length, kind=TensorProto.INT64) for name in names]
    return g.model(inputs, [(x, 3)])


def lstm() -> onnx.ModelProto:
    g, w = Graph(), Weights()
    hidden, x = 256, "input"
    for _ in range(2):
        weights = [w(1, 4 * hidden, hidden, deviation=hidden**-0.5) for _ in range(2)]
        state = np.zeros((1, 1, hidden), np.float32)
        y = g("LSTM", x, *weights, w(1, 8 * hidden, deviation=0.05), "", state, state,
              hidden_size=hidden)
        x = g("Squeeze", y, np.array([1]))
    return g.model([tensor("input", "length", 1, hidden)], [(x, 3)])


def picture() -> "dict[str, np.ndarray]":
    return {"input": np.random.default_rng(2).standard_normal((1, 3, 224, 224), np.float32)}


def sentence() -> "dict[str, np.ndarray]":
    random = np.random.default_rng(2)
    return {
        "input_ids": random.integers(0, 30522, (1, 128)),
        "attention_mask": np.ones((1, 128), np.int64),
        "token_type_ids": (np.arange(128) >= 64).astype(np.int64)[None],
    }


def sequence() -> "dict[str, np.ndarray]":
    return {"input": np.random.default_rng(2).standard_normal((64, 1, 256), np.float32)}


MODELS = (
    Synthetic("mobilenet_v2", mobilenet_v2, picture),
    Synthetic("resnet_50", resnet_50, picture),
    Synthetic("bert_base", bert_base, sentence),
    Synthetic("lstm", lstm, sequence),
)


def write(model: Synthetic, folder: pathlib.Path) -> pathlib.Path:
    """Writes the model and tests it; AssertionError if it is not a good one."""
    file = folder / f"{model.name}.onnx"
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model.make(), file)
    onnx.checker.check_model(file, full_check=True)
    for output in cpu_session(file).run(None, model.feed()):
        if not np.isfinite(output).all() or output.std() < 1e-3:
            raise AssertionError(f"{model.name}: its output vanishes or overflows")
    return file


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--filter", default="", help="part of a model's name")
    options = parser.parse_args()
    models = [model for model in MODELS if options.filter in model.name]
    if not models:
        sys.exit(f"synthetic.py: no model matches {options.filter!r}")
    for model in models:
        try:
            file = write(model, options.folder)
        except (OSError, AssertionError) as error:
            sys.exit(f"synthetic.py: {error}")
        print(f"{file}: {file.stat().st_size / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
