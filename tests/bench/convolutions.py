"""Convolutions, one thread: the share of the FMA peak and the time of onnxruntime, in
chains of equal layers, so that what it takes to enter and leave a layout hardly counts.

    convolutions.py [--filter=NAME] [--seconds=2]

The three take turns, and the shortest time of each counts: other load on the machine
makes single runs longer, never shorter.
"""

import argparse
import ctypes
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "models"), str(ROOT / "python")]
import compiler  # noqa: E402

import ampc  # noqa: E402

# name: layers, channels in and out, rows, columns, filter, stride, groups
SHAPES = {
    "3x3 64 @56": (6, 64, 64, 56, 56, 3, 1, 1),
    "3x3 128 @28": (6, 128, 128, 28, 28, 3, 1, 1),
    "3x3 256 @14": (6, 256, 256, 14, 14, 3, 1, 1),
    "3x3 512 @7": (4, 512, 512, 7, 7, 3, 1, 1),
    "1x1 256 @14": (8, 256, 256, 14, 14, 1, 1, 1),
    "1x1 96 @40": (8, 96, 96, 40, 40, 1, 1, 1),
    "3x3 32 @80": (6, 32, 32, 80, 80, 3, 1, 1),
    "3x3 16 @160": (6, 16, 16, 160, 160, 3, 1, 1),
    "3x3 24 @80": (6, 24, 24, 80, 80, 3, 1, 1),
    "7x7/2 3->64 @224": (1, 3, 64, 224, 224, 7, 2, 1),
    "dw 3x3 96 @112": (6, 96, 96, 112, 112, 3, 1, 96),
    "dw 5x5 192 @20": (6, 192, 192, 20, 20, 5, 1, 192),
}


def write_chain(file: pathlib.Path, shape) -> "tuple[list[int], float]":
    """Writes the model; returns its input's shape and its floating-point operations."""
    layers, channels, out, height, width, size, stride, groups = shape
    random = np.random.default_rng(1)
    nodes, weights, flops = [], [], 0.0
    value, entry = "x", [1, channels, height, width]
    for i in range(layers):
        taps = channels // groups * size * size
        filters = random.standard_normal((out, channels // groups, size, size))
        filters = (filters / taps**0.5).astype(np.float32)
        weights += [
            onnx.numpy_helper.from_array(filters, f"w{i}"),
            onnx.numpy_helper.from_array(np.full(out, 0.1, np.float32), f"b{i}"),
        ]
        nodes.append(
            helper.make_node(
                "Conv",
                [value, f"w{i}", f"b{i}"],
                [f"c{i}"],
                pads=[size // 2] * 4,
                strides=[stride] * 2,
                group=groups,
            )
        )
        nodes.append(helper.make_node("Relu", [f"c{i}"], [f"r{i}"]))
        value = f"r{i}"
        height, width = (height - 1) // stride + 1, (width - 1) // stride + 1
        flops += 2.0 * out * height * width * taps
    graph = helper.make_graph(
        nodes,
        "chain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, entry)],
        [helper.make_tensor_value_info(value, TensorProto.FLOAT, [1, out, height, width])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, file)
    return entry, flops


def load_peak(folder: pathlib.Path):
    library = folder / "peak.so"
    source = pathlib.Path(__file__).with_name("peak.c")
    command = ["cc", "-O2", "-mavx2", "-mfma", "-funroll-loops", "-shared", "-fPIC"]
    subprocess.run([*command, str(source), "-o", str(library)], check=True)
    peak = ctypes.CDLL(str(library))
    peak.peak_flops.restype, peak.peak_run.restype = ctypes.c_double, ctypes.c_float
    peak.peak_flops.argtypes = peak.peak_run.argtypes = [ctypes.c_long]
    return peak


def shortest(calls, seconds: float) -> "list[float]":
    best = [np.inf] * len(calls)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for index, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[index] = min(best[index], time.perf_counter() - start)
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--filter", default="")
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    print(f"{'convolution':18s} {'ms':>8s} {'GFLOP/s':>8s} {'of peak':>8s} {'onnxruntime':>12s}")
    steps = 20000
    with tempfile.TemporaryDirectory(prefix="ampc-bench-") as name:
        folder = pathlib.Path(name)
        peak = load_peak(folder)
        for index, (title, shape) in enumerate(SHAPES.items()):
            if options.filter not in title:
                continue
            file = folder / f"{index}.onnx"
            entry, flops = write_chain(file, shape)
            compiled = compiler.compile_model(options.build, file, file.with_suffix(".so"))
            model = ampc.Model(compiled.library, threads=1)
            session_options = onnxruntime.SessionOptions()
            session_options.intra_op_num_threads = 1
            session = onnxruntime.InferenceSession(
                str(file), session_options, providers=["CPUExecutionProvider"]
            )
            feed = {"x": np.random.default_rng(2).standard_normal(entry).astype(np.float32)}
            expected, actual = session.run(None, feed)[0], model.run(feed)[0]
            error = np.abs(expected - actual).max() / np.abs(expected).max()
            if not error < 1e-4:
                print(f"{title}: is off by {error:.1e}")
                return 1
            ours, theirs, best = shortest(
                [
                    lambda: model.run(feed),
                    lambda: session.run(None, feed),
                    lambda: peak.peak_run(steps),
                ],
                options.seconds,
            )
            rate = flops / ours
            share = rate / (peak.peak_flops(steps) / best)
            print(
                f"{title:18s} {ours * 1e3:8.2f} {rate / 1e9:8.1f} {share:8.0%} "
                f"{theirs / ours:11.2f}x",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
