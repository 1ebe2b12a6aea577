"""How long calls take on a machine that is not alone, and onnxruntime to compare with."""

import pathlib
import time
from typing import Callable, Sequence

import numpy as np
import onnxruntime


def shortest(
    calls: Sequence[Callable[[], object]],
    seconds: float,
    turn: float = 0.0,
    clock: Callable[[], float] = time.perf_counter,
) -> "list[float]":
    """The shortest time of each call, in seconds. They take turns for `seconds`, so that
    other load hits all alike, and it makes single calls longer, never shorter. A turn is
    one call, and more until it has taken `turn` seconds. `clock` times the calls."""
    best = [np.inf] * len(calls)
    end = time.perf_counter() + seconds
    while True:
        for index, call in enumerate(calls):
            begin = start = clock()
            while True:
                call()
                now = clock()
                best[index] = min(best[index], now - start)
                if now - begin >= turn:
                    break
                start = now
        if time.perf_counter() >= end:
            return best


def cpu_session(
    model: "pathlib.Path | str", threads: int = 1, profile: str = ""
) -> onnxruntime.InferenceSession:
    """`profile` is how the name of a file begins, to write the times of nodes to."""
    options = onnxruntime.SessionOptions()
    if profile:
        options.enable_profiling, options.profile_file_prefix = True, profile
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        str(model), options, providers=["CPUExecutionProvider"]
    )
