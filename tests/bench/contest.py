"""One model in several libraries: compiled, compared with ampc, and timed in turns."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import prepare

import compiler
from real_models import difference

HERE = pathlib.Path(__file__).parent
# Of the largest value of an output. Peers approximate some functions more coarsely.
TOLERANCE = 1e-3
TURN = 0.1  # Seconds.
COMPILE_LIMIT = 1800  # Seconds for one model.


class Worker:
    """A library with a model in a process of its own. RuntimeError where it cannot."""

    def __init__(self, peer: str, file: pathlib.Path, inputs: pathlib.Path, threads: int):
        command = [sys.executable, str(HERE / "worker.py"), peer, str(file), str(inputs)]
        self._errors = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(
            [*command, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._errors, text=True,
        )
        try:
            self.loaded = self._answer()
        except RuntimeError:
            self.close()
            raise

    def _answer(self) -> dict:
        line = self._process.stdout.readline()
        if line:
            return json.loads(line)
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines()
        raise RuntimeError(lines[-1] if lines and code > 0 else f"ended with code {code}")

    def ask(self, *words: object) -> dict:
        try:
            self._process.stdin.write(" ".join(map(str, words)) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # The answer says why.
        return self._answer()

    def outputs(self, folder: pathlib.Path) -> "list[np.ndarray]":
        file = folder / "outputs.npz"
        self.ask("outputs", file)
        with np.load(file) as arrays:
            return [arrays[f"arr_{i}"] for i in range(len(arrays.files))]

    def close(self) -> None:
        self._process.stdin.close()
        self._process.stdout.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()


def compile_for(
    peer: str, source: pathlib.Path, fixed: pathlib.Path, options
) -> "tuple[pathlib.Path, float]":
    """The file that the library loads, and the seconds it took to make."""
    if peer == "ampc":
        library = fixed.with_suffix(".ampc.so")
        chosen = fixed if options.static else source
        compiled = compiler.compile_model(options.build, chosen, library)
        return compiled.library, compiled.seconds
    if peer not in prepare.COMPILERS:
        return fixed, 0.0
    file = fixed.with_suffix(f".{peer}{prepare.COMPILERS[peer][1]}")
    start = time.perf_counter()
    worker = [sys.executable, str(HERE / "prepare.py"), peer, str(fixed), str(file)]
    try:
        process = subprocess.run(worker, capture_output=True, text=True, timeout=COMPILE_LIMIT)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"compiles for more than {COMPILE_LIMIT} s") from None
    if process.returncode:
        lines = process.stderr.strip().splitlines()
        raise RuntimeError(lines[-1] if lines else f"ended with code {process.returncode}")
    return file, time.perf_counter() - start


def check(actual: "list[np.ndarray]", expected: "list[np.ndarray]") -> float:
    """The largest relative difference. RuntimeError if it is no rounding."""
    if len(actual) != len(expected):
        raise RuntimeError(f"gives {len(actual)} outputs, not {len(expected)}")
    try:
        worst = max(difference(a, b) for a, b in zip(actual, expected))
    except AssertionError as error:
        raise RuntimeError(f"gives an output of another type: {error}") from None
    if not worst <= TOLERANCE:
        raise RuntimeError(f"differs from ampc by {worst:.1e} of the largest value: not timed")
    return worst


def entrants(file: pathlib.Path, feed: dict, folder: pathlib.Path, options) -> "tuple[dict, dict]":
    """Compiles the model for each library: by name, (file, seconds); and for those that
    cannot, why."""
    fixed = prepare.fix_sizes(file, feed, folder / f"{file.stem}.fixed.onnx")
    ready, reasons = {}, {}
    for peer in ("ampc", *options.peers):
        try:
            ready[peer] = compile_for(peer, file, fixed, options)
        except RuntimeError as error:
            reasons[peer] = str(error)
            if peer == "ampc":
                break
    return ready, reasons


def contest(
    ready: dict, feed: dict, threads: int, folder: pathlib.Path, options
) -> "tuple[list[dict], dict]":
    """A row for each library, ampc's first; and for those that have none, why."""
    inputs, workers, rows, reasons = folder / "inputs.npz", {}, {}, {}
    np.savez(inputs, **feed)
    try:
        for peer, (file, seconds) in ready.items():
            try:
                worker = workers[peer] = Worker(peer, file, inputs, threads)
                outputs = worker.outputs(folder)
                expected = outputs if peer == "ampc" else expected
                rows[peer] = {
                    "library": peer,
                    "threads": threads,
                    "seconds": np.inf,
                    "compile_seconds": seconds,
                    "file_bytes": file.stat().st_size,
                    "difference": check(outputs, expected),
                    **worker.loaded,
                }
            except RuntimeError as error:
                reasons[peer] = str(error)
                if peer == "ampc":
                    return [], reasons
        end = time.perf_counter() + options.seconds * len(rows)
        while rows and time.perf_counter() < end:
            for peer, row in list(rows.items()):
                try:
                    row["seconds"] = min(row["seconds"], workers[peer].ask("turn", TURN)["seconds"])
                except RuntimeError as error:
                    reasons[peer] = str(error)
                    del rows[peer]
        return list(rows.values()), reasons
    finally:
        for worker in workers.values():
            worker.close()
