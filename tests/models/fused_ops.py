"""Graphs as onnxruntime's optimizers rewrite them, and the ops of com.microsoft that
these write one by one, against onnxruntime.
"""

import argparse
import math
import pathlib
import sys
from typing import Callable, NamedTuple

import numpy as np
import onnx
import onnx.parser
import onnx.reference
import onnxruntime
from onnx import TensorProto

import compiler
import op_cases
from compiler import ROOT
from graph import Graph, gelu, tensor
from op_cases import case, floats

import ampc

BATCH, LENGTH, HEADS, HIDDEN = 2, 5, 4, 32


def small(*shape):
    return floats(*shape, low=-0.3, high=0.3)


def layer_norm(g: Graph, x: str) -> str:
    """As exporters without LayerNormalization write it."""
    centred = g("Sub", x, g("ReduceMean", x, axes=[-1]))
    variance = g("ReduceMean", g("Pow", centred, np.float32(2)), axes=[-1])
    deviation = g("Sqrt", g("Add", variance, np.float32(1e-12)))
    return g("Add", g("Mul", g("Div", centred, deviation), small(HIDDEN) + 1), small(HIDDEN))


def linear(g: Graph, x: str, inner: int, outer: int) -> str:
    return g("Add", g("MatMul", x, small(inner, outer)), small(outer))


def tanh_gelu(g: Graph, x: str) -> str:
    cube = g("Pow", x, np.float32(3))
    inner = g("Add", x, g("Mul", cube, np.float32(0.044715)))
    tanh = g("Tanh", g("Mul", inner, np.float32(np.sqrt(2 / np.pi))))
    return g("Mul", g("Mul", x, np.float32(0.5)), g("Add", tanh, np.float32(1)))


def bert() -> "tuple[onnx.ModelProto, dict]":
    g = Graph()
    size = HIDDEN // HEADS
    split = np.array([0, 0, HEADS, size])
    words = g("Gather", small(50, HIDDEN), "ids", axis=0)
    segments = g("Gather", small(2, HIDDEN), "segments", axis=0)
    positions = g("Gather", small(20, HIDDEN), np.arange(LENGTH)[None], axis=0)
    x = g("Add", g("Add", words, segments), positions)
    x = layer_norm(g, x)
    seen = g("Cast", g("Unsqueeze", g("Unsqueeze", "mask", np.array([1])), np.array([2])), to=1)
    mask = g("Mul", g("Sub", np.float32(1), seen), np.float32(-10000))
    for _ in range(2):
        def heads(perm):
            apart = g("Reshape", linear(g, x, HIDDEN, HIDDEN), split)
            return g("Transpose", apart, perm=perm)

        query, key, value = heads([0, 2, 1, 3]), heads([0, 2, 3, 1]), heads([0, 2, 1, 3])
        scores = g("Div", g("MatMul", query, key), np.float32(np.sqrt(size)))
        weights = g("Softmax", g("Add", scores, mask), axis=-1)
        mixed = g("Transpose", g("MatMul", weights, value), perm=[0, 2, 1, 3])
        mixed = g("Reshape", mixed, np.array([0, 0, HIDDEN]))
        x = layer_norm(g, g("Add", linear(g, mixed, HIDDEN, HIDDEN), x))
        wide = gelu(g, linear(g, x, HIDDEN, 48))
        x = layer_norm(g, g("Add", linear(g, wide, 48, HIDDEN), x))
    ints = [tensor(n, "batch", LENGTH, kind=TensorProto.INT64) for n in ("ids", "segments", "mask")]
    mask = np.ones((BATCH, LENGTH), np.int64)
    mask[1, 3:] = 0
    feed = {
        "ids": op_cases.RNG.integers(0, 50, (BATCH, LENGTH)),
        "segments": op_cases.RNG.integers(0, 2, (BATCH, LENGTH)),
        "mask": mask,
    }
    return g.model(ints, [(x, 3)], opset=13), feed


