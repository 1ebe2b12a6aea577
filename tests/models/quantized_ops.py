"""Quantised ops, of ONNX and of com.microsoft, one node each, against onnxruntime,
ONNX's reference evaluator and exact sums.

Numbers lie on ties and beyond the ends of their range. A step of the output is allowed
where the oracle forms the product of the scales in another order.
"""

import argparse
import pathlib
import sys

import ml_dtypes
import numpy as np
from onnx import TensorProto as T
from onnx import helper
from onnx.reference.ops.op_cast import cast_to

import op_cases
from compiler import ROOT
from op_cases import case

RNG = np.random.default_rng(5)
STEP = 1


def on_ties(*shape, scale=0.25, low=-300, high=300):
    """Multiples of half a scale."""
    return (RNG.integers(low, high, shape) * np.float32(scale) / 2).astype(np.float32)


def integers(dtype, *shape):
    info = np.iinfo(dtype)
    return RNG.integers(info.min, info.max + 1, shape).astype(dtype)


def quantize():
    for dtype in (np.uint8, np.int8, np.uint16, np.int16):
        middle = dtype(np.iinfo(dtype).max // 3)
        yield case(
            dtype.__name__,
            "QuantizeLinear",
            [on_ties(3, 37, low=-(10**6), high=10**6), np.float32(0.25), middle],
            tolerance=0,
        )
        yield case(
            f"{dtype.__name__}_axis",
            "QuantizeLinear",
            [on_ties(3, 5, 7), np.array([0.25, 0.5, 1, 2, 4], np.float32), integers(dtype, 5)],
            axis=1,
            tolerance=0,
        )
        yield case(
            dtype.__name__,
            "DequantizeLinear",
            [integers(dtype, 3, 37), np.float32(0.3), middle],
            tolerance=0,
        )
    yield case(
        "empty", "QuantizeLinear", [np.zeros((0, 3), np.float32), np.float32(1), np.uint8(3)]
    )
    yield case("no_zero", "QuantizeLinear", [on_ties(11), np.float32(0.25)], tolerance=0)
    yield case(
        "opset10",
        "QuantizeLinear",
        [on_ties(4, 5), np.float32(0.25), np.uint8(7)],
        opset=10,
        tolerance=0,
    )
    special = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 0.5, 1.5, -0.5], np.float32)
    yield case(
        "special",
        "QuantizeLinear",
        [special, np.float32(1), np.uint8(7)],
        tolerance=0,
        oracle=lambda x, s, z: np.array([7, 255, 0, 255, 0, 7, 9, 7], np.uint8),
    )
    for size in (6, 7):  # The last block is shorter.
        shape = (3, (size + 2) // 3, 5)
        scale = np.exp2(RNG.integers(-2, 3, shape)).astype(np.float32)
        yield case(
            f"blocks{size}",
            "QuantizeLinear",
            [on_ties(3, size, 5), scale, integers(np.int8, *shape)],
            axis=1,
            block_size=3,
            oracle="ref",
            tolerance=0,
        )
        yield case(
            f"blocks{size}",
            "DequantizeLinear",
            [integers(np.int8, 3, size, 5), scale, integers(np.int8, *shape)],
            axis=1,
            block_size=3,
            oracle="ref",
            tolerance=0,
        )
    for kind in (T.FLOAT8E4M3FN, T.FLOAT8E5M2, T.FLOAT4E2M1, T.INT4, T.UINT2):
        name = T.DataType.Name(kind)
        zero = np.zeros((), helper.tensor_dtype_to_np_dtype(kind))
        yield case(
            name,
            "QuantizeLinear",
            [on_ties(40), np.float32(0.5), zero],
            opset=25,
            oracle="ref",
            tolerance=0,
        )
        x = cast_to(on_ties(40, low=-6, high=6), kind, True)
        yield case(
            name,
            "DequantizeLinear",
            [x, np.float32(0.3), zero],
            opset=25,
            oracle="ref",
            tolerance=0,
        )
    for name, x in (
        ("mixed", floats(5, 9)),
        ("positive", floats(7) + 9),
        ("negative", floats(7) - 9),
    ):
        yield case(name, "DynamicQuantizeLinear", [x], outputs=3, tolerance=1e-6)
    yield case(
        "zeros",
        "DynamicQuantizeLinear",
        [np.zeros((2, 3), np.float32)],
        outputs=3,
        tolerance=0,
        oracle=lambda x: (x.astype(np.uint8), np.float32(0), np.uint8(0)),
    )


def floats(*shape):
    return RNG.uniform(-2, 2, shape).astype(np.float32)


def products():
    for lhs in (np.uint8, np.int8):
        for rhs in (np.uint8, np.int8):
            name = f"{lhs.__name__}_{rhs.__name__}"
            a, w = integers(lhs, 5, 131), integers(rhs, 131, 17)
            exact = lambda a, w, za=0, zw=0: (a.astype(np.int32) - za.astype(np.int32)) @ (
                w.astype(np.int32) - zw.astype(np.int32)
            )
            yield case(name, "MatMulInteger", [a, w, lhs(3), rhs(100)], oracle=exact, tolerance=0)
            yield case(
                f"{name}_rows",
                "MatMulInteger",
                [a, w, integers(lhs, 5), integers(rhs, 17)],
                constants=(1, 3),
                tolerance=0,
                oracle=lambda a, w, za, zw: (a.astype(np.int32) - za[:, None].astype(np.int32))
                @ (w.astype(np.int32) - zw.astype(np.int32)),
            )
            if lhs == np.uint8:
                yield case(
                    name,
                    "QLinearMatMul",
                    [
                        a,
                        np.float32(0.02),
                        lhs(120),
                        w,
                        np.float32(0.01),
                        rhs(3),
                        np.float32(0.7),
                        lhs(90),
                    ],
                    tolerance=STEP,
                )
    yield case(
        "batch",
        "MatMulInteger",
        [integers(np.uint8, 2, 3, 4, 9), integers(np.uint8, 3, 9, 5)],
        oracle=lambda a, w: a.astype(np.int32) @ w.astype(np.int32),
        tolerance=0,
    )
    yield case(
        "extremes",
        "MatMulInteger",
        [np.full((2, 4000), 255, np.uint8), np.full((4000, 3), 255, np.uint8)],
        oracle=lambda a, w: a.astype(np.int32) @ w.astype(np.int32),
        tolerance=0,
    )
    yield case(
        "empty",
        "MatMulInteger",
        [np.zeros((2, 0), np.uint8), np.zeros((0, 3), np.uint8)],
        oracle=lambda a, w: np.zeros((2, 3), np.int32),
        tolerance=0,
    )
    yield case(
        "columns",
        "QLinearMatMul",
        [
            integers(np.uint8, 5, 31),
            np.float32(0.02),
            np.uint8(120),
            integers(np.int8, 31, 7),
            np.exp2(-RNG.integers(4, 9, 7)).astype(np.float32),
            np.zeros(7, np.int8),
            np.float32(0.3),
            np.uint8(90),
        ],
        constants=(3, 4, 5),
        tolerance=STEP,
    )


def convolutions():
    x, w = integers(np.uint8, 2, 3, 9, 11), integers(np.uint8, 4, 3, 3, 3)
    yield case(
        "pads",
        "ConvInteger",
        [x, w, np.uint8(13), np.uint8(100)],
        pads=[1, 2, 0, 1],
        constants=(1, 3),
        tolerance=0,
    )
    yield case(
        "groups",
        "ConvInteger",
        [integers(np.uint8, 1, 4, 8, 8), integers(np.uint8, 4, 2, 3, 3), np.uint8(3)],
        group=2,
        strides=[2, 2],
        constants=(1,),
        tolerance=0,
    )
    for kind in (np.uint8, np.int8):
        yield case(
            f"bias_{kind.__name__}",
            "QLinearConv",
            [
                x,
                np.float32(0.02),
                np.uint8(120),
                integers(kind, 4, 3, 3, 3),
                np.exp2(-RNG.integers(4, 9, 4)).astype(np.float32),
                np.zeros(4, kind),
                np.float32(0.3),
                np.uint8(90),
                RNG.integers(-999, 999, 4).astype(np.int32),
            ],
            pads=[1, 1, 1, 1],
            dilations=[1, 2],
            constants=(3, 4, 5, 8),
            tolerance=STEP,
        )


def of_onnxruntime():
    ms = dict(domain="com.microsoft", tolerance=STEP, opset=17)
    for dtype in (np.uint8, np.int8):
        name, zero = dtype.__name__, dtype(9)
        x, y = integers(dtype, 3, 1, 17), integers(dtype, 5, 17)
        scaled = [x, np.float32(0.03), zero]
        for op in ("QLinearAdd", "QLinearMul"):
            yield case(
                name, op, [*scaled, y, np.float32(0.02), dtype(3), np.float32(0.05), dtype(5)], **ms
            )
        yield case(name, "QLinearSigmoid", [*scaled, np.float32(1 / 256), dtype(0)], **ms)
        yield case(name, "QLinearLeakyRelu", [*scaled, np.float32(0.03), zero], alpha=0.25, **ms)
        image = [integers(dtype, 2, 3, 7, 9), np.float32(0.03), zero]
        yield case(
            name,
            "QLinearGlobalAveragePool",
            [*image, np.float32(0.02), dtype(3)],
            channels_last=0,
            **ms,
        )
        yield case(
            name,
            "QLinearAveragePool",
            [*image, np.float32(0.02), dtype(3)],
            kernel_shape=[3, 2],
            pads=[1, 0, 1, 1],
            strides=[2, 1],
            **ms,
        )
        yield case(
            name,
            "QLinearConcat",
            [
                np.float32(0.05),
                zero,
                integers(dtype, 2, 3),
                np.float32(0.03),
                dtype(3),
                integers(dtype, 2, 4),
                np.float32(0.04),
                dtype(1),
            ],
            axis=1,
            **ms,
        )
    w = integers(np.int8, 31, 7)
    columns = RNG.uniform(0.01, 0.02, 7).astype(np.float32)
    yield case(
        "bias",
        "DynamicQuantizeMatMul",
        [floats(5, 31), w, columns, np.zeros(7, np.int8), floats(7)],
        constants=(1, 2, 3, 4),
        **{**ms, "tolerance": 1e-5},
    )
    yield case(
        "plain",
        "DynamicQuantizeMatMul",
        [floats(2, 5, 31), w, np.float32(0.01)],
        constants=(1, 2),
        **{**ms, "tolerance": 1e-5},
    )
    yield case(
        "bias",
        "MatMulIntegerToFloat",
        [
            integers(np.uint8, 5, 31),
            w,
            np.float32(0.02),
            columns,
            np.uint8(120),
            np.zeros(7, np.int8),
            floats(7),
        ],
        constants=(1, 3, 5, 6),
        **{**ms, "tolerance": 1e-5},
    )
    gemm = [
        integers(np.uint8, 5, 31),
        np.float32(0.02),
        np.uint8(120),
        integers(np.int8, 7, 31),
        columns,
        np.zeros(7, np.int8),
        RNG.integers(-999, 999, 7).astype(np.int32),
    ]
    yield case(
        "quantised",
        "QGemm",
        [*gemm, np.float32(0.3), np.uint8(100)],
        transB=1,
        constants=(3, 4, 5, 6),
        **ms,
    )
    yield case(
        "float", "QGemm", gemm, transB=1, constants=(3, 4, 5, 6), **{**ms, "tolerance": 1e-5}
    )
    for bits in (4, 8):
        for depth, block in ((64, 32), (70, 16)):
            blocks = -(-depth // block)
            packed = integers(np.uint8, 7, blocks, block * bits // 8)
            # Bits beyond the depth are zero by the layout.
            scales_ = RNG.uniform(0.01, 0.02, (7, blocks)).astype(np.float32)
            zeros = integers(np.uint8, 7, -(-blocks * bits // 8))
            for zero in (None, zeros):
                yield case(
                    f"{bits}_{depth}{'_zeros' if zero is not None else ''}",
                    "MatMulNBits",
                    [floats(3, depth), packed, scales_, zero],
                    K=depth,
                    N=7,
                    bits=bits,
                    block_size=block,
                    constants=(1, 2) + ((3,) if zero is not None else ()),
                    **{**ms, "tolerance": 1e-4},
                )


def forms():
    """What exporters and onnxruntime's quantizer write beside the plain forms."""
    ms = dict(domain="com.microsoft", tolerance=STEP, opset=17)
    h, bf = np.float16, ml_dtypes.bfloat16
    x = on_ties(3, 5, 7)
    yield case(
        "f16",
        "QuantizeLinear",
        [x.astype(h), h(0.25), np.uint8(7)],
        opset=19,
        oracle="ref",
        tolerance=0,
    )
    yield case(
        "bf16",
        "QuantizeLinear",
        [x.astype(bf), np.array(0.25, bf), np.uint8(7)],
        opset=21,
        oracle=lambda x, s, z: np.clip(np.rint(x.astype(np.float32) / 0.25) + 7, 0, 255).astype(
            np.uint8
        ),
        tolerance=0,
    )
    yield case(
        "f16",
        "DequantizeLinear",
        [integers(np.int8, 3, 7), h(0.25), np.int8(7)],
        opset=19,
        tolerance=0,
    )
    yield case(
        "bf16",
        "DequantizeLinear",
        [integers(np.int8, 3, 7), np.array(0.25, bf), np.int8(7)],
        opset=21,
        oracle="ref",
        tolerance=0,
    )
    yield case(
        "bias",
        "DequantizeLinear",
        [
            RNG.integers(-(2**30), 2**30, 7).astype(np.int32),
            np.exp2(-RNG.integers(4, 9, 7)).astype(np.float32),
        ],
        axis=0,
        opset=13,
        tolerance=0,
    )
    yield case(
        "bias_zero",
        "DequantizeLinear",
        [
            RNG.integers(-(2**30), 2**30, 7).astype(np.int32),
            np.exp2(-RNG.integers(4, 9, 7)).astype(np.float32),
            np.zeros(7, np.int32),
        ],
        axis=0,
        opset=13,
        tolerance=0,
    )
    yield case(
        "output_dtype",
        "QuantizeLinear",
        [x, np.float32(0.25)],
        output_dtype=T.INT8,
        opset=21,
        tolerance=0,
    )
    yield case(
        "output_dtype16",
        "QuantizeLinear",
        [x, np.float32(0.25)],
        output_dtype=T.UINT16,
        opset=21,
        tolerance=0,
    )
    yield case(
        "output_dtype",
        "DequantizeLinear",
        [integers(np.int8, 3, 7), np.float32(0.25), np.int8(7)],
        output_dtype=T.FLOAT16,
        opset=23,
        oracle="ref",
        tolerance=0,
    )
    yield case(
        "precision",
        "QuantizeLinear",
        [x.astype(h), h(0.25), np.uint8(7)],
        precision=T.FLOAT,
        opset=23,
        oracle="ref",
        tolerance=0,
    )
    yield case(
        "e8m0",
        "DequantizeLinear",
        [
            integers(np.int8, 3, 8),
            np.exp2(RNG.integers(-3, 3, (3, 2))).astype(ml_dtypes.float8_e8m0fnu),
        ],
        axis=1,
        block_size=4,
        output_dtype=T.FLOAT,
        opset=24,
        oracle="ref",
        tolerance=0,
    )
    yield case(
        "negaxis",
        "QuantizeLinear",
        [x, np.exp2(RNG.integers(-2, 3, 7)).astype(np.float32), integers(np.int8, 7)],
        axis=-1,
        opset=13,
        tolerance=0,
    )
    yield case(
        "axis0",
        "DequantizeLinear",
        [integers(np.uint8, 3, 7), np.exp2(RNG.integers(-2, 3, 3)).astype(np.float32)],
        axis=0,
        opset=13,
        tolerance=0,
    )
    yield case(
        "vector1",
        "QuantizeLinear",
        [x, np.float32([0.25]), np.uint8([7])],
        opset=13,
        tolerance=0,
        constants=(1, 2),
    )
    yield case(
        "rank0x",
        "QuantizeLinear",
        [np.float32(3.3), np.float32(0.25), np.uint8(7)],
        opset=13,
        tolerance=0,
    )
    yield case(
        "rank1",
        "QuantizeLinear",
        [on_ties(11), np.float32(0.25), np.uint8(7)],
        opset=13,
        tolerance=0,
    )
    for dt, n in ((ml_dtypes.int4, T.INT4), (ml_dtypes.uint4, T.UINT4)):
        w = RNG.integers(0, 7, (6, 64)).astype(np.int8).astype(dt)
        yield case(
            f"blocks{n}",
            "DequantizeLinear",
            [
                w,
                RNG.uniform(0.01, 0.02, (6, 2)).astype(np.float32),
                np.ones((6, 2), np.int8).astype(dt),
            ],
            axis=1,
            block_size=32,
            opset=21,
            constants=(0, 1, 2),
            tolerance=1e-6,
        )
        yield case(
            f"blocks0_{n}",
            "DequantizeLinear",
            [w, RNG.uniform(0.01, 0.02, (2, 64)).astype(np.float32)],
            axis=0,
            block_size=3,
            opset=21,
            constants=(0, 1),
            oracle="ref",
            tolerance=1e-6,
        )
    s = [
        integers(np.uint8, 3, 4, 7),
        np.float32(0.05),
        np.uint8(128),
        np.float32(1 / 256),
        np.uint8(0),
    ]
    for version, axis in ((13, -1), (13, 1), (11, 1)):
        one = case(f"of_{version}_{axis}", "QLinearSoftmax", s, axis=axis, **ms)
        one.node.attribute.append(helper.make_attribute("opset", version))
        yield one
    xx = integers(np.uint8, 2, 3, 8, 9)
    yield case(
        "where",
        "QLinearWhere",
        [
            np.array([True, False, True]),
            integers(np.uint8, 4, 3),
            np.float32(0.03),
            np.uint8(9),
            integers(np.uint8, 4, 3),
            np.float32(0.04),
            np.uint8(3),
            np.float32(0.05),
            np.uint8(5),
        ],
        **ms,
    )
    yield case(
        "qconv1d",
        "QLinearConv",
        [
            integers(np.uint8, 2, 3, 19),
            np.float32(0.02),
            np.uint8(120),
            integers(np.int8, 4, 3, 3),
            np.exp2(-RNG.integers(4, 9, 4)).astype(np.float32),
            np.zeros(4, np.int8),
            np.float32(0.3),
            np.uint8(90),
        ],
        constants=(3, 4, 5),
        tolerance=STEP,
    )
    yield case(
        "qconv_same",
        "QLinearConv",
        [
            xx,
            np.float32(0.02),
            np.uint8(120),
            integers(np.uint8, 6, 3, 3, 3),
            np.float32([0.01]),
            np.uint8([127]),
            np.float32(0.3),
            np.uint8(90),
        ],
        auto_pad="SAME_UPPER",
        strides=[2, 2],
        constants=(3, 4, 5),
        tolerance=STEP,
    )
    yield case(
        "qconv_dw",
        "QLinearConv",
        [
            xx,
            np.float32(0.02),
            np.uint8(120),
            integers(np.int8, 3, 1, 3, 3),
            np.float32([0.01, 0.02, 0.03]),
            np.int8([0, 0, 0]),
            np.float32(0.3),
            np.uint8(90),
            RNG.integers(-99, 99, 3).astype(np.int32),
        ],
        group=3,
        pads=[1, 1, 1, 1],
        constants=(3, 4, 5, 8),
        tolerance=STEP,
    )
    yield case(
        "cl",
        "QLinearAveragePool",
        [
            integers(np.uint8, 2, 7, 9, 3),
            np.float32(0.03),
            np.uint8(9),
            np.float32(0.02),
            np.uint8(3),
        ],
        channels_last=1,
        kernel_shape=[3, 2],
        strides=[2, 1],
        **ms,
    )
    yield case(
        "cl",
        "QLinearGlobalAveragePool",
        [
            integers(np.uint8, 2, 7, 9, 3),
            np.float32(0.03),
            np.uint8(9),
            np.float32(0.02),
            np.uint8(3),
        ],
        channels_last=1,
        **ms,
    )
    yield case(
        "f16in",
        "QuantizeLinear",
        [x.astype(h), h(0.25), np.int8(3)],
        domain="com.microsoft",
        opset=17,
        tolerance=0,
    )
    yield case(
        "ms",
        "QuantizeLinear",
        [x, np.float32(0.25), np.uint16(3)],
        domain="com.microsoft",
        opset=17,
        tolerance=0,
    )
    yield case(
        "ms_axis",
        "QuantizeLinear",
        [x, np.exp2(RNG.integers(-2, 3, 5)).astype(np.float32), integers(np.int8, 5)],
        axis=1,
        domain="com.microsoft",
        opset=17,
        tolerance=0,
    )
    yield case(
        "ms",
        "DequantizeLinear",
        [integers(np.uint16, 3, 7), np.float32(0.25), np.uint16(300)],
        domain="com.microsoft",
        opset=17,
        tolerance=0,
    )
    yield case(
        "ms_i32",
        "DequantizeLinear",
        [RNG.integers(-(2**30), 2**30, 7).astype(np.int32), np.float32(0.25)],
        domain="com.microsoft",
        opset=17,
        tolerance=0,
    )
    w = integers(np.int8, 31, 7)
    yield case(
        "batchrhs",
        "DynamicQuantizeMatMul",
        [floats(2, 5, 31), integers(np.int8, 2, 31, 7), np.float32(0.01)],
        **{**ms, "tolerance": 1e-5},
    )
    yield case(
        "uint8w",
        "DynamicQuantizeMatMul",
        [floats(5, 31), integers(np.uint8, 31, 7), np.float32(0.01), np.uint8(128)],
        constants=(1, 2, 3),
        **{**ms, "tolerance": 1e-5},
    )
    yield case(
        "int8",
        "QLinearMatMul",
        [
            integers(np.int8, 5, 31),
            np.float32(0.02),
            np.int8(3),
            integers(np.int8, 31, 7),
            np.float32(0.01),
            np.int8(3),
            np.float32(0.3),
            np.int8(9),
        ],
        tolerance=STEP,
    )
    yield case(
        "batch",
        "QLinearMatMul",
        [
            integers(np.uint8, 2, 3, 5, 31),
            np.float32(0.02),
            np.uint8(3),
            integers(np.uint8, 2, 3, 31, 7),
            np.float32(0.01),
            np.uint8(3),
            np.float32(0.3),
            np.uint8(9),
        ],
        tolerance=STEP,
    )
    rows = np.array([[0, 3], [16, 2]])
    for dtype in (ml_dtypes.int4, ml_dtypes.uint4):
        low = -8 if dtype == ml_dtypes.int4 else 0
        table = RNG.integers(low, low + 16, (17, 64)).astype(np.int8).astype(dtype)
        scale = RNG.uniform(0.01, 0.02, (17, 4)).astype(np.float32)
        zero = RNG.integers(low, low + 16, (17, 4)).astype(np.int8).astype(dtype)
        for zeros in ((), (zero,)):
            yield case(
                f"{dtype.__name__}_{len(zeros)}",
                "GatherBlockQuantized",
                [table, rows, scale, *zeros],
                block_size=16,
                gather_axis=0,
                quantize_axis=1,
                constants=(0, 2, 3)[: 2 + len(zeros)],
                **{**ms, "tolerance": 1e-6, "opset": 21},
            )


FAMILIES = (quantize, products, convolutions, of_onnxruntime, forms)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--filter", default="", help="part of a case's name")
    options = parser.parse_args()
    cases = [one for family in FAMILIES for one in family()]
    jobs = [(one, op_cases.check) for one in cases if options.filter in one.name]
    errors = op_cases.run_all(jobs, options.build)
    print(f"quantised: {len(jobs)} cases, {len(errors)} failures")
    return 1 if errors or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
