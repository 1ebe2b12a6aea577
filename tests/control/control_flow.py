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
    if actual.shape != expected.shape:
        return f"shape {actual.shape}, not {expected.shape}"
    if not expected.size or np.array_equal(actual, expected, equal_nan=expected.dtype.kind == "f"):
        return ""
    if expected.dtype.kind != "f":
        return "values differ"
    scale = np.abs(expected[np.isfinite(expected)]).max(initial=1e-30)
    error = np.abs(actual - expected).max() / scale
    return "" if error <= TOLERANCE else f"off by {error:.2e} of the largest element"


def check(compiler: pathlib.Path, folder: pathlib.Path, number: int, text: str, runs: list) -> "list[str]":
    model = onnx.parser.parse_model(models.HEADER + text)
    path = folder / f"{number}.onnx"
    library = folder / f"{number}.so"
    onnx.save(model, path)
    done = subprocess.run([compiler, path, "-o", library], capture_output=True, text=True)
    if done.returncode:
        return [done.stderr.strip()]
    compiled, session = ampc.Model(library, threads=2), reference(model)
    names = [value.name for value in session.get_inputs()]
    faults = []
    # Twice, since memory is laid out anew only where sizes change.
    for inputs in runs + runs[:1]:
        where = ", ".join(f"{n} {v.shape if v.ndim else v}" for n, v in zip(names, inputs))
        expected = session.run(None, dict(zip(names, inputs)))
        try:
            outputs = compiled.run(inputs)
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--filter", default="", help="a regular expression on the names")
    arguments = parser.parse_args()
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, text, runs) in enumerate(models.cases()):
            if not re.search(arguments.filter, name):
                continue
            count += 1
            faults = check(arguments.build / "bin" / "ampc", pathlib.Path(folder), number, text, runs)
            failed += bool(faults)
            for fault in faults:
                print(f"FAIL {name}: {fault}")
    print(f"control flow: {count - failed} of {count} models agree with onnxruntime")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
