"""Whole models against onnxruntime, OpenVINO, IREE and TVM, each with the same number of
threads, in float32.

    peers.py --setup           make the environment that has them (.deps/bench-venv)
    peers.py [--models=NAME] [--threads=1,2] [--peers=onnxruntime,openvino,iree,tvm]
             [--seconds=5] [--json=FILE] [--chart=FILE.png]

Each library runs in a process of its own, made anew for each model and number of threads.
They take turns of a tenth of a second, and the shortest time of each counts. Peers get
models of fixed sizes, ampc the model as it is unless --static is given. No time is taken of
a peer whose outputs differ from ampc's.
"""

import argparse
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import tempfile
from typing import Callable, NamedTuple

import numpy as np

import chart
import machine
import synthetic
from contest import contest, entrants
from machine import ROOT

import zoo

HERE = pathlib.Path(__file__).parent
ENVIRONMENT = ROOT / ".deps" / "bench-venv"
# By name, the package.
PEERS = {
    "onnxruntime": "onnxruntime",
    "openvino": "openvino",
    "iree": "iree-base-compiler",
    "tvm": "apache-tvm",
}
REAL = ("ch_PP-OCRv4_det", "ch_PP-OCRv4_rec", "ch_ppocr_mobile_v2.0_cls", "magika",
        "nudenet_320n", "basic_pitch")
MIB = 1 << 20


class Model(NamedTuple):
    name: str
    file: Callable[[pathlib.Path], pathlib.Path]  # Given a folder to write to.
    feed: "Callable[[], dict[str, np.ndarray]]"


def models() -> "list[Model]":
    """Real ones, at the first of their sizes, and those of well-known shapes."""
    found = [
        Model(m.name, lambda _, m=m: zoo.path(m), lambda m=m: m.feed(*m.shapes[0]))
        for m in zoo.MODELS
        if m.name in REAL
    ]
    for m in synthetic.MODELS:
        found.append(Model(m.name, lambda folder, m=m: synthetic.write(m, folder), m.feed))
    return found


def set_up(environment: pathlib.Path) -> int:
    """Makes the environment, or what is missing in it."""
    pip = [str(environment / "bin" / "pip"), "install", "--disable-pip-version-check"]
    for command in (
        [sys.executable, "-m", "venv", str(environment)],
        [*pip, "--only-binary", ":all:", "-r", str(HERE / "requirements.txt")],
    ):
        if subprocess.run(command).returncode:
            sys.exit(f"peers.py: {environment} could not be made")
    print(f"now: {environment / 'bin' / 'python'} {__file__}")
    return 0


def installed(peers: "list[str]") -> "dict[str, str]":
    """The versions of those that this Python has."""
    versions = {}
    for peer in peers:
        try:
            versions[peer] = importlib.metadata.version(PEERS[peer])
        except importlib.metadata.PackageNotFoundError:
            pass
    return versions


def print_times(name: str, rows: "list[dict]", peers: "list[str]") -> None:
    by = {row["library"]: row for row in rows}
    ours = by["ampc"]["seconds"]
    cells = [
        f"{by[peer]['seconds'] / ours:11.2f}x" if peer in by else f"{'-':>12s}" for peer in peers
    ]
    best = min((by[peer]["seconds"] for peer in peers if peer in by), default=np.nan)
    print(
        f"{name:26s} {rows[0]['threads']:7d} {ours * 1e3:9.2f} {''.join(cells)} "
        f"{best / ours:10.2f}x",
        flush=True,
    )


def print_means(results: "list[dict]", peers: "list[str]") -> None:
    """Geometric means over the models that a peer runs; of the better one, over all."""
    for threads in sorted({row["threads"] for row in results}):
        means = chart.means(results, threads, peers)
        cells = [f"{means[p]:11.2f}x" if p in means else f"{'-':>12s}" for p in peers]
        better = f"{means['better']:10.2f}x" if "better" in means else f"{'-':>11s}"
        print(f"{'geometric mean':26s} {threads:7d} {'':9s} {''.join(cells)} {better}")


