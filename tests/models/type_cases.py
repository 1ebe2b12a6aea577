"""Element types and conversions between them, against numpy and ml_dtypes."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np
import onnx
import onnx.parser
from onnx import TensorProto as T
from onnx import helper, numpy_helper
from onnx.reference.ops.op_cast import cast_to

import compiler
from compiler import ROOT

import ampc

FLOATS = [T.FLOAT, T.DOUBLE, T.FLOAT16, T.BFLOAT16]
CODES = [T.FLOAT8E4M3FN, T.FLOAT8E4M3FNUZ, T.FLOAT8E5M2, T.FLOAT8E5M2FNUZ, T.FLOAT4E2M1]
INTEGERS = [
    T.INT8,
    T.UINT8,
    T.INT16,
    T.UINT16,
    T.INT32,
    T.UINT32,
    T.INT64,
    T.UINT64,
    T.INT4,
    T.UINT4,
    T.INT2,
    T.UINT2,
]


def numpy_of(kind: int) -> np.dtype:
    return helper.tensor_dtype_to_np_dtype(kind)


def run_model(build, folder, name, nodes, feed, kinds, opset=25, initializers=(), options=()):
    """Compiles nodes and gives their results; `kinds` are the ONNX types of outputs,
    with the rank where it is not 1."""
    info = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
        for n, v in feed.items()
    ]
    outputs = []
    for n, kind in kinds.items():
        kind, rank = kind if isinstance(kind, tuple) else (kind, 1)
        outputs.append(helper.make_tensor_value_info(n, kind, [None] * rank))
    graph = helper.make_graph(nodes, name, info, outputs, initializers)
    opsets = [helper.make_opsetid("", opset)]
    path = folder / f"{name}.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=13), path)
    library = compiler.compile_model(build, path, path.with_suffix(".so"), *options).library
    return dict(zip(kinds, ampc.Model(library, threads=1).run(feed)))


def differences(name, actual, expected) -> "list[str]":
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        return [f"{name}: {actual.dtype}{actual.shape}, not {expected.dtype}{expected.shape}"]
    wide = (lambda x: x.astype(np.float64)) if actual.dtype.kind in "Vf" else (lambda x: x)
    same = np.equal(wide(actual), wide(expected))
    if actual.dtype.kind in "Vf":
        same |= np.isnan(wide(actual)) & np.isnan(wide(expected))
    if same.all():
        return []
    at = np.unravel_index(np.argmin(same), same.shape)
    return [
        f"{name}: {(~same).sum()} of {same.size} differ, first {actual[at]}, not {expected[at]}"
    ]


def bits_of(kind: int) -> int:
    return {T.INT4: 4, T.UINT4: 4, T.INT2: 2, T.UINT2: 2}.get(kind, 8)


# --- Conversions ------------------------------------------------------------------


def samples(kind: int, integral: bool) -> np.ndarray:
    """Values of a type; `integral` ones are in the range of all signed integers."""
    if kind == T.BOOL:
        return np.array([True, False] * 8)
    if kind in INTEGERS:
        unsigned = numpy_of(kind).name.startswith("u")
        if integral:
            return np.array([0, 1] * 8).astype(numpy_of(kind))
        info = ml_dtypes.iinfo(numpy_of(kind))
        values = [int(info.min), int(info.max), int(info.max) // 2 + 1, 0, 1, 1 if unsigned else -1]
        return np.array((values * 3)[:16], np.int64 if not unsigned else np.uint64).astype(
            numpy_of(kind)
        )
    if integral:
        values = [0.0, 1.0, 0.5, 1.5, -0.0, 0.25, 1.75, 0.75] * 2
    else:
        values = [
            0.0,
            -0.0,
            0.26914087,
            1 / 3,
            -1 / 3,
            2.5,
            3.5,
            5.0,
            448.0,
            464.0,
            65504.0,
            65520.0,
            1e-7,
            3e38,
            np.nan,
            np.inf,
        ]
    with np.errstate(over="ignore"):
        return np.array(values, np.float64).astype(numpy_of(kind))


def conversions(build, folder):
    """Every type to every type, in one model."""
    kinds = FLOATS + CODES + INTEGERS + [T.BOOL]
    feed, nodes, wanted, outputs = {}, [], {}, {}
    for source in kinds:
        for target in kinds:
            # What is out of range of an integer has no defined result.
            integral = target in INTEGERS and source not in INTEGERS
            name = f"x{source}{'i' if integral else ''}"
            feed[name] = samples(source, integral)
            output = f"{T.DataType.Name(source)}_to_{T.DataType.Name(target)}"
            nodes.append(helper.make_node("Cast", [name], [output], to=target))
            outputs[output] = target
            # ml_dtypes has no way between integers below 8 bits.
            x = (
                feed[name].astype(np.int32)
                if bits_of(source) < 8 and source in INTEGERS
                else feed[name]
            )
            with np.errstate(all="ignore"):
                # Nothing is converted, nor saturated, between equal types.
                same = source == target
                wanted[output] = feed[name] if same else cast_to(x, target, saturate=True)
    actual = run_model(build, folder, "conversions", nodes, feed, outputs)
    for name, value in wanted.items():
        yield from differences(name, actual[name], value)


def scales(build, folder):
    """To and from float8e8m0, in each rounding mode."""
    x = np.array(
        [
            0.3,
            1.0,
            1.4,
            1.5,
            3.0,
            6.1,
            -5.0,
            0.0,
            1e-39,
            5.8774717541114375e-39,
            3e38,
            3.4e38,
            np.inf,
            np.nan,
            2**-126,
            1e-45,
        ],
        np.float32,
    )
    nodes, wanted, outputs = [], {}, {}
    for mode in ("up", "down", "nearest"):
        for saturate in (0, 1):
            name = f"{mode}{saturate}"
            nodes.append(
                helper.make_node(
                    "Cast", ["x"], [name], to=T.FLOAT8E8M0, saturate=saturate, round_mode=mode
                )
            )
            outputs[name] = T.FLOAT8E8M0
            wanted[name] = cast_to(x, T.FLOAT8E8M0, bool(saturate), mode)
    nodes.append(helper.make_node("Cast", ["c"], ["back"], to=T.FLOAT))
    outputs["back"] = T.FLOAT
    codes = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e8m0fnu)
    wanted["back"] = codes.astype(np.float32)
    actual = run_model(build, folder, "scales", nodes, {"x": x, "c": codes}, outputs)
    for name, value in wanted.items():
        yield from differences(name, actual[name], value)


def rounding(build, folder):
    """Conversions round once, to nearest even; pairs of them are no identity; NaN
    stays NaN whatever its payload."""
    single = np.array([0.26914087, 1e-12, 123456.7, 1 / 3], np.float32)
    nan = np.array([0x7F800001, 0xFF800001], np.uint32).view(np.float32)
    wide = np.array([1 + 2**-11 + 2**-30, 1 + 2**-8 + 2**-40])
    nodes = [
        helper.make_node("Cast", ["single"], ["b"], to=T.BFLOAT16),
        helper.make_node("Cast", ["b"], ["via_bf16"], to=T.FLOAT),
        helper.make_node("Cast", ["single"], ["h"], to=T.FLOAT16),
        helper.make_node("Cast", ["h"], ["via_f16"], to=T.FLOAT),
        helper.make_node("Cast", ["nan"], ["nan_bf16"], to=T.BFLOAT16),
        helper.make_node("Cast", ["nan"], ["nan_f16"], to=T.FLOAT16),
        helper.make_node("Cast", ["wide"], ["wide_f16"], to=T.FLOAT16),
        helper.make_node("Cast", ["wide"], ["wide_bf16"], to=T.BFLOAT16),
    ]
    outputs = dict(
        via_bf16=T.FLOAT,
        via_f16=T.FLOAT,
        nan_bf16=T.BFLOAT16,
        nan_f16=T.FLOAT16,
        wide_f16=T.FLOAT16,
        wide_bf16=T.BFLOAT16,
    )
    actual = run_model(
        build, folder, "rounding", nodes, dict(single=single, nan=nan, wide=wide), outputs
    )
    bf16 = ml_dtypes.bfloat16
    wanted = dict(
        via_bf16=np.array([0.26953125, 1.0018652574217413e-12, 123392.0, 0.33398438], np.float32),
        via_f16=np.array([0.26904297, 0.0, np.inf, 0.33325195], np.float32),
        nan_bf16=np.full(2, np.nan, bf16),
        nan_f16=np.full(2, np.nan, np.float16),
        wide_f16=np.array([1.0009766, 1.00390625], np.float16),
        wide_bf16=np.array([1.0, 1.0078125], bf16),
    )
    for name, value in wanted.items():
        yield from differences(name, actual[name], value)


def special_values(build, folder):
    """Nothing is compiled as if there were no NaN, infinity or subnormal number."""
    x = np.array([np.inf, -np.inf, np.nan, 1, 1e-40, -0.0], np.float32)
    nodes = [
        helper.make_node("IsNaN", ["x"], ["nan"]),
        helper.make_node("IsInf", ["x"], ["inf"]),
        helper.make_node("Max", ["x", "zero"], ["max"]),
        helper.make_node("Softmax", ["masked"], ["softmax"]),
        helper.make_node("Where", ["nan", "zero", "x"], ["cleaned"]),
        helper.make_node("Mul", ["x", "one"], ["subnormal"]),
    ]
    masked = np.array([[-np.inf, 0, 0], [1, -np.inf, -np.inf]], np.float32)
    one = np.float32(1)
    feed = dict(x=x, zero=np.float32(0).reshape(()), one=one.reshape(()), masked=masked)
    outputs = dict(
        nan=T.BOOL,
        inf=T.BOOL,
        max=T.FLOAT,
        softmax=(T.FLOAT, 2),
        cleaned=T.FLOAT,
        subnormal=T.FLOAT,
    )
    actual = run_model(build, folder, "special", nodes, feed, outputs)
    wanted = dict(
        nan=np.isnan(x),
        inf=np.isinf(x),
        max=np.maximum(x, 0),
        softmax=np.array([[0, 0.5, 0.5], [1, 0, 0]], np.float32),
        cleaned=np.where(np.isnan(x), np.float32(0), x),
        subnormal=x,
    )
    for name, value in wanted.items():
        yield from differences(name, actual[name], value)
    # Nor does a library change how the process that loads it computes.
    if (x[4] * one).tobytes() != x[4].tobytes():
        yield "subnormal numbers of the process are flushed to zero"


def one_sided_clip(build, folder):
    """A bound that is left out is none, in 16 bits too."""
    x = np.array([-1, 0.5, 1, 60000, np.inf], np.float16)
    nodes = [
        helper.make_node("Clip", ["x", "zero"], ["low"]),
        helper.make_node("Clip", ["x", "", "half"], ["high"]),
        helper.make_node("Clip", ["x"], ["none"]),
    ]
    feed = dict(x=x, zero=np.float16(0).reshape(()), half=np.float16(0.5).reshape(()))
    actual = run_model(
        build, folder, "clip", nodes, feed, dict.fromkeys(("low", "high", "none"), T.FLOAT16)
    )
    wanted = dict(low=np.maximum(x, np.float16(0)), high=np.minimum(x, np.float16(0.5)), none=x)
    for name, value in wanted.items():
        yield from differences(name, actual[name], value)


def clip_attributes(build, folder):
    """Opset 6: bounds are attributes, beyond what 16 bits hold they are none."""
    x = np.array([-1, 0.5, 1, 60000], np.float16)
    nodes = [helper.make_node("Clip", ["x"], ["y"], min=0.0, max=1e6)]
    actual = run_model(build, folder, "clip6", nodes, dict(x=x), dict(y=T.FLOAT16), opset=6)
    yield from differences("y", actual["y"], np.maximum(x, np.float16(0)))


def opset_types(build, folder):
    """A type that an op has not got yet is an error that names the node; from the opset
    on that has it, it compiles."""
    cumsum = "(float16[3] x, int32 axis) => (float16[3] y) { [the_node] y = CumSum(x, axis) }"
    conv = """(bfloat16[1, 1, 3] x, bfloat16[1, 1, 3] w) => (bfloat16[1, 1, 1] y)
        { [the_node] y = Conv(x, w) }"""
    pow = "(float[3] x, bfloat16[3] e) => (float[3] y) { [the_node] y = Pow(x, e) }"
    range = "(float16 a, float16 b, float16 c) => (float16[n] y) { [the_node] y = Range(a, b, c) }"
    product = "(bfloat16[3, 3] a, bfloat16[3, 3] b) => (bfloat16[3, 3] y)"
    for op, text, refused, accepted in (
        ("CumSum", cumsum, 11, 14),
        ("Conv", conv, 11, 22),
        ("Pow", pow, 13, 15),
        ("Range", range, 11, 27),
        ("MatMul", product + " { [the_node] y = MatMul(a, b) }", 9, 13),
        ("Einsum", product + ' { [the_node] y = Einsum<equation = "ij,jk">(a, b) }', 12, None),
        ("LSTM", """(bfloat16[2, 1, 3] x, bfloat16[1, 8, 3] w, bfloat16[1, 8, 2] r)
            => (bfloat16[2, 1, 1, 2] y) { [the_node] y = LSTM<hidden_size = 2>(x, w, r) }""", 14, None),
    ):
        for opset in filter(None, (refused, accepted)):
            path = folder / f"{op}{opset}.onnx"
            header = f'<ir_version: 10, opset_import: ["" : {opset}]> '
            onnx.save(onnx.parser.parse_model(header + "g " + text), path)
            done = subprocess.run(
                [build / "bin" / "ampc", path, "-o", path.with_suffix(".so")],
                capture_output=True,
                text=True,
            )
            said = "'the_node'" in done.stderr and "type" in done.stderr
            if done.returncode != (opset == refused) or said != (opset == refused):
                yield f"{op} of opset {opset}: exit code {done.returncode}: {done.stderr.strip()}"


def packed_elements(build, folder):
    """Initializers below 8 bits, packed in raw_data, in int32_data and in a file, and
    inputs whose unused bits hold anything."""
    initializers, nodes, wanted, outputs = [], [], {}, {}
    for kind in (T.INT4, T.UINT4, T.INT2, T.UINT2, T.FLOAT4E2M1):
        dtype = numpy_of(kind)
        bits = 2 if kind in (T.INT2, T.UINT2) else 4
        codes = np.arange(7, dtype=np.uint8) % (1 << bits)
        if "uint" not in dtype.name and "float" not in dtype.name:
            values = (codes.astype(np.int8) - (1 << (bits - 1))).astype(dtype)
        else:
            values = codes.view(dtype) if "float" in dtype.name else codes.astype(dtype)
        raw = numpy_helper.from_array(values, f"raw{kind}")
        typed = T(name=f"typed{kind}", data_type=kind, dims=[7])
        typed.int32_data.extend(raw.raw_data)
        (folder / f"packed{kind}.bin").write_bytes(b"??" + raw.raw_data)
        external = T(name=f"external{kind}", data_type=kind, dims=[7], data_location=T.EXTERNAL)
        for key, value in (
            ("location", f"packed{kind}.bin"),
            ("offset", "2"),
            ("length", str(len(raw.raw_data))),
        ):
            external.external_data.add(key=key, value=value)
        for tensor in (raw, typed, external):
            initializers.append(tensor)
            nodes.append(helper.make_node("Cast", [tensor.name], [tensor.name + "y"], to=T.FLOAT))
            outputs[tensor.name + "y"] = T.FLOAT
            wanted[tensor.name + "y"] = values.astype(np.float32)
            nodes.append(helper.make_node("Identity", [tensor.name], [tensor.name + "z"]))
            outputs[tensor.name + "z"] = kind
            wanted[tensor.name + "z"] = values
    nodes.append(helper.make_node("Identity", ["x"], ["same"]))
    nodes.append(helper.make_node("Identity", ["f"], ["code"]))
    outputs |= dict(same=T.INT4, code=T.FLOAT4E2M1)
    dirty = np.array([0xF7, 0x18, 0x0F], np.uint8)
    feed = dict(x=dirty.view(ml_dtypes.int4), f=dirty.view(ml_dtypes.float4_e2m1fn))
    actual = run_model(build, folder, "packed", nodes, feed, outputs, initializers=initializers)
    for name, value in wanted.items():
        yield from differences(name, actual[name], value)
    yield from differences("same", actual["same"], dirty.view(ml_dtypes.int4))
    codes = actual["code"].view(np.uint8).tolist()
    if codes != [7, 8, 15]:
        yield f"code: bytes {codes}, not [7, 8, 15]"


def no_foreign_symbols(build, folder):
    """Conversions and pooling of 16-bit floats call nothing outside libc, whatever
    the processor."""
    info = helper.make_tensor_value_info
    kinds = dict(f=T.FLOAT, h=T.FLOAT16, b=T.BFLOAT16, d=T.DOUBLE, q=T.FLOAT8E4M3FN)
    nodes = [
        helper.make_node("Cast", [s], [s + t], to=kinds[t]) for s in kinds for t in kinds if s != t
    ]
    nodes.append(helper.make_node("MaxPool", ["image"], ["pooled"], kernel_shape=[2, 2]))
    nodes.append(helper.make_node("Exp", ["h"], ["eh"]))
    outputs = [info(s + t, kinds[t], [None]) for s in kinds for t in kinds if s != t]
    outputs += [info("pooled", T.FLOAT16, [None] * 4), info("eh", T.FLOAT16, [None])]
    inputs = [info(s, kind, ["n"]) for s, kind in kinds.items()] + [
        info("image", T.FLOAT16, [1, 3, "h", "w"])
    ]
    path = folder / "symbols.onnx"
    graph = helper.make_graph(nodes, "symbols", inputs, outputs)
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10), path
    )
    check = ROOT / "tests" / "unit" / "runtime" / "check-model-library.sh"
    for target in ("x86-64-v3", "skylake-avx512", "sapphirerapids"):
        library = folder / f"symbols-{target}.so"
        compiler.compile_model(build, path, library, f"--target={target}")
        done = subprocess.run(
            ["sh", check, library, "nm", "readelf"], capture_output=True, text=True
        )
        if done.returncode:
            yield f"{target}: {done.stdout.strip()}"


CHECKS = (
    conversions,
    scales,
    rounding,
    special_values,
    one_sided_clip,
    clip_attributes,
    opset_types,
    packed_elements,
    no_foreign_symbols,
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--filter", default="", help="part of a check's name")
    options = parser.parse_args()
    checks = [check for check in CHECKS if options.filter in check.__name__]
    errors = []
    with tempfile.TemporaryDirectory(prefix="ampc-types-") as folder:
        for check in checks:
            try:
                found = [*check(options.build, pathlib.Path(folder))]
            except RuntimeError as error:  # Of ampc.
                found = [str(error)]
            errors += [f"{check.__name__}: {text}" for text in found]
    for error in errors:
        print(f"FAIL {error}")
    print(f"types: {len(checks)} checks, {len(errors)} failures")
    return 1 if errors or not checks else 0


if __name__ == "__main__":
    sys.exit(main())
