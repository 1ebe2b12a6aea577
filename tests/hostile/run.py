"""Input that nobody should send, through ampc: each is refused in one line that says
what and where, or compiles.

usage: run.py [--build=DIR] [--filter=REGEX] [--show]
"""

import argparse
import concurrent.futures
import pathlib
import re
import sys
import tempfile

import graphs
import harness
import nesting
import weights

ROOT = pathlib.Path(__file__).parents[2]
TABLES = (graphs, weights, nesting)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--filter", default="", help="part of a case's name")
    parser.add_argument("--show", action="store_true", help="print what ampc says")
    options = parser.parse_args()
    build = options.build.resolve()
    cases = [
        (f"{table.__name__}.{case.name}", case)
        for table in TABLES
        for case in table.CASES
        if re.search(options.filter, f"{table.__name__}.{case.name}")
    ]
    assert len({name for name, _ in cases}) == len(cases), "two cases of one name"
    failures = 0
    with tempfile.TemporaryDirectory(prefix="ampc-hostile-") as name:
        folder = pathlib.Path(name)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            run = lambda entry: harness.run_case(entry[1], build, folder / entry[0], options.show)
            for (name, _), problem in zip(cases, pool.map(run, cases)):
                if problem:
                    failures += 1
                    print(f"FAIL {name}: {problem}", flush=True)
    print(f"hostile input: {len(cases)} cases, {failures} failures")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
