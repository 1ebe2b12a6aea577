"""Small models of kinds of fault that converters and compilers have shown, against what
numpy computes: shared and overridable initializers, stale shapes, functions, wide
integers, results while many threads run one model, memory while compiling.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import threading

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

import compiler
from compiler import ROOT

import ampc

X = np.random.default_rng(7).uniform(-2, 2, (4, 4)).astype(np.float32)
W = np.random.default_rng(8).uniform(-2, 2, (4, 4)).astype(np.float32)


def info(name, shape, dtype=T.FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def model(nodes, inputs, outputs, constants=(), ir_version=8, functions=(), **more):
    graph = helper.make_graph(
        nodes, "g", inputs, outputs, [numpy_helper.from_array(a, n) for n, a in dict(constants).items()], **more
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)]
    return helper.make_model(
        graph, opset_imports=opsets, ir_version=ir_version, functions=list(functions)
    )


class Build:
    def __init__(self, build, folder):
        self.build, self.folder, self.count = build, folder, 0

    def __call__(self, proto, *options):
        self.count += 1
        path = self.folder / f"{self.count}.onnx"
        path.write_bytes(proto.SerializeToString())
        return compiler.compile_model(self.build, path, path.with_suffix(".so"), *options)

    def run(self, proto, feed, *options):
        return ampc.Model(self(proto, *options).library, threads=1).run(feed)


def same(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5, strict=True)


def shared_weight(build):
    """One initializer for ops of different kinds, and as sizes and as factors."""
    nodes = [
        helper.make_node("Add", ["x", "w"], ["sum"]),
        helper.make_node("MatMul", ["x", "w"], ["product"]),
    ]
    proto = model(nodes, [info("x", ["n", 4])], [info("sum", [None, 4]), info("product", [None, 4])], {"w": W})
    total, product = build.run(proto, {"x": X})
    same(total, X + W)
    same(product, X @ W)
    image = X.reshape(1, 1, 4, 4)
    nodes = [
        helper.make_node("Resize", ["x", "", "s"], ["big"], mode="nearest"),
        helper.make_node("Mul", ["s", "v"], ["scaled"]),
    ]
    scales = np.array([1, 1, 2, 3], np.float32)
    proto = model(nodes, [info("x", [1, 1, "h", 4]), info("v", [4])],
                  [info("big", [None] * 4), info("scaled", [4])], {"s": scales})
    big, scaled = build.run(proto, {"x": image, "v": X[0]})
    same(big, image.repeat(2, 2).repeat(3, 3))
    same(scaled, scales * X[0])


def overridable_initializer(build):
    """Files of IR version 3 list weights as inputs, too: they are constants here, and
    the signature does not have them."""
    proto = model([helper.make_node("Add", ["x", "w"], ["y"])],
                  [info("x", [4, 4]), info("w", [4, 4])], [info("y", [4, 4])], {"w": W}, ir_version=3)
    library = ampc.Model(build(proto).library)
    assert [i.name for i in library.inputs] == ["x"], library.inputs
    same(library.run({"x": X})[0], X + W)


def local_functions(build):
    """Bodies with constants of their own, one that calls the other, twice each."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)]
    scale = helper.make_function("my", "Scale", ["a"], ["b"], [
        helper.make_node("Constant", [], ["half"], value_float=0.5),
        helper.make_node("Mul", ["a", "half"], ["b"])], opsets)
    twice = helper.make_function("my", "Twice", ["a"], ["b"], [
        helper.make_node("Scale", ["a"], ["half"], domain="my"),
        helper.make_node("Scale", ["half"], ["b"], domain="my")], opsets)
    proto = model([helper.make_node("Relu", ["x"], ["half"]), helper.make_node("Twice", ["half"], ["b"], domain="my"),
                   helper.make_node("Scale", ["b"], ["c"], domain="my"), helper.make_node("Neg", ["c"], ["y"])],
                  [info("x", [None, 4])], [info("y", [None, 4])], functions=[scale, twice])
    same(build.run(proto, {"x": X})[0], -np.maximum(X, 0) / 8)