def gpt() -> "tuple[onnx.ModelProto, dict]":
    g = Graph()
    x = "x"
    for _ in range(2):
        wide = tanh_gelu(g, linear(g, x, HIDDEN, 48))
        x = g("LayerNormalization", g("Add", linear(g, wide, 48, HIDDEN), x), small(HIDDEN) + 1,
              small(HIDDEN), axis=-1)
    return g.model([tensor("x", "b", "t", HIDDEN)], [(x, 3)]), {"x": floats(2, 3, HIDDEN)}


def rms() -> "tuple[onnx.ModelProto, dict]":
    g = Graph()
    x = "x"
    for _ in range(2):
        square = g("ReduceMean", g("Pow", x, np.float32(2)), axes=[-1])
        root = g("Sqrt", g("Add", square, np.float32(1e-5)))
        normed = g("Mul", g("Div", x, root), small(HIDDEN) + 1)
        gate = linear(g, normed, HIDDEN, 24)
        gate = g("Mul", gate, g("Sigmoid", g("Mul", gate, np.float32(1.702))))
        x = g("Add", g("MatMul", gate, small(24, HIDDEN)), x)
    return g.model([tensor("x", "b", "t", HIDDEN)], [(x, 3)]), {"x": floats(2, 3, HIDDEN)}


def convolutions() -> "tuple[onnx.ModelProto, dict]":
    g = Graph()
    x = g("LeakyRelu", g("Conv", "x", small(6, 3, 3, 3), small(6), pads=[1, 1, 1, 1]), alpha=0.2)
    y = g("Conv", x, small(6, 6, 3, 3), small(6), pads=[1, 1, 1, 1])
    x = g("Relu", g("Add", y, x))
    x = g("Sigmoid", g("Conv", x, small(4, 6, 1, 1), small(4)))
    x = g("Flatten", g("GlobalAveragePool", x))
    x = g("LeakyRelu", g("Gemm", x, small(4, 8), small(8)), alpha=0.3)
    x = g("Elu", g("Gemm", x, small(5, 8), small(5), transB=1), alpha=0.7)
    return g.model([tensor("x", "n", 3, "h", "w")], [(x, 2)]), {"x": floats(2, 3, 7, 9)}


def products() -> "tuple[onnx.ModelProto, dict]":
    g = Graph()
    scores = g("MatMul", "x", g("Transpose", "y", perm=[0, 2, 1]))
    scaled = g("Mul", scores, np.float32(0.25))
    back = g("MatMul", g("Transpose", scaled, perm=[0, 2, 1]), "x")
    return (
        g.model([tensor("x", "b", "n", 6), tensor("y", "b", "m", 6)], [(back, 3)]),
        {"x": floats(2, 3, 6), "y": floats(2, 5, 6)},
    )


def by_session(model: onnx.ModelProto, path: pathlib.Path) -> None:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(path)
    onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def by_transformers(kind: str):
    def optimize(model: onnx.ModelProto, path: pathlib.Path) -> None:
        from onnxruntime.transformers import fusion_options, optimizer

        source = path.with_suffix(".source.onnx")
        onnx.save(model, source)
        options = fusion_options.FusionOptions(kind)
        options.enable_shape_inference = False
        fused = optimizer.optimize_model(
            str(source), model_type=kind, num_heads=HEADS, hidden_size=HIDDEN, opt_level=0,
            optimization_options=options,
        )
        fused.save_model_to_file(str(path))

    return optimize


class Model(NamedTuple):
    """A graph, what rewrites it, and the ops that have to come out of that."""

    make: Callable
    optimize: Callable
    expected: "set[str]"
    name: str


