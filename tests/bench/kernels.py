"""Kernels on one thread: the share of the machine's peak, and the time of onnxruntime.

    kernels.py [--filter=NAME] [--seconds=2] [--json=FILE] [--keep=FOLDER]
               [--cpu-time]

ampc, onnxruntime and the peak take turns, and the shortest time of each counts: other load
on the machine makes single runs longer, never shorter. The limit is the multiply-adds of
one core on its widest vectors, or, where data is what takes the time, reading as many bytes
by a loop that does nothing else. Both libraries get their inputs and outputs beforehand.
What is kept are the models and their libraries, which ampc-benchmark times from C.
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile
import time

import numpy as np
import onnx

import machine
from kernel_models import KERNELS, Kernel
from machine import ROOT
from runners import Ampc, OnnxRuntime

import compiler
from real_models import TOLERANCE, difference
from timing import shortest


def measure(
    title: str, kernel: Kernel, peak: machine.Peak, folder: pathlib.Path, options
) -> dict:
    file = folder / (re.sub("[^A-Za-z0-9]+", "-", title) + ".onnx")
    onnx.save(kernel.model, file)
    compiled = compiler.compile_model(options.build, file, file.with_suffix(".so"))
    ours = Ampc(compiled.library, kernel.feed, threads=1)
    theirs = OnnxRuntime(file, kernel.feed, threads=1)
    (actual,), (expected,) = ours.outputs(), theirs.outputs()
    error = difference(actual, expected)
    if not error <= TOLERANCE:
        raise RuntimeError(f"is off by {error:.1e} of the largest value")
    data = np.ones(kernel.read // 4, np.float32)
    # What takes less than a call from Python is read several times in one.
    times = max(1, (1 << 20) // max(1, kernel.read))
    limit = (lambda: peak.read(data, times)) if kernel.read else peak.multiply
    mine, other, best = shortest(
        [ours.run, theirs.run, limit],
        options.seconds,
        turn=2e-3,
        clock=time.thread_time if options.cpu_time else time.perf_counter,
    )
    if kernel.read:
        share, rate = best / times / mine, kernel.read * times / best
    else:
        rate = peak.flops / best
        share = kernel.flops / mine / rate
    return {
        "kernel": title,
        "seconds": mine,
        "flops_per_second": kernel.flops / mine,
        "limit": "read" if kernel.read else "multiply",
        "limit_per_second": rate,
        "share_of_limit": share,
        "onnxruntime_seconds": other,
        "error": error,
    }


def line(row: dict) -> str:
    unit = "GB/s" if row["limit"] == "read" else "GFLOP/s"
    limit = f"{row['limit_per_second'] / 1e9:.1f} {unit}"
    flops = row["flops_per_second"] / 1e9
    return (
        f"{row['kernel']:22s} {row['seconds'] * 1e3:9.4f} {f'{flops:.1f}' if flops else '-':>8s} "
        f"{row['share_of_limit']:6.0%} of {limit:14s} "
        f"{row['onnxruntime_seconds'] / row['seconds']:8.2f}x"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--filter", default="", help="part of a kernel's name")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each kernel")
    parser.add_argument("--json", type=pathlib.Path, help="file to write the results to")
    parser.add_argument(
        "--cpu-time", action="store_true", help="count only the time that the thread had a core"
    )
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the models")
    options = parser.parse_args()
    chosen = {title: how for title, how in KERNELS.items() if options.filter in title}
    if not chosen:
        sys.exit(f"kernels.py: no kernel matches {options.filter!r}")
    machine.require_ampc(options.build)
    rows, failures = [], 0
    with tempfile.TemporaryDirectory(prefix="ampc-bench-") as name:
        folder = options.keep or pathlib.Path(name)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            peak = machine.Peak(pathlib.Path(name))
        except (RuntimeError, OSError) as error:
            sys.exit(f"kernels.py: {error}")
        print(f"{machine.headline()}\npeak: {peak.name}\n")
        print(f"{'kernel':22s} {'ms':>9s} {'GFLOP/s':>8s} {'limit':>24s} {'onnxruntime':>15s}")
        for title, (make, shape) in chosen.items():
            try:
                rows.append(measure(title, make(*shape), peak, folder, options))
                print(line(rows[-1]), flush=True)
            except (RuntimeError, OSError, AssertionError) as error:
                print(f"{title}: {error}", flush=True)
                failures += 1
    if options.json:
        facts = {"machine": machine.describe(), "vectors": peak.name, "kernels": rows}
        options.json.write_text(json.dumps(facts, indent=1) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