def stale_value_info(build):
    """What a file says of inner values may be of another run, or of another model."""
    proto = model(
        [helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Cast", ["a"], ["c"], to=T.INT64),
         helper.make_node("Reshape", ["c", "shape"], ["y"])],
        [info("x", ["n", "m"])], [info("y", [1, 768], T.INT64)], {"shape": np.array([-1])},
        value_info=[info("a", [1, 1, 768], T.DOUBLE), info("c", [7], T.FLOAT16), info("none", [])],
    )
    for n, m in ((4, 4), (1, 3)):
        (y,) = build.run(proto, {"x": X[:n, :m]})
        np.testing.assert_array_equal(y, np.maximum(X[:n, :m], 0).astype(np.int64).reshape(-1), strict=True)


def wide_integers(build):
    """Indices of int64 stay so, in arithmetic beyond 32 bits and counted from the end."""
    nodes = [
        helper.make_node("Mul", ["i", "wide"], ["far"]),
        helper.make_node("Div", ["far", "wide"], ["back"]),
        helper.make_node("Gather", ["x", "back"], ["y"]),
    ]
    outputs = [info("far", [None], T.INT64), info("y", [None, 4])]
    proto = model(nodes, [info("x", ["n", 4]), info("i", ["k"], T.INT64)], outputs, {"wide": np.array(2**33)})
    index = np.array([-1, 0, 3, -4, 1])
    far, y = build.run(proto, {"x": X, "i": index})
    np.testing.assert_array_equal(far, index * 2**33, strict=True)
    np.testing.assert_array_equal(y, X[index], strict=True)
    # 2^33 is 0 in 32 bits, and no index here.
    proto = model([helper.make_node("Gather", ["x", "i"], ["y"])], proto.graph.input, outputs[1:])
    try:
        build.run(proto, {"x": X, "i": np.array([2**33])})
    except ampc.Error:
        return
    # Out of range is undefined in ONNX: an element at an end would do, but not the first.
    (y,) = build.run(proto, {"x": X, "i": np.array([2**33])})
    np.testing.assert_array_equal(y, X[-1:])


def static_and_dynamic(build):
    """One answer, to the bit, and signatures that say which sizes are open."""
    inputs = lambda n, m: [info("a", [n, 12, m, 64]), info("b", [n, 12, 64, m])]
    product = [helper.make_node("MatMul", ["a", "b"], ["p"]), helper.make_node("Softmax", ["p"], ["s"]),
               helper.make_node("Shape", ["s"], ["shape"]), helper.make_node("Gather", ["shape", "axes"], ["to"]),
               helper.make_node("Reshape", ["s", "to"], ["y"], allowzero=1)]
    constants = {"axes": np.array([1, 0, 3, 2])}
    make = lambda n, m: model(product, inputs(n, m), [info("y", [None] * 4)], constants)
    dynamic = ampc.Model(build(make("n", "m")).library, threads=1)
    assert [i.shape for i in dynamic.inputs] == [("n", 12, "m", 64), ("n", 12, 64, "m")]
    assert [i.shape for i in dynamic.outputs] == [(12, "n", "m", "m")], dynamic.outputs
    random = np.random.default_rng(9)
    for n, m in ((1, 1), (2, 7), (7, 1), (0, 2), (2, 0)):
        a = random.uniform(-1, 1, (n, 12, m, 64)).astype(np.float32)
        b = random.uniform(-1, 1, (n, 12, 64, m)).astype(np.float32)
        static = ampc.Model(build(make(n, m)).library, threads=1)
        assert static.outputs[0].shape == (12, n, m, m)
        left, right = dynamic.run([a, b])[0], static.run([a, b])[0]
        assert left.tobytes() == right.tobytes() and left.shape == right.shape, (n, m)
    try:
        dynamic.run([np.zeros((2, 12, 3, 64), np.float32), np.zeros((3, 12, 64, 3), np.float32)])
    except ampc.Error as error:
        assert "n" in str(error)
    else:
        raise AssertionError("sizes of one name that differ were accepted")


