"""Control flow, recurrent layers and sizes that only the run knows, against
onnxruntime. Each model is compiled once and run at several sizes."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnx.parser
import onnxruntime

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python"))

import ampc  # noqa: E402
import models  # noqa: E402

TOLERANCE = 1e-5  # Of the largest element.


def reference(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def differs(actual: np.ndarray, expected: np.ndarray) -> str:
    if actual.dtype != expected.dtype:
        return f"type {actual.dtype}, not {expected.dtype}"
    # onnxruntime gives zeros for the sizes of elements that no iteration scanned.
    nothing = not any(actual.shape[:1]) and not any(expected.shape) and actual.ndim == expected.ndim
    if actual.shape != expected.shape and not (actual.ndim > 1 and nothing):
        return f"shape {actual.shape}, not {expected.shape}"
    if not expected.size or np.array_equal(actual, expected, equal_nan=expected.dtype.kind == "f"):
        return ""
    if expected.dtype.kind != "f":
        return "values differ"
    scale = np.abs(expected[np.isfinite(expected)]).max(initial=1e-30)
    error = np.abs(actual - expected).max() / scale
    return "" if error <= TOLERANCE else f"off by {error:.2e} of the largest element"


class Compiled:
    def __init__(self, compiler: pathlib.Path, folder: pathlib.Path, name: str, text: str):
        self.proto = onnx.parser.parse_model(models.HEADER + text)
        path = folder / f"{name.replace(' ', '-')}.onnx"
        onnx.save(self.proto, path)
        done = subprocess.run(
            [compiler, path, "-o", path.with_suffix(".so")], capture_output=True, text=True
        )
        self.error = done.stderr.strip() if done.returncode else ""
        self.model = None if self.error else ampc.Model(path.with_suffix(".so"), threads=2)


def check(compiled: Compiled, runs: list) -> "list[str]":
    if compiled.error:
        return [compiled.error]
    session = reference(compiled.proto)
    names = [value.name for value in session.get_inputs()]
    faults = []
    # The first once more, with memory that was laid out for others in between.
    for inputs in runs + runs[:1]:
        where = ", ".join(f"{n} {v.shape if v.ndim else v}" for n, v in zip(names, inputs))
        expected = session.run(None, dict(zip(names, inputs)))
        try:
            outputs = compiled.model.run(inputs)
        except ampc.Error as error:
            faults.append(f"{where}: {error}")
            continue
        if len(outputs) != len(expected):
            faults.append(f"{where}: {len(outputs)} outputs, not {len(expected)}")
        faults += [
            f"{where}: output {i}: {fault}"
            for i, pair in enumerate(zip(outputs, expected))
            if (fault := differs(*pair))
        ]
    return faults


def check_fault(compiled: Compiled, good: list, bad: list, message: str) -> "list[str]":
    """The run ends with the message, and the next one is none the worse for it."""
    if compiled.error:
        return [compiled.error]
    faults = check(compiled, [good])
    try:
        compiled.model.run(bad)
        faults.append("did not fail")
    except ampc.Error as error:
        if message not in str(error):
            faults.append(f"failed with: {error}")
    return faults + check(compiled, [good])


def check_known(compiled: Compiled, runs: list) -> "list[str]":
    if compiled.error:
        return [compiled.error]
    return [
        f"output {i}: {fault}"
        for inputs, expected in runs
        for i, pair in enumerate(zip(compiled.model.run(inputs), expected))
        if (fault := differs(*pair))
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--filter", default="", help="a regular expression on the names")
    arguments = parser.parse_args()
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        tests = [(name, text, check, (runs,)) for name, text, runs in models.cases()]
        tests += [(name, text, check_known, (runs,)) for name, text, runs in models.empties()]
        tests += [(name, text, check_fault, rest) for name, text, *rest in models.faults()]
        for name, text, test, rest in tests:
            if not re.search(arguments.filter, name):
                continue
            count += 1
            compiler = arguments.build / "bin" / "ampc"
            faults = test(Compiled(compiler, pathlib.Path(folder), name, text), *rest)
            failed += bool(faults)
            for fault in faults:
                print(f"FAIL {name}: {fault}")
    print(f"control flow: {count - failed} of {count} models do as they should")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