def print_costs(results: "list[dict]") -> None:
    print(
        f"\n{'model':26s} {'library':12s} {'compile s':>10s} {'load ms':>9s} "
        f"{'memory MiB':>11s} {'file MiB':>9s} {'difference':>11s}"
    )
    threads = min((row["threads"] for row in results), default=0)
    for row in results:
        if row["threads"] == threads:
            print(
                f"{row['model']:26s} {row['library']:12s} {row['compile_seconds']:10.1f} "
                f"{row['load_seconds'] * 1e3:9.1f} {row['memory_bytes'] / MIB:11.1f} "
                f"{row['file_bytes'] / MIB:9.2f} {row['difference']:11.1e}"
            )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--setup", action="store_true", help="make the environment of the peers")
    parser.add_argument("--environment", type=pathlib.Path, default=ENVIRONMENT)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--models", default="", help="part of a model's name")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--seconds", type=float, default=5.0, help="for each library and model")
    parser.add_argument("--static", action="store_true", help="fixed sizes for ampc too")
    parser.add_argument("--json", type=pathlib.Path, help="file to write the results to")
    parser.add_argument("--chart", type=pathlib.Path, help="PNG file to draw the results to")
    options = parser.parse_args()
    options.peers = [peer for peer in options.peers.split(",") if peer]
    unknown = [peer for peer in options.peers if peer not in PEERS]
    if unknown:
        parser.error(f"no peer {unknown[0]!r}; there are {', '.join(PEERS)}")
    if not all(text.isdigit() and int(text) for text in options.threads.split(",")):
        parser.error("--threads: positive numbers are wanted, with commas between them")
    options.threads = [int(text) for text in options.threads.split(",")]
    return options


def run(options, chosen: "list[Model]", folder: pathlib.Path) -> "tuple[list[dict], list[str]]":
    """The rows of all models, and what has none and why."""
    results, notes = [], []
    for model in chosen:
        feed = model.feed()
        ready, reasons = entrants(model.file(folder), feed, folder, options)
        for threads in options.threads if "ampc" in ready else []:
            rows, failed = contest(ready, feed, threads, folder, options)
            reasons.update(failed)
            if not rows or rows[0]["library"] != "ampc":
                break
            results += [{"model": model.name, **row} for row in rows]
            print_times(model.name, rows, options.peers)
        notes += [f"{peer} on {model.name}: {why}" for peer, why in reasons.items()]
        for file in folder.iterdir():  # Large.
            file.unlink()
    return results, notes


def main() -> int:
    options = parse()
    if options.setup:
        return set_up(options.environment)
    machine.require_ampc(options.build)
    chosen = [model for model in models() if options.models in model.name]
    if not chosen:
        sys.exit(f"peers.py: no model matches {options.models!r}")
    versions = installed(options.peers)
    for peer in options.peers:
        if peer not in versions:
            print(f"{peer} is left out: it is not installed here (see --setup)")
    options.peers = list(versions)
    print(machine.headline())
    print(", ".join(f"{peer} {version}" for peer, version in versions.items()))
    titles = "".join(f"{peer:>12s}" for peer in options.peers)
    print(f"\n{'model':26s} {'threads':>7s} {'ampc ms':>9s} {titles} {'the better':>11s}")
    with tempfile.TemporaryDirectory(prefix="ampc-peers-") as name:
        try:
            results, notes = run(options, chosen, pathlib.Path(name))
        except (OSError, AssertionError) as error:
            sys.exit(f"peers.py: {error}")
    print_means(results, options.peers)
    print_costs(results)
    print("".join(f"\n{note}" for note in notes))
    if options.json:
        facts = {"machine": machine.describe(), "versions": versions}
        facts.update(results=results, notes=notes)
        options.json.write_text(json.dumps(facts, indent=1) + "\n")
    if options.chart:
        chart.draw(results, options.peers, options.chart)
    return 1 if any(note.startswith("ampc ") for note in notes) else 0


if __name__ == "__main__":
    sys.exit(main())