def check_model(case: Model, build: pathlib.Path, folder: pathlib.Path) -> "list[str]":
    model, feed = case.make()
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    wanted = session.run(None, feed)
    path = folder / f"{case.name}.onnx"
    case.optimize(model, path)
    missing = case.expected - {node.op_type for node in onnx.load(path).graph.node}
    if missing:
        return [f"the optimizer did not write {', '.join(sorted(missing))}"]
    library = compiler.compile_model(build, path, path.with_suffix(".so")).library
    actual = ampc.Model(library, threads=1).run(feed)
    errors = []
    for a, w in zip(actual, wanted, strict=True):
        if a.shape != w.shape:
            errors.append(f"shape {a.shape}, not {w.shape}")
        elif not np.allclose(a, w, rtol=1e-4, atol=1e-4):
            errors.append(f"off by {np.abs(a - w).max():.1e}")
    return errors


def models():
    yield Model(bert, by_session, {"FusedMatMul", "BiasGelu", "SkipLayerNormalization"},
                "bert.session")
    yield Model(bert, by_transformers("bert"),
                {"Attention", "BiasGelu", "SkipLayerNormalization"}, "bert.transformers")
    yield Model(gpt, by_session, {"FastGelu", "SkipLayerNormalization"}, "gpt.session")
    yield Model(gpt, by_transformers("gpt2"), {"FastGelu", "SkipLayerNormalization"},
                "gpt.transformers")
    yield Model(rms, by_session, {"SimplifiedLayerNormalization", "QuickGelu"}, "rms.session")
    yield Model(convolutions, by_session, {"FusedConv", "FusedGemm"}, "convolutions.session")
    yield Model(products, by_session, {"FusedMatMul"}, "products.session")


def fused(name, op, inputs, **rest):
    return case(name, op, inputs, domain="com.microsoft", opset=17, tolerance=1e-4, **rest)


def attention():
    x, w, bias = floats(2, 3, 8), small(8, 36), small(36)
    past = floats(2, 2, 3, 4, 4)
    lengths, starts = np.array([3, 2], np.int32), np.array([3, 3, 0, 1], np.int32)
    keys = np.array([[1, 1, 0], [1, 0, 1]], np.int32)
    each = op_cases.RNG.integers(0, 2, (2, 3, 3)).astype(np.int32)
    yield fused("plain", "Attention", [x, w, bias], constants=(1, 2), num_heads=3)
    for name, mask in (("lengths", lengths), ("starts", starts), ("keys", keys), ("each", each)):
        yield fused(name, "Attention", [x, w, bias, mask], constants=(1, 2), num_heads=3)
    yield fused("causal", "Attention", [x, w, bias, keys], constants=(1, 2), num_heads=3,
                unidirectional=1)
    yield fused("past", "Attention", [x, w, bias, None, past], constants=(1, 2), num_heads=3,
                unidirectional=1, outputs=2)
    yield fused("bias", "Attention", [x, w, bias, None, None, floats(1, 3, 3, 3)],
                constants=(1, 2), num_heads=3, scale=0.7)

    q, k, v = floats(2, 3, 12), floats(2, 5, 12), floats(2, 5, 6)
    yield fused("plain", "MultiHeadAttention", [q, k, v], num_heads=3)
    yield fused("bias", "MultiHeadAttention",
                [q, k, v, small(30), np.array([[1, 1, 1, 0, 0], [1, 0, 1, 1, 1]], np.int32),
                 floats(2, 3, 3, 5)], num_heads=3)
    yield fused("past", "MultiHeadAttention",
                [q, floats(2, 3, 12), floats(2, 3, 12), None, None, None, floats(2, 3, 2, 4),
                 floats(2, 3, 2, 4)], outputs=3, num_heads=3)
    yield fused("crossed", "MultiHeadAttention", [q, floats(2, 3, 5, 4), floats(2, 3, 5, 4)],
                num_heads=3)


