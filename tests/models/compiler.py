"""Calls ampc and says what it cost."""

import pathlib
import subprocess
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python"))


class Compiled(NamedTuple):
    library: pathlib.Path
    seconds: float
    peak_bytes: int  # Resident, of ampc or of the linker it starts.
    size: int  # Of the library.


# Run by a small process: what a process had resident before it became another program
# counts for that program too, and a test may hold much.
MEASURE = """
import resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=sys.stderr).returncode
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code != 0)
"""


def compile_model(
    build: pathlib.Path, model: pathlib.Path, library: pathlib.Path, *options: str
) -> Compiled:
    command = [str(build / "bin" / "ampc"), str(model), "-o", str(library), *options]
    process = subprocess.run(
        [sys.executable, "-c", MEASURE, *command], stdout=subprocess.PIPE, text=True
    )
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: failed")
    seconds, peak = process.stdout.split()
    return Compiled(library, float(seconds), int(peak) * 1024, library.stat().st_size)
