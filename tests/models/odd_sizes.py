"""Small models whose sizes are all dynamic, at sizes 0, 1, 2 and 7 in every
combination, against numpy; and each compiled for fixed sizes too, which has to give
equal bits.
"""

import argparse
import itertools
import pathlib
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper

import compiler
from compiler import ROOT

import ampc

SIZES = (0, 1, 2, 7)
TOLERANCE = 1e-5
WEIGHTS = np.random.default_rng(3).uniform(-1, 1, 4096).astype(np.float32)


def weight(*shape: int) -> np.ndarray:
    return WEIGHTS[: int(np.prod(shape))].reshape(shape)


class Case:
    """A graph over one or more float inputs, and what it computes."""

    def __init__(self, name, inputs, nodes, expected, output_rank, weights=None):
        self.name = name
        self.inputs = inputs  # name -> sizes, symbols where dynamic
        self.expected = expected
        self.symbols = list(
            dict.fromkeys(s for dims in inputs.values() for s in dims if isinstance(s, str))
        )
        self.model = helper.make_model(
            helper.make_graph(
                nodes,
                name,
                [helper.make_tensor_value_info(n, TensorProto.FLOAT, d) for n, d in inputs.items()],
                [helper.make_tensor_value_info("out", TensorProto.FLOAT, [None] * output_rank)],
                [onnx.numpy_helper.from_array(np.asarray(w), n) for n, w in (weights or {}).items()],
            ),
            opset_imports=[helper.make_opsetid("", 17)],
            ir_version=8,
        )


def node(op, inputs, output="out", **attributes):
    return helper.make_node(op, inputs.split(), [output], f"the_{op.lower()}_{output}", **attributes)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True)


def attention(q, k, v, c):
    """What c is not positive for is masked."""
    scores = q @ k.transpose(0, 2, 1) * np.float32(0.5) + np.log(np.maximum(c, 0))
    return softmax(scores) @ v


