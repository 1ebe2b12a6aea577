"""How long the parts of one model take in one library, as the library itself says."""

import collections
import json
import pathlib
import subprocess
import tempfile
import time
from typing import NamedTuple

import numpy as np

import machine  # noqa: F401  Finds what is imported below.


WARM = 2  # Runs that do not count.


class Part(NamedTuple):
    """What a library computes as a whole."""

    name: str  # The library's.
    op: str  # The library's too.
    nodes: "tuple[str, ...]"  # That it computes; what the library says of their names.
    microseconds: float  # In a run, the mean.


def least(rounds: "list[tuple[list[Part], float]]") -> "tuple[list[Part], float]":
    """Of what each round says, the least."""
    found = {}
    for parts, _ in rounds:
        seen = collections.Counter()
        for part in parts:
            key = part._replace(microseconds=0)
            seen[key] += 1
            key = (*key, seen[key])
            if key not in found or part.microseconds < found[key].microseconds:
                found[key] = part
    return list(found.values()), min(wall for _, wall in rounds)


def ampc(build, library, feed, threads, runs) -> "tuple[list[Part], float]":
    """What --profile has recorded, as ampc-run writes it."""
    with tempfile.TemporaryDirectory(prefix="ampc-profile-") as folder:
        out = pathlib.Path(folder) / "profile.json"
        command = [str(build / "bin" / "ampc-run"), str(library), f"--threads={threads}",
                   f"--repeat={runs}", f"--profile-json={out}"]
        for index, (name, array) in enumerate(feed.items()):
            file = pathlib.Path(folder) / f"{index}.npy"
            np.save(file, array)
            command += ["--input", f"{name}={file}"]
        process = subprocess.run(command, capture_output=True, text=True)
        if process.returncode:
            raise RuntimeError(process.stderr.strip())
        profile = json.loads(out.read_text())
    parts = []
    for launch in profile["launches"]:
        # What the compiler adds has the name of the node that it is for.
        computed = [n for n in launch["nodes"] if n["op"] not in ("layout change", "padding")]
        ops = {n["op"] for n in computed or launch["nodes"]}
        op = launch["kernel"].rpartition("_")[0]
        if len(ops) == 1 and (op == "pointwise" or ops <= {"LSTM", "GRU", "RNN"}):
            op = ops.pop()
        nodes = tuple(n["name"] for n in computed)
        parts.append(Part(launch["kernel"], op, nodes, launch["mean_us"]))
    return parts, profile["wall_mean_us"]


def onnxruntime(_, file, feed, threads, runs) -> "tuple[list[Part], float]":
    """Its times are whole microseconds, rounded down."""
    from runners import OnnxRuntime

    with tempfile.TemporaryDirectory(prefix="ampc-profile-") as folder:
        runner = OnnxRuntime(file, feed, threads, profile=f"{folder}/run")
        for _ in range(WARM - 1 + runs):  # One was run already.
            runner.run()
        events = json.loads(pathlib.Path(runner.session.end_profiling()).read_text())
    whole = sorted((e["ts"], e["dur"]) for e in events if e["name"] == "model_run")[WARM:]
    times = collections.Counter()
    for event in events:
        if (event["cat"] == "Node" and event["name"].endswith("_kernel_time")
                and event["ts"] >= whole[0][0]):
            name, args = event["name"].removesuffix("_kernel_time"), event["args"]
            times[name, args["op_name"], args["node_index"]] += event["dur"]
    parts = [Part(name, op, (name,), total / runs) for (name, op, _), total in times.items()]
    return parts, sum(duration for _, duration in whole) / runs


def openvino(_, file, feed, threads, runs) -> "tuple[list[Part], float]":
    """It gives means of all runs so far, in whole microseconds; one was run already."""
    from runners import OpenVino

    runner = OpenVino(file, feed, threads, PERF_COUNT=True)

    def times(count: int) -> "collections.Counter":
        """Of `count` runs, together."""
        found = collections.Counter()
        for part in runner.request.get_profiling_info():
            if part.status == part.Status.EXECUTED:
                mean = part.real_time.total_seconds() * 1e6
                found[part.node_name, part.node_type] += mean * count
        return found

    for _ in range(WARM - 1):
        runner.run()
    before, start = times(WARM), time.perf_counter()
    for _ in range(runs):
        runner.run()
    wall, after = (time.perf_counter() - start) / runs, times(WARM + runs)
    sources = {}
    for op in runner.request.get_compiled_model().get_runtime_model().get_ops():
        info = op.get_rt_info()
        if "originalLayersNames" in info:
            sources[op.get_friendly_name()] = info["originalLayersNames"].astype(str).split(",")
    parts = []
    for (name, op), total in after.items():
        mean = max(total - before[name, op], 0) / runs
        parts.append(Part(name, op, (name, *filter(None, sources.get(name, ()))), mean))
    return parts, wall * 1e6


PROFILERS = {"ampc": ampc, "onnxruntime": onnxruntime, "openvino": openvino}