def grouped():
    """Prompts, then more positions behind those of the past."""
    heads, few, size = 4, 2, 16
    angles = op_cases.RNG.uniform(0, 6, (12, size // 2)).astype(np.float32)
    tables = [np.cos(angles), np.sin(angles)]

    def make(name, count, lengths, total, past=0, packed=False, bias=None, rotates=1, **rest):
        sizes = (heads * size, few * size, few * size)
        batch = len(lengths)
        inputs = [floats(batch, count, n) for n in sizes]
        if packed:
            inputs = [np.concatenate(inputs, -1), None, None]
        caches = [floats(batch, few, past, size) for _ in range(2)] if past else [None, None]
        for row, length in enumerate(lengths if past else ()):
            for cache in caches:  # Where nothing was written yet.
                cache[row, :, length - count :] = 0
        inputs += caches
        inputs += [np.array(lengths, np.int32) - 1, np.array(total, np.int32)]
        inputs += tables if rotates else [None, None]
        if bias is not None:
            inputs += [None, bias]
        return fused(name, "GroupQueryAttention", inputs, num_heads=heads, kv_num_heads=few,
                     do_rotary=rotates, **rest)

    yield make("prompt", 5, [5, 5], 5, outputs=3)
    yield make("packed", 5, [5, 5], 5, packed=True, outputs=3, rotary_interleaved=1)
    yield make("past", 2, [7], 7, past=5, outputs=3)
    yield make("lengths", 1, [7, 4], 7, past=6, outputs=3)
    yield make("room", 1, [6, 4], 6, past=9, outputs=3)
    yield make("window", 5, [5, 5], 5, rotates=0, local_window_size=2, scale=0.3)
    yield make("bias", 3, [3, 3], 3, bias=floats(1, heads, 3, 3))


def rotations():
    angles = op_cases.RNG.uniform(0, 6, (9, 4)).astype(np.float32)
    tables = [np.cos(angles), np.sin(angles)]
    each = np.array([[0, 3, 5], [8, 1, 2]])
    for interleaved in (0, 1):
        yield fused(f"flat_{interleaved}", "RotaryEmbedding", [floats(2, 3, 16), each, *tables],
                    constants=(2, 3), interleaved=interleaved)
        yield fused(f"start_{interleaved}", "RotaryEmbedding",
                    [floats(2, 2, 3, 8), np.array([4]), *tables], constants=(2, 3),
                    interleaved=interleaved)
    yield fused("part", "RotaryEmbedding", [floats(2, 3, 20), each, *tables], constants=(2, 3),
                num_heads=2, rotary_embedding_dim=8)


def simple():
    x, row = floats(2, 3, 8), floats(8)
    yield fused("bias", "FastGelu", [x, row])
    yield fused("plain", "FastGelu", [x])
    yield fused("plain", "Gelu", [x])
    yield fused("plain", "QuickGelu", [x], alpha=1.3)
    yield fused("plain", "BiasGelu", [x, row])
    yield fused("plain", "Trilu", [floats(2, 4, 5), np.array(1)], upper=0)
    yield fused("plain", "GridSample", [floats(1, 2, 4, 5), floats(1, 3, 3, 2)], mode="bicubic",
                padding_mode="border")
    yield fused("all", "SkipLayerNormalization", [x, floats(3, 8), row, floats(8), floats(8)],
                epsilon=1e-5)
    yield fused("sum", "SkipSimplifiedLayerNormalization", [x, floats(2, 3, 8), row], outputs=1,
                epsilon=1e-5)
    ids, segments = np.array([[1, 4, 0], [3, 3, 2]], np.int32), np.array([[0, 1, 1], [1, 0, 0]], np.int32)
    tables = [floats(5, 8), floats(6, 8), floats(2, 8), floats(8), floats(8)]
    mask, places = np.array([[1, 1, 0], [1, 1, 1]], np.int32), np.array([[0, 2, 5]], np.int32)
    yield fused("all", "EmbedLayerNormalization", [ids, segments, *tables, mask, places],
                outputs=3, constants=(2, 3, 4, 5, 6))
    yield fused("few", "EmbedLayerNormalization",
                [ids, None, tables[0], tables[1], None, tables[3], tables[4]], outputs=2,
                constants=(2, 3, 5, 6))
    a, b = floats(3, 2, 4), floats(5, 2, 3)
    yield fused("batches", "FusedMatMul", [a, b], transBatchA=1, transBatchB=1, transA=1,
                transB=1, alpha=0.5)
    yield fused("vector", "FusedMatMul", [floats(4), floats(2, 4, 3)], alpha=2.0)


def diffusion():
    """Ops that onnxruntime has no kernel of for a CPU; its ContribOperators.md says
    what they are."""

    def group_norm(x, gamma, beta, silu):
        n, h, w, c = x.shape
        apart = x.reshape(n, h * w, 2, c // 2).astype(np.float64)
        mean, var = (f(apart, axis=(1, 3), keepdims=True) for f in (np.mean, np.var))
        y = ((apart - mean) / np.sqrt(var + 1e-5)).reshape(x.shape) * gamma + beta
        return (y / (1 + np.exp(-y)) if silu else y).astype(x.dtype)

    def erf_gelu(x):
        return x * (1 + np.vectorize(math.erf)(x / np.sqrt(2))) / 2

    def split_gelu(x, bias):
        left, right = np.split(x + bias, 2, axis=-1)
        return (left * erf_gelu(right)).astype(x.dtype)

    x, gamma, beta = floats(2, 3, 5, 6), floats(6), floats(6)
    for silu in (0, 1):
        yield fused(f"activation_{silu}", "GroupNorm", [x, gamma, beta], groups=2, activation=silu,
                    oracle=lambda *inputs, silu=silu: group_norm(*inputs, silu))
    planar = x.transpose(0, 3, 1, 2)
    yield fused("planar", "GroupNorm", [planar, gamma, beta], groups=2, activation=0,
                channels_last=0,
                oracle=lambda x, *rest: group_norm(x.transpose(0, 2, 3, 1), *rest, 0)
                .transpose(0, 3, 1, 2))

    def skipped(x, gamma, beta, skip, bias):
        total = x + skip.reshape(2, 1, 1, 6) + bias
        return group_norm(total, gamma, beta, 1), total

    yield fused("all", "SkipGroupNorm", [x, gamma, beta, floats(2, 6), floats(6)], outputs=2,
                groups=2, activation=1, oracle=skipped)
    yield fused("plain", "BiasSplitGelu", [floats(2, 3, 8), floats(8)], oracle=split_gelu)
    yield fused("plain", "BiasAdd", [floats(2, 3, 8), floats(8), floats(2, 3, 8)],
                oracle=lambda x, bias, skip: x + bias + skip)

    def nhwc_conv(x, w, bias):
        pads, strides = [1, 0, 1, 2], [2, 1]
        model = onnx.parser.parse_model(f"""
            <ir_version: 8, opset_import: ["": 17]>
            g (float[n, c, h, w] x, float[o, i, k, l] f, float[o] b) => (float[p, q, r, s] y)
            {{ y = Conv<pads = {pads}, strides = {strides}>(x, f, b) }}""")
        planar = dict(x=x.transpose(0, 3, 1, 2), f=w.transpose(0, 3, 1, 2), b=bias)
        return onnx.reference.ReferenceEvaluator(model).run(None, planar)[0].transpose(0, 2, 3, 1)

    yield fused("plain", "NhwcConv", [floats(2, 5, 7, 3), small(4, 3, 2, 3), floats(4)],
                constants=(1,), pads=[1, 0, 1, 2], strides=[2, 1], oracle=nhwc_conv)


FAMILIES = (attention, grouped, rotations, simple, diffusion)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--filter", default="", help="part of a case's name")
    options = parser.parse_args()
    jobs = [(model, check_model) for model in models()]
    jobs += [(one, op_cases.check) for family in FAMILIES for one in family()]
    jobs = [job for job in jobs if options.filter in job[0].name]
    errors = op_cases.run_all(jobs, options.build)
    print(f"fused ops: {len(jobs)} cases, {len(errors)} failures")
    return 1 if errors or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