def convolution(x, w):
    """3 x 3, padded by 1."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    height, width = x.shape[2:]
    result = np.zeros((x.shape[0], w.shape[0], height, width), np.float32)
    for i, j in itertools.product(range(3), range(3)):
        window = padded[:, :, i : i + height, j : j + width]
        result += np.einsum("nchw,oc->nohw", window, w[:, :, i, j])
    return result


CASES = (
    Case(
        "pointwise_chain",
        {"a": ["n", "m"], "b": ["n", "m"]},
        [node("Mul", "a b", "t"), node("Tanh", "t", "u"), node("Add", "u a")],
        lambda a, b: np.tanh(a * b) + a,
        2,
    ),
    Case(
        "broadcast",
        {"a": ["n", "m"], "b": ["m"], "c": ["n", 1]},
        [node("Add", "a b", "t"), node("Mul", "t c")],
        lambda a, b, c: (a + b) * c,
        2,
    ),
    Case(
        "matmul_weight",
        {"a": ["n", 5]},
        [node("MatMul", "a w", "t"), node("Add", "t bias", "u"), node("Relu", "u")],
        lambda a: np.maximum(a @ weight(5, 19) + weight(19), 0),
        2,
        {"w": weight(5, 19), "bias": weight(19)},
    ),
    Case(
        "matmul_two_inputs",
        {"a": ["b", "n", "k"], "c": ["b", "k", "m"]},
        [node("MatMul", "a c")],
        lambda a, c: a @ c,
        3,
    ),
    Case(
        "convolution",
        {"a": ["n", 3, "h", "w"]},
        [node("Conv", "a w", "t", pads=[1, 1, 1, 1]), node("Sigmoid", "t")],
        lambda a: 1 / (1 + np.exp(-convolution(a, weight(5, 3, 3, 3)))),
        4,
        {"w": weight(5, 3, 3, 3)},
    ),
    Case(
        "softmax",
        {"a": ["n", "m"]},
        [node("Softmax", "a", axis=-1)],
        softmax,
        2,
    ),
    Case(
        "attention",
        {"q": ["h", "m", 5], "k": ["h", "n", 5], "v": ["h", "n", 3], "c": ["m", "n"]},
        [
            node("Transpose", "k", "t", perm=[0, 2, 1]),
            node("MatMul", "q t", "s"),
            node("Mul", "s half", "scaled"),
            node("Relu", "c", "some"),
            node("Log", "some", "mask"),
            node("Add", "scaled mask", "scores"),
            node("Softmax", "scores", "p", axis=-1),
            node("MatMul", "p v"),
        ],
        attention,
        3,
        {"half": np.float32(0.5)},
    ),
    Case(
        "reduce_last",
        {"a": ["n", "m"]},
        [node("ReduceSum", "a axes", keepdims=0)],
        lambda a: a.sum(1),
        1,
        {"axes": np.array([1])},
    ),
    Case(
        "reduce_first",
        {"a": ["n", "m"]},
        [node("ReduceSum", "a axes", keepdims=1)],
        lambda a: a.sum(0, keepdims=True),
        2,
        {"axes": np.array([0])},
    ),
    Case(
        "transpose_concat",
        {"a": ["n", "m"], "b": ["n", "k"]},
        [node("Concat", "a b", "t", axis=1), node("Transpose", "t", perm=[1, 0])],
        lambda a, b: np.concatenate([a, b], 1).T,
        2,
    ),
    Case(
        "slice_pad",
        {"a": ["n", "m"]},
        [node("Slice", "a starts ends axes", "t"), node("Pad", "t pads")],
        lambda a: np.pad(a[:, 1:], ((1, 0), (0, 2))),
        2,
        {
            "starts": np.array([1]),
            "ends": np.array([2**31]),
            "axes": np.array([1]),
            "pads": np.array([1, 0, 0, 2]),
        },
    ),
    Case(
        "reshape_by_shape",
        {"a": ["n", "m", 4]},
        [
            node("Shape", "a", "s"),
            node("Gather", "s zero", "n1", axis=0),
            node("Concat", "n1 four m1", "to", axis=0),
            node("Transpose", "a", "t", perm=[0, 2, 1]),
            node("Reshape", "t to", allowzero=1),
        ],
        lambda a: a.transpose(0, 2, 1),
        3,
        {"zero": np.array([0]), "four": np.array([4]), "m1": np.array([-1])},
    ),
)


def check(case: Case, build: pathlib.Path, folder: pathlib.Path) -> "tuple[int, list[str]]":
    path = folder / f"{case.name}.onnx"
    onnx.save(case.model, path)
    dynamic = ampc.Model(
        compiler.compile_model(build, path, folder / f"{case.name}.so").library, threads=1
    )
    rng = np.random.default_rng(4)
    runs, errors = 0, []
    for sizes in itertools.product(SIZES, repeat=len(case.symbols)):
        values = dict(zip(case.symbols, sizes))
        feed = {
            name: rng.uniform(-2, 2, [values.get(d, d) for d in dims]).astype(np.float32)
            for name, dims in case.inputs.items()
        }
        # "-1" stands for a size that cannot be told when there are no elements.
        if case.name == "reshape_by_shape" and values["n"] == 0:
            continue
        where = f"{case.name} at {values}"
        runs += 1
        try:
            (actual,) = dynamic.run(feed)
        except ampc.Error as error:
            errors.append(f"{where}: {error}")
            continue
        with np.errstate(all="ignore"):
            expected = case.expected(*feed.values())
        if actual.shape != expected.shape:
            errors.append(f"{where}: shape {actual.shape}, not {expected.shape}")
            continue
        if not np.allclose(actual, expected, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
            errors.append(f"{where}: off by {np.abs(actual - expected).max():.1e}")
        # A compile a combination would take minutes; these show it.
        if len(set(sizes)) == len(sizes) and 0 not in sizes or set(sizes) in ({0}, {7}):
            library = folder / ("-".join(map(str, (case.name, *sizes))) + ".so")
            dims = [f"--dim={name}={size}" for name, size in values.items()]
            fixed = ampc.Model(
                compiler.compile_model(build, path, library, *dims).library, threads=1
            )
            if fixed.run(feed)[0].tobytes() != actual.tobytes():
                errors.append(f"{where}: compiled for these sizes it gives other bits")
    return runs, errors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--filter", default="", help="part of a case's name")
    options = parser.parse_args()
    total, errors = 0, []
    with tempfile.TemporaryDirectory(prefix="ampc-sizes-") as folder:
        for case in CASES:
            if options.filter not in case.name:
                continue
            try:
                runs, found = check(case, options.build, pathlib.Path(folder))
            except (RuntimeError, OSError) as error:
                runs, found = 0, [f"{case.name}: {error}"]
            print(f"{case.name:20s} {runs} sizes, {len(found)} failures", flush=True)
            total += runs
            errors += found
    for error in errors:
        print(f"FAIL {error}")
    print(f"odd sizes: {total} runs, {len(errors)} failures")
    return 1 if errors or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
