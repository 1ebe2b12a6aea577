"""One node each, over shapes that are not round, against onnxruntime or, where that
has no kernel for a type, ONNX's reference evaluator. Sizes are dynamic unless a case
says otherwise.
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys
import tempfile
from typing import Callable, NamedTuple

import numpy as np
import onnx
import onnx.reference
import onnxruntime
from onnx import helper

import compiler
from compiler import ROOT

import ampc

RNG = np.random.default_rng(11)


class Case(NamedTuple):
    name: str
    node: onnx.NodeProto
    feed: dict
    opset: int = 22
    oracle: str = "ort"  # or "ref", or a function of the inputs
    tolerance: float = 1e-5  # Of the largest value; of integers, in steps.
    constants: tuple = ()  # Names of inputs that are initializers.

    @property
    def outputs(self) -> "list[str]":
        return [name for name in self.node.output if name]


def floats(*shape, low=-2.0, high=2.0, dtype=np.float32):
    return RNG.uniform(low, high, shape).astype(dtype)


def case(name, op, inputs, outputs=1, opset=22, oracle="ort", tolerance=1e-5,
         constants=(), domain="", **attributes):
    """Inputs by position; None where one is left out."""
    names = [f"i{k}" if value is not None else "" for k, value in enumerate(inputs)]
    feed = {n: np.asarray(v) for n, v in zip(names, inputs) if n}
    node = helper.make_node(op, names, [f"o{k}" for k in range(outputs)], op.lower(),
                            domain=domain, **attributes)
    return Case(f"{op}.{name}", node, feed, opset, oracle, tolerance,
                tuple(names[k] for k in constants))


def grids():
    for mode in ("linear", "nearest", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            for corners in (0, 1):
                attributes = dict(mode=mode, padding_mode=padding, align_corners=corners)
                yield case(f"{mode}_{padding}_{corners}", "GridSample",
                           [floats(2, 3, 5, 7), floats(2, 4, 3, 2, low=-1.6, high=1.6)],
                           tolerance=1e-4, **attributes)
    for padding in ("zeros", "border", "reflection"):
        yield case(f"volume_{padding}", "GridSample",
                   [floats(1, 2, 3, 4, 5), floats(1, 2, 3, 4, 3, low=-1.5, high=1.5)],
                   mode="linear", padding_mode=padding, tolerance=1e-4)
    yield case("version16_bicubic", "GridSample", [floats(1, 1, 4, 4), floats(1, 3, 3, 2)],
               opset=16, mode="bicubic", tolerance=1e-4)
    yield case("one_pixel", "GridSample", [floats(1, 2, 1, 1), floats(1, 2, 2, 2, low=-0.4, high=0.4)],
               align_corners=1, padding_mode="border")
    yield case("no_positions", "GridSample", [floats(1, 2, 3, 3), floats(1, 0, 4, 2)])
    yield case("f64", "GridSample", [floats(1, 2, 3, 3, dtype=np.float64),
               floats(1, 4, 4, 2, dtype=np.float64)], tolerance=1e-5)
    yield case("f16", "GridSample", [floats(1, 2, 3, 3, dtype=np.float16),
               floats(1, 4, 4, 2, dtype=np.float16)], oracle="ref", tolerance=2e-3)
    yield case("2d", "AffineGrid", [floats(2, 2, 3), np.array([2, 3, 4, 5])])
    yield case("3d_corners", "AffineGrid", [floats(2, 3, 4), np.array([2, 3, 2, 4, 3])],
               align_corners=1)


def regions():
    boxes = np.array([[0, 0, 9, 7], [3.2, 1.1, 12.7, 9.9], [-4, -3, 5, 4], [6, 6, 5, 5],
                      [10, 2, 30, 20]], np.float32)
    batch = np.array([0, 1, 1, 0, 1])
    x = floats(2, 3, 9, 11)
    for mode in ("avg", "max"):
        for ratio in (0, 2):
            for transform in ("half_pixel", "output_half_pixel"):
                yield case(f"{mode}_{ratio}_{transform}", "RoiAlign", [x, boxes, batch],
                           mode=mode, sampling_ratio=ratio, output_height=3, output_width=2,
                           spatial_scale=0.8, coordinate_transformation_mode=transform,
                           oracle="ref")
    yield case("version10", "RoiAlign", [x, boxes, batch], opset=11, output_height=2,
               output_width=2)
    yield case("no_regions", "RoiAlign", [x, boxes[:0], batch[:0]], opset=16, output_height=2,
               output_width=2)
    corners = np.concatenate([batch[:, None].astype(np.float32), boxes], 1)
    yield case("basic", "MaxRoiPool", [x, corners], pooled_shape=[2, 3], spatial_scale=0.5,
               opset=21)
    yield case("fine", "MaxRoiPool", [x, corners], pooled_shape=[5, 7], opset=21)


def deformable():
    def make(name, channels, out, group, offsets, mask, bias, **attributes):
        x, w = floats(2, channels, 6, 7), floats(out, channels // group, 3, 2)
        h, v = 6 + 2 - 2, 7 + 2 - 1
        inputs = [x, w, floats(2, offsets * 12, h, v),
                  floats(out) if bias else None,
                  floats(2, offsets * 6, h, v) if mask else None]
        return case(name, "DeformConv", inputs, pads=[1, 1, 1, 1], group=group,
                    offset_group=offsets, constants=(1,), tolerance=1e-4, **attributes)

    yield make("plain", 3, 4, 1, 1, False, False)
    yield make("groups", 4, 6, 2, 1, True, True)
    yield make("offset_groups", 6, 3, 3, 2, True, True)


def unpooling():
    pooled = floats(2, 2, 3, 2)
    places = np.stack([RNG.choice(6 * 4, 6, replace=False) for _ in range(4)]).reshape(2, 2, 3, 2)
    flat = places + (np.arange(4) * 24).reshape(2, 2, 1, 1)
    yield case("basic", "MaxUnpool", [pooled, flat], kernel_shape=[2, 2], strides=[2, 2])
    yield case("version9", "MaxUnpool", [pooled, flat], opset=10, kernel_shape=[2, 2],
               strides=[2, 2])
    yield case("empty", "MaxUnpool", [pooled[:0], flat[:0]], kernel_shape=[2, 2], strides=[2, 2],
               oracle=lambda x, i: np.zeros((0, 2, 6, 4), np.float32))
    yield case("pads", "Col2Im", [floats(2, 2 * 6, 16), np.array([5, 6]), np.array([2, 3])],
               pads=[0, 1, 0, 1], strides=[1, 1], dilations=[1, 2], oracle="ref",
               constants=(2,))
    yield case("strides", "Col2Im", [floats(1, 4, 4), np.array([5, 7]), np.array([2, 2])],
               strides=[2, 3], oracle="ref")
    for mode in ("linear", "circular"):
        yield case(mode, "TensorScatter",
                   [floats(2, 3, 5, 4), floats(2, 3, 2, 4), np.array([1, 3])],
                   mode=mode, opset=24, oracle="ref")


def determinants():
    for n in (0, 1, 2, 5, 17):
        yield case(f"size_{n}", "Det", [floats(3, n, n)], tolerance=1e-4, oracle=np.linalg.det)
    rows = np.float32([[0], [1], [1]])
    yield case("singular", "Det", [np.arange(9, dtype=np.float32).reshape(3, 3) * rows],
               oracle=lambda x: np.array(0, np.float32))
    yield case("one_matrix", "Det", [floats(4, 4)], tolerance=1e-4)


def signals():
    for size in (1, 2, 7, 12, 36, 97, 120, 512):
        for parts in (1, 2):
            x = floats(2, size, 3, parts)
            yield case(f"forward_{size}_{parts}", "DFT", [x, None, np.array(1)], opset=20,
                       tolerance=1e-4, oracle="ref")
    x = floats(2, 30, 2)
    yield case("inverse", "DFT", [x], opset=20, inverse=1, tolerance=1e-4, oracle="ref")
    yield case("onesided", "DFT", [x[..., :1]], opset=20, onesided=1, tolerance=1e-4,
               oracle="ref")
    yield case("to_real", "DFT", [x, np.array(57)], opset=20, onesided=1, inverse=1,
               tolerance=1e-4, oracle="ref")
    yield case("padded", "DFT", [x, np.array(41)], opset=20, tolerance=1e-4, oracle="ref")
    yield case("cut", "DFT", [x, np.array(11)], opset=17, axis=1, tolerance=1e-4, oracle="ref")
    yield case("f64", "DFT", [floats(3, 60, 2, dtype=np.float64)], opset=20, tolerance=1e-12,
               oracle="ref")
    signal = floats(2, 150, 1)
    for onesided in (0, 1):
        yield case(f"window_{onesided}", "STFT",
                   [signal, np.array(7), floats(40), np.array(40)], opset=17,
                   onesided=onesided, tolerance=1e-4, constants=(1, 3))
    yield case("no_window", "STFT", [signal, np.array(16), None, np.array(64)], opset=17,
               tolerance=1e-4)
    yield case("basic", "MelWeightMatrix", [np.array(8), np.array(64), np.array(8192),
               np.array(20.0, np.float32), np.array(3500.0, np.float32)], opset=17,
               oracle="ref")


def training():
    x = floats(4, 3, 5, 2)
    vectors = [floats(3), floats(3), floats(3), floats(3, low=0.5)]
    yield case("training", "BatchNormalization", [x, *vectors], outputs=3, opset=15,
               training_mode=1, momentum=0.8, oracle="ref")
    yield case("training14", "BatchNormalization", [x, *vectors], outputs=3, opset=14,
               training_mode=1, oracle="ref")


def philox(count: int, key: int) -> np.ndarray:
    """Philox4x32-10 of the counters 0 to count - 1: [count, 4] words."""
    zero = np.zeros(count, np.uint64)
    x = [np.arange(count, dtype=np.uint64), zero, zero, zero]
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    keys = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        a, b = x[0] * np.uint64(0xD2511F53), x[2] * np.uint64(0xCD9E8D57)
        x = [(b >> shift) ^ x[1] ^ np.uint64(keys[0]), b & mask,
             (a >> shift) ^ x[3] ^ np.uint64(keys[1]), a & mask]
        keys = [(keys[0] + 0x9E3779B9) & 0xFFFFFFFF, (keys[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(x, -1)


def uniform(shape, key: int) -> np.ndarray:
    words = philox(int(np.prod(shape)), key)[:, 0] >> np.uint64(8)
    return (words.astype(np.float32) * np.float32(2**-24)).reshape(shape)


def normal(shape, key: int) -> np.ndarray:
    words = (philox(int(np.prod(shape)), key)[:, :2] >> np.uint64(8)).astype(np.float64)
    radius = np.sqrt(-2 * np.log((words[:, 0] + 1) / 2**24))
    return (radius * np.cos(2 * np.pi * words[:, 1] / 2**24)).astype(np.float32).reshape(shape)


def randoms():
    # The first of Random123's published answers.
    assert [hex(w) for w in philox(1, 0)[0]] == [
        "0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]
    seed, key = 2.5, int(np.float32(2.5).view(np.uint32))
    x = floats(3, 5, 2)
    yield case("seed", "RandomUniformLike", [x], seed=seed, low=-1.0, high=3.0,
               oracle=lambda x: uniform(x.shape, key) * np.float32(4) - np.float32(1))
    yield case("seed", "RandomNormalLike", [x], seed=seed, mean=1.0, scale=2.0,
               oracle=lambda x: normal(x.shape, key) * 2 + 1)
    # The same numbers, rounded.
    yield case("f16", "RandomUniform", [], seed=seed, shape=[7, 3], dtype=onnx.TensorProto.FLOAT16,
               tolerance=0, oracle=lambda: uniform((7, 3), key).astype(np.float16))
    yield case("f64", "RandomNormal", [], seed=seed, shape=[9], dtype=onnx.TensorProto.DOUBLE,
               oracle=lambda: normal((9,), key).astype(np.float64))
    yield case("seed", "Bernoulli", [floats(4, 9, low=0, high=1)], seed=seed,
               oracle=lambda p: (uniform(p.shape, key) < p).astype(np.float32))
    yield case("dtype", "Bernoulli", [floats(8, low=0, high=1, dtype=np.float64)], seed=seed,
               dtype=onnx.TensorProto.BOOL, oracle=lambda p: uniform(p.shape, key) < p)

    def multinomial(x):
        p = np.exp(x.astype(np.float64))
        sums = np.cumsum(p / p.sum(-1, keepdims=True), -1)
        return (sums[:, None] <= uniform((4, 6), key)[..., None]).sum(-1).astype(np.int32)

    yield case("seed", "Multinomial", [floats(4, 5)], seed=seed, sample_size=6,
               oracle=multinomial)

    def dropout(x, ratio, training):
        keep = uniform(x.shape, 7) >= ratio
        return (np.where(keep, x / (1 - ratio), 0), keep) if training else (x, np.ones_like(keep))

    for ratio, training in ((0.25, True), (0.25, False), (0.0, True), (1.0, True)):
        yield case(f"{ratio}_{training}", "Dropout",
                   [x, np.array(ratio, np.float32), np.array(training)], outputs=2, seed=7,
                   oracle=lambda x, r, t: dropout(x, r, t) if r < 1
                   else (np.zeros_like(x), np.zeros(x.shape, bool)))


def resizes():
    x, none = floats(1, 2, 5, 7), np.array([], np.float32)

    def make(name, scales=None, sizes=None, roi=none, image=x, oracle="ref", **attributes):
        if sizes is None:
            sized = [np.array(scales, np.float32)]
        else:
            sized = [None, np.array(sizes)]
        return case(name, "Resize", [image, np.array(roi, np.float32), *sized], opset=19,
                    oracle=oracle, tolerance=1e-4, constants=(1, len(sized) + 1), **attributes)

    up, down = [1, 1, 1.7, 2.3], [1, 1, 0.6, 0.45]
    for mode in ("linear", "cubic"):
        yield make(f"{mode}_up", up, mode=mode)
        yield make(f"{mode}_down_antialias", down, mode=mode, antialias=1)
        yield make(f"{mode}_antialias_outside", down, mode=mode, antialias=1, exclude_outside=1)
    yield make("cubic_outside", up, mode="cubic", exclude_outside=1, cubic_coeff_a=-0.5)
    for coordinates in ("align_corners", "asymmetric", "pytorch_half_pixel",
                        "half_pixel_symmetric"):
        yield make(f"linear_{coordinates}", up, mode="linear",
                   coordinate_transformation_mode=coordinates)
    for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
        yield make(f"nearest_{rounding}", down, mode="nearest", nearest_mode=rounding,
                   oracle="ort")  # In f32, where ties are decided.
    yield make("crop", sizes=[1, 2, 6, 4], roi=[0, 0, 0.2, -0.3, 1, 1, 0.7, 1.2], mode="linear",
               coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=3.0)
    for policy in ("not_larger", "not_smaller"):
        yield make(policy, sizes=[9, 10], axes=[2, 3], mode="linear",
                   keep_aspect_ratio_policy=policy)
    for kind, scale in ((np.float16, 1), (np.float64, 1), (np.uint8, 60), (np.int8, 30)):
        image = (floats(1, 1, 4, 5, low=0 if kind == np.uint8 else -2) * scale).astype(kind)
        for mode in ("nearest", "linear"):
            yield make(f"{mode}_{np.dtype(kind)}", sizes=[1, 1, 8, 10], image=image, mode=mode,
                       coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    yield make("volume", [2, 0.5, 1.5], image=floats(3, 4, 5), axes=[1, 2, 0], mode="linear")


def olds():
    """Versions with attributes where newer ones have inputs."""
    x = floats(3, 4, 5)
    yield case("v7", "Upsample", [floats(1, 1, 3, 4)], opset=8, scales=[1.0, 1.0, 2.0, 3.0])
    yield case("v9", "Upsample", [floats(1, 1, 3, 4), np.array([1, 1, 2, 2], np.float32)],
               opset=9, mode="linear", constants=(1,))
    yield case("v10", "Resize", [floats(1, 1, 4, 6), np.array([1, 1, 0.5, 1.5], np.float32)],
               opset=10, mode="linear", constants=(1,))
    yield case("v7", "Pow", [floats(4, low=0), floats(4)], opset=8)
    yield case("v6", "Clip", [x], opset=10, min=-0.5, max=1.0)
    yield case("v2", "Pad", [x], opset=10, pads=[0, 1, -1, 2, 0, 1], value=1.5)
    yield case("v2_edge", "Pad", [x], opset=10, mode="edge", pads=[0, 1, 1, 2, 0, 1])
    yield case("v1", "Slice", [x], opset=9, starts=[1, -3], ends=[3, 1000], axes=[0, 2])
    yield case("v2", "Split", [x], outputs=2, opset=11, axis=2, split=[2, 3])
    yield case("v1", "TopK", [x], outputs=2, opset=9, k=2)
    yield case("v10", "TopK", [x, np.array([3])], outputs=2, opset=10, axis=1, constants=(1,))
    for op in ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp",
               "SumSquare"):
        for version, opset in ((1, 10), (11, 12), (13, 17)):
            if op != "Sum" or version < 13:
                yield case(f"v{version}", f"Reduce{op}", [abs(x)], opset=opset, axes=[0, -1],
                           keepdims=0)
    for version, opset in ((1, 10), (11, 12)):
        yield case(f"v{version}", "Squeeze", [floats(3, 1, 2)], opset=opset, axes=[1])
        yield case(f"v{version}", "Unsqueeze", [x], opset=opset, axes=[0, 2])
    yield case("v11", "Clip", [x, np.array(-0.5, np.float32)], opset=11)
    yield case("v1", "DepthToSpace", [floats(1, 8, 2, 3)], opset=10, blocksize=2)
    for version, opset in ((6, 8), (9, 12), (13, 18)):
        yield case(f"v{version}", "Cast", [x * 3], opset=opset, to=onnx.TensorProto.INT32)
    for version, opset in ((2, 21), (22, 22)):
        yield case(f"v{version}", "GlobalLpPool", [floats(1, 2, 3, 4)], opset=opset, p=3,
                   oracle=lambda x: np.cbrt((abs(x) ** 3).sum((2, 3), keepdims=True)))
    for version, opset in ((9, 12), (13, 18)):
        yield case(f"v{version}", "MeanVarianceNormalization", [floats(2, 3, 4, 5)], opset=opset,
                   axes=[0, 2, 3], tolerance=1e-4)
    yield case("v11", "Resize", [floats(1, 1, 4, 6), np.array([], np.float32),
                                 np.array([1, 1, 1.5, 0.5], np.float32)], opset=12,
               mode="linear", coordinate_transformation_mode="pytorch_half_pixel",
               constants=(1, 2))
    yield case("v1", "Softmax", [x], opset=11, axis=1)
    yield case("v9", "BatchNormalization",
               [x, floats(4), floats(4), floats(4), floats(4, low=0.1)], opset=10)
    yield case("v7", "Dropout", [x], opset=9, ratio=0.4)
    yield case("v9", "Scatter", [x, np.array([[[1, 0]]]), floats(1, 1, 2)], opset=10, axis=2)
    yield case("v6", "Max", [x, x], opset=7)
    yield case("v1", "ArgMax", [x], opset=10, axis=1, keepdims=0)
    yield case("v7", "Gemm", [floats(3, 4), floats(5, 4), floats(5)], opset=8, transB=1, alpha=0.5)


def refusals():
    """Reads of tensors without elements, which the run has to refuse. The oracle tells
    the type of the output only."""
    i, some = np.array([[0, 0]]), floats(2, 3)

    def make(name, op, inputs, rank, **attributes):
        return case(name, op, inputs, oracle=lambda *_: np.zeros([0] * rank, np.float32),
                    **attributes)

    yield make("empty", "Gather", [some[:0], i], 3)
    yield make("empty", "GatherElements", [some[:0], i], 2)
    yield make("empty", "GatherND", [some[:0], i[..., None]], 3, constants=(1,))
    yield make("empty", "ScatterElements", [some[:0], i, floats(1, 2)], 2)
    yield make("empty", "ScatterND", [some[:0], i.T, some], 2, constants=(1,))
    yield make("empty", "GridSample", [floats(1, 1, 0, 2), floats(1, 2, 2, 2)], 4)
    yield make("empty", "Pad", [some[:0], np.array([1, 0, 0, 0])], 2, mode="edge", constants=(1,))
    yield make("wide", "GatherElements", [some, np.zeros((1, 4), np.int64)], 2)


def slices():
    """Bounds before the front and past the end, in both directions."""
    for start in (-(2**31), -7, -1, 0, 2, 9, 2**63 - 1):
        for end in (-(2**63), -7, -2, 1, 9):
            for step in (1, -1, -2):
                inputs = [floats(3, 2), *(np.array([n]) for n in (start, end, 0, step))]
                yield case(f"{start}_{end}_{step}", "Slice", inputs, constants=(1, 2, 3, 4))
    yield case("back_to_front", "Slice", [floats(3), *(np.array([n]) for n in (-7, -9, 0, -1))])


def extremes():
    """Numbers at the ends of 64 bits, which leave it in sums and differences."""
    least, most = -(2**63), 2**63 - 1
    x = floats(4, 6)
    for start, end, step, rows in ((-100, 100, most, 1), (-3, 100, most, 1), (3, -100, least, 1),
                                   (3, -100, -most, 1), (4, 4, most, 0)):
        first = max(start + 4 if start < 0 else start, 0)
        yield case(f"{start}_{end}_{step}", "Slice", [x, [start], [end], [0], [step]],
                   oracle=lambda x, *_, first=first, rows=rows: x[first : first + rows])
    yield case("constant_step", "Slice", [x, [1], [4], [0], [most]], constants=(1, 2, 3, 4),
               oracle=lambda x, *_: x[1:2])
    for upper in (0, 1):
        for k in (least, most):
            nothing = (k == most) == bool(upper)
            yield case(f"{upper}_{k}", "Trilu", [x, k], upper=upper,
                       oracle=lambda x, k, nothing=nothing: x * np.float32(not nothing))
    for start, end, step in ((least, most, 2**62), (most, least, least), (-3, 4, 3), (4, -3, -3)):
        numbers = np.array([*range(start, end, step)], np.int64)
        yield case(f"{start}_{end}_{step}", "Range", [start, end, step],
                   oracle=lambda *_, numbers=numbers: numbers)


FAMILIES = (slices, extremes, grids, regions, deformable, unpooling, determinants, signals, training, randoms,
            resizes, olds)


# Inputs with sizes that the op must know, and the dimensions that they are.
KNOWN = {"GridSample": {"i1": -1}, "DFT": {"i0": -1}, "STFT": {"i0": -1}, "Det": {"i0": -1},
         "Attention": {"i0": 0, "i3": 0}}


def model_and_results(case: Case) -> "tuple[onnx.ModelProto, list[np.ndarray]]":
    def info(name, value):
        dims = [f"{name}_{d}" for d in range(value.ndim)]
        known = KNOWN.get(case.node.op_type, {}).get(name)
        if known is not None:
            dims[known] = value.shape[known]
        if value.dtype == np.int64 and value.ndim == 1:  # May be a shape.
            dims = list(value.shape)
        return helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype), dims
        )

    def outputs(shapes):
        return [
            helper.make_tensor_value_info(name, kind, [None] * rank) if rank is not None
            else helper.make_empty_tensor_value_info(name)
            for name, (kind, rank) in shapes.items()
        ]

    def build(shapes):
        graph = helper.make_graph(
            [case.node],
            case.name,
            [info(n, v) for n, v in case.feed.items() if n not in case.constants],
            outputs(shapes),
            [onnx.numpy_helper.from_array(case.feed[n], n) for n in case.constants],
        )
        opsets = [helper.make_opsetid("", case.opset)]
        if case.node.domain:
            opsets.append(helper.make_opsetid(case.node.domain, 1))
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    # The types of the outputs are what the oracle gives.
    model = build({name: (None, None) for name in case.outputs})
    expected = expected_of(case, model)
    shapes = {
        name: (helper.np_dtype_to_tensor_dtype(np.asarray(value).dtype), np.ndim(value))
        for name, value in zip(case.outputs, expected, strict=True)
    }
    return build(shapes), expected


def expected_of(case: Case, model: onnx.ModelProto) -> "list[np.ndarray]":
    if callable(case.oracle):
        result = case.oracle(*case.feed.values())
        return list(result) if isinstance(result, tuple) else [result]
    feed = {n: v for n, v in case.feed.items() if n not in case.constants}
    if case.oracle == "ref":
        return onnx.reference.ReferenceEvaluator(model).run(None, feed)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, feed)


def close(actual: np.ndarray, expected: np.ndarray, tolerance: float) -> bool:
    if expected.dtype.kind not in "iu":
        bound = tolerance * max(1, np.abs(expected).max())
        return np.allclose(actual, expected, rtol=tolerance, atol=bound, equal_nan=True)
    # A step is what a number next to a tie may be off by: few are.
    steps = np.abs(actual.astype(np.float64) - expected)
    return steps.max() <= tolerance and steps.mean() <= 0.15 * tolerance


def check(case: Case, build: pathlib.Path, folder: pathlib.Path) -> "list[str]":
    model, expected = model_and_results(case)
    path = folder / f"{case.name}.onnx"
    onnx.save(model, path)
    library = compiler.compile_model(build, path, path.with_suffix(".so")).library
    feed = {n: v for n, v in case.feed.items() if n not in case.constants}
    actual = ampc.Model(library, threads=1).run(feed)
    errors = []
    for i, (a, e) in enumerate(zip(actual, expected, strict=True)):
        e = np.asarray(e)
        if a.dtype.kind == e.dtype.kind == "V":  # Of ml_dtypes; numpy cannot compare them.
            a, e = (x.astype(np.float32) for x in (a, e))
        if a.shape != e.shape or a.dtype != e.dtype:
            errors.append(f"output {i}: {a.dtype}{a.shape}, not {e.dtype}{e.shape}")
        elif a.size and not close(a, e, case.tolerance):
            off = np.abs(a.astype(np.float64) - e)
            errors.append(f"output {i}: off by {np.nanmax(off):.2e}")
    return errors


def check_refusal(case: Case, build: pathlib.Path, folder: pathlib.Path) -> "list[str]":
    try:
        check(case, build, folder)
    except ampc.Error as error:
        reasons = ("reads elements of a tensor that has none", "has more indices than elements")
        return [] if any(reason in str(error) for reason in reasons) else [str(error)]
    return ["ran"]


def run_all(jobs: "list[tuple[Case, Callable]]", build: pathlib.Path) -> "list[str]":
    """Runs each check on its case and prints what is wrong, which it returns."""

    def run(job) -> "list[str]":
        case, check = job
        try:
            found = check(case, build, pathlib.Path(folder))
        except Exception as error:  # Of any of three run times.
            found = [str(error).splitlines()[0]]
        return [f"{case.name}: {text}" for text in found]

    with tempfile.TemporaryDirectory(prefix="ampc-ops-") as folder:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            errors = [text for found in pool.map(run, jobs) for text in found]
    for error in errors:
        print(f"FAIL {error}")
    return errors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--filter", default="", help="part of a case's name")
    options = parser.parse_args()
    jobs = [
        (case, check_refusal if family is refusals else check)
        for family in (*FAMILIES, refusals)
        for case in family()
        if options.filter in case.name
    ]
    errors = run_all(jobs, options.build)
    print(f"ops: {len(jobs)} cases, {len(errors)} failures")
    return 1 if errors or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
