"""The machine that benchmarks run on: what it is, and what one of its cores can do."""

import ctypes
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "models"), str(ROOT / "python")]

FEATURES = ("avx2", "fma", "avx512f", "avx512_bf16", "avx512_fp16", "amx_tile")


def describe() -> dict:
    """For the head of a table; `load` is what else runs here, in processes."""
    facts = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        facts.setdefault(name.strip(), value.strip())
    flags = facts.get("flags", "").split()
    return {
        "cpu": facts.get("model name", "unknown"),
        "cores": len(os.sched_getaffinity(0)),
        "features": [name for name in FEATURES if name in flags],
        "load": round(os.getloadavg()[0], 2),
    }


def headline() -> str:
    facts = describe()
    text = f"{facts['cpu']}, {facts['cores']} cores, {' '.join(facts['features'])}"
    if facts["load"] > 0.5:
        text += f"\nnot calm: the load was {facts['load']} before this began"
    return text


def require_ampc(build: pathlib.Path) -> None:
    if not (build / "bin" / "ampc").is_file():
        sys.exit(f"no ampc in {build / 'bin'}: build it, or give another folder by --build")


class Peak:
    """peak.c, compiled for this machine. One call of `multiply` is `flops` floating-point
    operations; `read(array, n)` reads it n times."""

    STEPS = 20000

    def __init__(self, folder: pathlib.Path):
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            raise RuntimeError("no C compiler (cc) to measure the machine's peak with")
        library = folder / "peak.so"
        source = pathlib.Path(__file__).with_name("peak.c")
        options = ["-O2", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC"]
        subprocess.run([compiler, *options, str(source), "-o", str(library)], check=True)
        self._library = ctypes.CDLL(str(library))
        self._library.peak_flops.restype = ctypes.c_double
        self._library.peak_name.restype = ctypes.c_char_p
        self._library.peak_run.argtypes = self._library.peak_flops.argtypes = [ctypes.c_long]
        self._library.peak_read.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long]
        self.flops = self._library.peak_flops(self.STEPS)
        self.name = self._library.peak_name().decode()

    def multiply(self) -> None:
        self._library.peak_run(self.STEPS)

    def read(self, array: np.ndarray, times: int) -> None:
        self._library.peak_read(array.ctypes.data, array.nbytes // 4, times)
