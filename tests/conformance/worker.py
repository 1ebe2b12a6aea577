"""Runs conformance tests one after the other: reads names on stdin, writes a line
of JSON for each, {"name", "outcome", "message"}, to stdout.

Outcomes: pass; unsupported (the compiler refused, as it should when it cannot);
crash (the compiler died); run (the compiled model reported an error); wrong.
A worker may die or hang in compiled code: run.py sees to that.
"""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python"))

import ampc  # noqa: E402
import cases  # noqa: E402

RTOL, ATOL = 1e-3, 1e-7  # The suite's own.


class Failure(Exception):
    def __init__(self, outcome: str, message: str):
        super().__init__(message)
        self.outcome = outcome


def compile_model(
    compiler: str, model: pathlib.Path, library: pathlib.Path, options: "list[str]"
) -> None:
    library.unlink(missing_ok=True)
    process = subprocess.run(
        [compiler, str(model), "-o", str(library), *options],
        capture_output=True,
        text=True,
        errors="replace",
    )
    message = process.stderr.strip().replace(str(model), "model.onnx")
    if process.returncode == 0:
        if not library.exists():
            raise Failure("crash", "exit code 0 without a library")
        return
    if library.exists():
        raise Failure("crash", "a library is left after an error")
    if process.returncode != 1 or not message:
        raise Failure("crash", f"exit code {process.returncode}\n{message}")
    raise Failure("unsupported", message)


def compare(index: int, actual: np.ndarray, expected) -> None:
    """As the suite's own runner does."""
    where = f"output {index}: "
    if not isinstance(expected, np.ndarray):
        raise Failure("wrong", where + f"expected a {type(expected).__name__}")
    if actual.dtype != expected.dtype:
        raise Failure("wrong", where + f"{actual.dtype}, not {expected.dtype}")
    if actual.shape != expected.shape:
        raise Failure("wrong", where + f"shape {actual.shape}, not {expected.shape}")
    rtol = RTOL
    if expected.dtype.kind not in "biufc":  # Of ml_dtypes; numpy cannot compare them.
        if expected.dtype.name == "bfloat16":
            rtol = 2**-6  # Two units in the last place.
        actual, expected = actual.astype(np.float32), expected.astype(np.float32)
    close = np.isclose(actual, expected, rtol=rtol, atol=ATOL, equal_nan=True)
    if not close.all():
        at = np.unravel_index(np.argmin(close), close.shape)
        raise Failure(
            "wrong",
            where + f"{np.size(close) - np.count_nonzero(close)} of {close.size} "
            f"elements differ, first {actual[at]} not {expected[at]} at "
            f"{tuple(int(i) for i in at)}",
        )


def run(compiler: str, folder: pathlib.Path, name: str, library: pathlib.Path) -> None:
    inputs, expected, options = cases.load(folder, name)
    compile_model(compiler, folder / name / "model.onnx", library, options)
    expected = cases.tensors(expected)
    try:
        outputs = ampc.Model(library, threads=1).run(cases.tensors(inputs))
    except (ampc.Error, OSError) as error:
        raise Failure("run", str(error)) from None
    if len(outputs) != len(expected):
        raise Failure("wrong", f"{len(outputs)} outputs, not {len(expected)}")
    for index, pair in enumerate(zip(outputs, expected)):
        compare(index, *pair)


def main(compiler: str, folder: pathlib.Path, scratch: pathlib.Path) -> None:
    for number, line in enumerate(sys.stdin):
        name = line.strip()
        # A new name each time: dlopen would return the old library for an old one.
        library = scratch / f"{os.getpid()}-{number}.so"
        outcome, message = "pass", ""
        try:
            run(compiler, folder, name, library)
        except Failure as failure:
            outcome, message = failure.outcome, str(failure)
        library.unlink(missing_ok=True)
        print(
            json.dumps({"name": name, "outcome": outcome, "message": message}),
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
