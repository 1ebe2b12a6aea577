"""Runs one model in one library in a process of its own: nothing that another library
does, threads that wait or memory it holds, is in the figures.

    worker.py LIBRARY FILE INPUTS.npz THREADS

Answers in lines of JSON: first what loading cost, then one for each line read, which is
"outputs FILE.npz", or "turn SECONDS" for the shortest time of runs in so long.
"""

import importlib
import json
import os
import pathlib
import sys
import time

import numpy as np

import machine  # noqa: F401  Finds what is imported below.


def resident(field: str) -> int:
    """VmRSS, or VmHWM, the most there was, in bytes."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    return 0


def main() -> None:
    name, file, inputs, threads = sys.argv[1:]
    # Before what looks at them when it is loaded.
    os.environ.update(TVM_NUM_THREADS=threads, OMP_NUM_THREADS=threads)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # What libraries print is no answer.

    def answer(**facts) -> None:
        print(json.dumps(facts), file=answers, flush=True)

    with np.load(inputs) as arrays:
        feed = {key: arrays[key] for key in arrays.files}
    import runners

    kind, module = runners.RUNNERS[name]
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # VmHWM starts anew.
    before = resident("VmRSS")
    importlib.import_module(module)
    start = time.perf_counter()
    runner = kind(pathlib.Path(file), feed, int(threads))
    seconds = time.perf_counter() - start
    answer(load_seconds=seconds, memory_bytes=resident("VmHWM") - before)
    from timing import shortest  # Not before: it imports onnxruntime.

    for line in sys.stdin:
        command, argument = line.split()
        if command == "outputs":
            np.savez(argument, *runner.outputs())
            answer()
        else:
            answer(seconds=shortest([runner.run], float(argument), turn=float(argument))[0])


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # Of any library: they share no type.
        lines = str(error).strip().splitlines() or [type(error).__name__]
        sys.exit(f"{type(error).__name__}: {lines[0]}")
