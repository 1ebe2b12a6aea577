"""Calls ampc and says what it cost."""

import os
import pathlib
import subprocess
import sys
import time
from typing import NamedTuple

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python"))


class Compiled(NamedTuple):
    library: pathlib.Path
    seconds: float
    peak_bytes: int  # Resident, of ampc or of the linker it starts.
    size: int  # Of the library.


def compile_model(
    build: pathlib.Path, model: pathlib.Path, library: pathlib.Path, *options: str
) -> Compiled:
    command = [str(build / "bin" / "ampc"), str(model), "-o", str(library), *options]
    start = time.perf_counter()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit code {process.returncode}")
    return Compiled(library, seconds, usage.ru_maxrss * 1024, library.stat().st_size)
