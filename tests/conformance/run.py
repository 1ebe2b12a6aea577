"""ONNX's own tests (of each op, and of small models) through import, compilation and a run of the library.

    run.py                       all tests, held against expectations.txt
    run.py --filter=REGEX        some of them
    run.py --summary             failures grouped by what went wrong, most first
    run.py --update              rewrite expectations.txt from what happened

expectations.txt has a line `name: reason` for each test that does not pass; the
reason starts with the outcome, `unsupported` or `wrong`. A test that passes though
listed fails the run, and so does one that ends in any other way than its line says.
Crashes and time-outs cannot be expected.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import selectors
import subprocess
import sys
import tempfile
import time

import cases

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
EXPECTABLE = ("unsupported", "wrong", "run")


class Worker:
    """A worker process, started anew after it died or hung."""

    def __init__(self, arguments: "list[str]", time_limit: float):
        self.arguments = arguments
        self.time_limit = time_limit
        self.process = None
        self.stderr = tempfile.TemporaryFile()

    def run(self, name: str) -> dict:
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, str(HERE / "worker.py"), *self.arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.stderr,
                text=True,
                start_new_session=True,
            )
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            answered = selector.select(self.time_limit)
        line = self.process.stdout.readline() if answered else ""
        if line:
            return json.loads(line)
        if not answered:
            os.killpg(self.process.pid, 9)
        self.process.communicate()
        code, self.process = self.process.returncode, None
        self.stderr.seek(0)
        error = self.stderr.read().decode(errors="replace").strip().splitlines()
        self.stderr.truncate(0)
        if not answered:
            return self.failure(name, "timeout", f"over {self.time_limit} s")
        last = f": {error[-1]}" if error else ""
        return self.failure(name, "crash", f"exit code {code} in the worker{last}")

    @staticmethod
    def failure(name: str, outcome: str, message: str) -> dict:
        return {"name": name, "outcome": outcome, "message": message}

    def close(self) -> None:
        if self.process:
            self.process.communicate()


def run_all(names: "list[str]", arguments, jobs: int, time_limit: float) -> "list[dict]":
    queue = collections.deque(names)
    results = {}

    def work() -> None:
        worker = Worker(arguments, time_limit)
        while True:
            try:
                name = queue.popleft()
            except IndexError:
                break
            results[name] = worker.run(name)
            if len(results) % 200 == 0:
                print(f"  {len(results)} of {len(names)}", flush=True)
        worker.close()

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for future in [pool.submit(work) for _ in range(jobs)]:
            future.result()
    return [results[name] for name in names]


def read_expectations(path: pathlib.Path) -> "dict[str, str]":
    expected = {}
    if not path.exists():
        return expected
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        name, separator, reason = line.partition(": ")
        if not separator or not reason.startswith(EXPECTABLE):
            sys.exit(f"{path}:{number}: expected `name: {{{'|'.join(EXPECTABLE)}}} reason`")
        if name in expected:
            sys.exit(f"{path}:{number}: {name} is listed twice")
        expected[name] = reason
    return expected


def one_line(message: str) -> str:
    """The first error of a message, without what only places it."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    first = next((line for line in lines if "error" in line), lines[0] if lines else "")
    return re.sub(r"^(\S*: )?error: ", "", first)


def summarize(results: "list[dict]") -> None:
    groups = collections.defaultdict(list)
    for result in results:
        if result["outcome"] != "pass":
            message = one_line(result["message"])
            # Names and numbers make equal faults differ.
            message = re.sub(r"node ('[^']*'|\"[^\"]*\")", "node ..", message)
            message = re.sub(r"-?\b\d+(\.\d+)?(e[-+]?\d+)?\b", "#", message)
            groups[result["outcome"], message].append(result["name"])
    for (outcome, message), names in sorted(groups.items(), key=lambda g: -len(g[1])):
        print(f"{len(names):5d} {outcome}: {message}")
        print(f"        {' '.join(names[:4])}{' ...' if len(names) > 4 else ''}")


def update_expectations(path: pathlib.Path, results, expected) -> None:
    """Keeps the lines of tests that were not run and the reasons that still hold."""
    ran = {result["name"] for result in results}
    lines = {name: reason for name, reason in expected.items() if name not in ran}
    for result in results:
        if result["outcome"] in EXPECTABLE:
            name, outcome = result["name"], result["outcome"]
            reason = expected.get(name, "")
            if not reason.startswith(outcome):
                reason = f"{outcome}: {one_line(result['message'])}"
            lines[name] = reason
    header = [line for line in path.read_text().splitlines() if line.startswith("#")]
    body = [f"{name}: {reason}" for name, reason in sorted(lines.items())]
    path.write_text("\n".join(header + body) + "\n")


def judge(results: "list[dict]", expected: "dict[str, str]") -> int:
    """Prints what differs from what is expected, and how many tests that are."""
    unexpected = 0
    for result in results:
        name, outcome = result["name"], result["outcome"]
        reason = expected.get(name)
        if outcome == "pass" and reason is None:
            continue
        if outcome == "pass":
            print(f"UNEXPECTED PASS {name}: remove its line ({reason})")
        elif reason is None or not reason.startswith(outcome):
            print(f"FAIL {name}: {outcome}: {one_line(result['message'])}")
            if reason is not None:
                print(f"     (expected {reason})")
        else:
            continue
        unexpected += 1
    return unexpected


def main() -> int:
    parser = argparse.ArgumentParser(description="ONNX's tests")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--expectations", type=pathlib.Path, default=HERE / "expectations.txt")
    parser.add_argument("--filter", default="", help="regular expression on names")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--time-limit", type=float, default=60, help="seconds a test")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--json", type=pathlib.Path, help="write all results here")
    options = parser.parse_args()

    compiler = options.build / "bin" / "ampc"
    if not compiler.exists():
        sys.exit(f"{compiler} does not exist: build it first")
    start = time.monotonic()
    folder = options.build / "conformance" / "cases"
    all_names = cases.generate(folder)
    expected = read_expectations(options.expectations)
    if stale := sorted(expected.keys() - set(all_names)):
        sys.exit(f"{options.expectations} lists tests that do not exist: {', '.join(stale)}")
    names = [name for name in all_names if re.search(options.filter, name)]
    if not names:
        sys.exit(f"no test matches {options.filter!r}")
    with tempfile.TemporaryDirectory(prefix="ampc-conformance-") as scratch:
        arguments = [str(compiler), str(folder), scratch]
        results = run_all(names, arguments, options.jobs, options.time_limit)

    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    if options.summary:
        summarize(results)
    if options.update:
        update_expectations(options.expectations, results, expected)
        expected = read_expectations(options.expectations)
    unexpected = 0 if options.summary else judge(results, expected)
    counts = collections.Counter(result["outcome"] for result in results)
    failed = len(results) - counts["pass"]
    parts = ", ".join(f"{n} {o}" for o, n in counts.most_common() if o != "pass")
    print(
        f"conformance: {counts['pass']} passed, {failed} failures"
        + (f" ({parts})" if parts else "")
        + f", {unexpected} unexpected, of {len(results)} in {time.monotonic() - start:.0f} s"
    )
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
