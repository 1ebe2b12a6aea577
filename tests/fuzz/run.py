"""Runs the fuzz targets: for some time each, or on the corpus alone.

usage: run.py [--seconds=N] [--target=NAME]     needs the preset `fuzz`
       run.py --build=DIR --replay              any build

What fuzzing learns stays in build-fuzz/corpus, from where the next run goes on.
Inputs that crash land in build-fuzz/findings; each is a fault to mend and, at its
smallest, a case of tests/hostile.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
TARGETS = ("onnx", "tensors", "info")
# libMLIR and libprotobuf are not instrumented: they fill containers whose bounds
# ASan then has wrong, and allocate from slabs that only our code poisons.
ENVIRONMENT = {
    **os.environ,
    "ASAN_OPTIONS": "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=1:"
    "allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def extract(target: str, folder: pathlib.Path) -> "list[str]":
    paths = []
    with zipfile.ZipFile(HERE / "corpus.zip") as archive:
        for name in archive.namelist():
            if name.startswith(target + "/"):
                paths.append(archive.extract(name, folder))
    return paths


def replay(build: pathlib.Path, target: str) -> bool:
    with tempfile.TemporaryDirectory(prefix="ampc-corpus-") as folder:
        paths = extract(target, pathlib.Path(folder))
        done = subprocess.run(
            [build / "bin" / f"fuzz-{target}", *paths],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=ENVIRONMENT,
            text=True,
            errors="replace",
        )
        print(f"{target}: {len(paths)} inputs, exit code {done.returncode}")
        if done.returncode:
            print("\n".join(done.stdout.splitlines()[-30:]))
        return done.returncode == 0 and len(paths) > 0


def fuzz(build: pathlib.Path, target: str, seconds: int) -> bool:
    learned = build / "corpus" / target
    findings = build / "findings" / target
    learned.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    extract(target, build / "corpus")
    log = build / f"fuzz-{target}.log"
    with open(log, "w") as file:
        subprocess.run(
            [
                build / "bin" / f"fuzz-{target}",
                learned,
                f"-artifact_prefix={findings}/",
                f"-max_total_time={seconds}",
                "-max_len=16384",
                "-timeout=25",
                "-rss_limit_mb=4096",
                "-fork=1",
                "-ignore_crashes=1",
                "-ignore_timeouts=1",
                "-ignore_ooms=1",
            ],
            stdout=file,
            stderr=subprocess.STDOUT,
            env=ENVIRONMENT,
            cwd=build,
        )
    last = re.findall(r"^#\d+: cov: .*", log.read_text(errors="replace"), re.M)
    found = sorted(findings.iterdir())
    print(f"{target}: {last[-1] if last else 'ran nothing'}; findings: {len(found)} in {findings}")
    return not found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-fuzz")
    parser.add_argument("--target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=1800, help="for each target")
    parser.add_argument("--replay", action="store_true", help="run the corpus once")
    options = parser.parse_args()
    build = options.build.resolve()
    good = True
    for target in [options.target] if options.target else TARGETS:
        good &= replay(build, target) if options.replay else fuzz(build, target, options.seconds)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