def threads(build):
    """Eight threads on one model, each with inputs of its own and sizes that change,
    one of them from memory that is not aligned."""
    proto = model([helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Relu", ["a"], ["r"]),
                   helper.make_node("Softmax", ["r"], ["y"])],
                  [info("x", ["n", 4])], [info("y", [None, 4])], {"w": W})
    shared = ampc.Model(build(proto).library, threads=2)
    wrong = []

    def work(seed):
        random = np.random.default_rng(seed)
        for i in range(1000):
            bytes_ = np.zeros(4 * 4 * 9 + 4, np.uint8)
            x = bytes_[4 * (seed % 2):][: 4 * 4 * (1 + i % 9)].view(np.float32).reshape(-1, 4)
            x[...] = random.uniform(-2, 2, x.shape)
            e = np.maximum(x @ W, 0)
            e = np.exp(e - e.max(-1, keepdims=True))
            y = shared.run([x])[0]
            if not np.allclose(y, e / e.sum(-1, keepdims=True), atol=1e-5):
                wrong.append((seed, i))

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong, wrong[:5]


LARGE = 75 * 2**20  # Elements.


def write_large(path):
    proto = model([helper.make_node("Mul", ["x", "w"], ["y"])], [info("x", [1])], [info("y", [LARGE])],
                  {"w": np.arange(LARGE, dtype=np.float32)})
    onnx.save(proto, path)


def memory(build):
    """A weight of 300 MB takes no more than three times that to compile, and the library
    and its weights may be moved together and run from elsewhere."""
    path = build.folder / "large.onnx"
    # Not by this process, whose memory would count as its children's.
    subprocess.run([sys.executable, __file__, "--write-large", path], check=True)
    for options in ([], ["--external-weights"]):
        compiled = compiler.compile_model(build.build, path, build.folder / "large.so", *options)
        assert compiled.peak_bytes < 3 * 4 * LARGE, f"{compiled.peak_bytes / 1e6:.0f} MB"
    moved = build.folder / "moved"
    moved.mkdir()
    for path in (compiled.library, pathlib.Path(f"{compiled.library}.weights")):
        path.rename(moved / path.name)
    script = ("import sys; sys.path.insert(0, sys.argv[1]); import ampc, numpy as np; "
              "y = ampc.Model(sys.argv[2], threads=1).run([np.full(1, 2, np.float32)])[0]; "
              "assert y[-1] == 2 * np.float32(y.size - 1), y[-1]")
    subprocess.run([sys.executable, "-c", script, str(ROOT / "python"), str(moved / compiled.library.name)],
                   check=True, cwd="/")


CHECKS = (shared_weight, overridable_initializer, local_functions, stale_value_info, wide_integers,
          static_and_dynamic, threads, memory)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--filter", default="", help="part of a check's name")
    parser.add_argument("--write-large", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write_large:
        write_large(options.write_large)
        return 0
    checks = [check for check in CHECKS if options.filter in check.__name__]
    failures = 0
    # Not in /tmp, which may be memory.
    with tempfile.TemporaryDirectory(dir=options.build, prefix="faults-") as name:
        for check in checks:
            try:
                folder = pathlib.Path(name) / check.__name__
                folder.mkdir()
                check(Build(options.build, folder))
            except Exception as error:  # Of any kind: one failure is one line.
                failures += 1
                print(f"FAIL {check.__name__}: {type(error).__name__}: {str(error).strip()[:300]}")
    print(f"fault cases: {len(checks)}, {failures} failures")
    return 1 if failures or not checks else 0


if __name__ == "__main__":
    sys.exit(main())
