"""What of a model takes the time, in ampc beside onnxruntime and OpenVINO: by the kind of
operation, and for the nodes that take ampc the longest.

    node_times.py MODEL [--threads=1] [--rounds=5] [--runs=20] [--top=15] [--json=FILE]

MODEL is part of the name of one of peers.py's models, at its sizes there, which are fixed
for all. Times are what the libraries themselves record, in microseconds: of each part, the
mean of the runs of a round, and of all rounds the least. (Means are all that OpenVINO gives.)
In a round each library runs in a process of its own, one after the other.

Libraries fuse nodes in their own ways. A row of the second table is what ampc computes
together, and of a peer all parts whose first known node is among these. Where a peer fuses
more, its time stands in one row only, and in others there is none. What a peer adds, or
names in a way that tells no node, is in "other parts".
"""

import argparse
import collections
import importlib.util
import json
import multiprocessing
import pathlib
import sys
import tempfile

import onnx

import machine
import peers
import prepare
from machine import ROOT
from profilers import PROFILERS, Part, least

import compiler

PEERS = [name for name in PROFILERS if name != "ampc"]
# By how names of ops begin, in lower case; the longest that fits counts.
FAMILIES = {
    "convolution": ("conv", "fusedconv", "groupconv", "deconvolution", "nhwcconv"),
    "matrix product": ("matmul", "gemm", "fusedmatmul", "fusedgemm", "fullyconnected"),
    "layout and copies": (
        "layout change", "transpose", "reorder", "copy", "concat", "split", "slice", "gather",
        "reshape", "permute", "strided", "padding", "pad", "expand", "tile", "broadcast",
        "memory", "squeeze", "unsqueeze", "flatten", "variadicsplit",
    ),
    "pooling": ("pool", "max_pool", "maxpool", "avg", "average", "global", "reduce_window"),
    "reduction": ("reduce", "argm", "mean"),
    "normalization": (
        "softmax", "layernorm", "layer_norm", "skiplayernorm", "mvn", "logsoftmax", "rmsnorm",
    ),
    "attention": ("attention", "scaled", "sdpa", "multiheadattention"),
    "recurrent": ("lstm", "gru", "rnn", "recurrent"),
    "resize": ("resize", "upsample", "interpolate"),
    "elementwise": (
        "pointwise", "eltwise", "subgraph", "relu", "add", "mul", "sub", "div", "sigmoid",
        "quickgelu", "gelu", "biasgelu", "clip", "hardswish", "hardsigmoid", "erf", "tanh",
        "pow", "sqrt", "exp", "log", "neg", "swish", "leakyrelu", "prelu", "cast", "convert",
        "where", "select", "max", "min", "abs", "equal", "greater", "less", "not", "and",
        "softplus", "clamp", "power", "hsigmoid", "hswish", "round", "floor",
    ),
}


def family(op: str) -> str:
    op = op.lower()
    fits = [(len(b), name) for name, all_b in FAMILIES.items() for b in all_b if op.startswith(b)]
    return max(fits)[1] if fits else op


class Nodes:
    """Finds nodes by what libraries make of their names and of their outputs'."""

    def __init__(self, file: pathlib.Path):
        self._names = {}
        for index, node in enumerate(onnx.load(file, load_external_data=False).graph.node):
            # As ampc calls a node that has none.
            name = node.name or f"#{index} {node.op_type}"
            self._names[name] = name
            for output in node.output:
                self._names.setdefault(output, name)
        self._longest_first = sorted(filter(None, self._names), key=len, reverse=True)

    def first(self, part: Part) -> "str | None":
        for text in part.nodes:
            if text in self._names:
                return self._names[text]
        for text in part.nodes:  # "conv1_nchwc", "mul/fused", ...
            for name in self._longest_first:
                rest = text.removeprefix(name)
                if rest != text and not rest[0].isalnum():
                    return self._names[name]
        return None


class Row:
    def __init__(self):
        self.parts: "dict[str, list[Part]]" = collections.defaultdict(list)

    def time(self, library: str) -> float:
        return sum(part.microseconds for part in self.parts[library])


def rows(parts: "dict[str, list[Part]]", nodes: Nodes) -> "tuple[list[Row], Row]":
    """One for all parts of ampc's that share nodes, and one for what has no such node."""
    by_node: "dict[str, Row]" = {}
    other = Row()
    for part in parts["ampc"]:
        row = Row()
        row.parts["ampc"].append(part)
        for joined in {id(by_node[n]): by_node[n] for n in part.nodes if n in by_node}.values():
            row.parts["ampc"] += joined.parts["ampc"]
        for node in {n for p in row.parts["ampc"] for n in p.nodes}:
            by_node[node] = row
        if not part.nodes:
            other.parts["ampc"].append(part)
    for library in parts.keys() - {"ampc"}:
        for part in parts[library]:
            by_node.get(nodes.first(part), other).parts[library].append(part)
    return list({id(row): row for row in by_node.values()}.values()), other


def cells(times: "list[float | None]") -> str:
    return "".join(f"{'-':>12s}" if time is None else f"{time:12.1f}" for time in times)


def print_families(parts: "dict[str, list[Part]]") -> None:
    sums = {name: collections.Counter() for name in parts}
    for name, all_parts in parts.items():
        for part in all_parts:
            sums[name][family(part.op)] += part.microseconds
    kinds = sorted(set().union(*sums.values()), key=lambda k: -max(s[k] for s in sums.values()))
    for kind in kinds:
        print(f"{cells([s.get(kind) for s in sums.values()])}  {kind}")
    print(f"{cells([sum(s.values()) for s in sums.values()])}  all\n")


def print_nodes(parts: "dict[str, list[Part]]", nodes: Nodes, top: int) -> None:
    found, other = rows(parts, nodes)
    found.sort(key=lambda row: -row.time("ampc"))
    for row in found[:top]:
        times = [row.time(name) if row.parts.get(name) else None for name in parts]
        ours = row.parts["ampc"]
        kernels = "+".join(part.name for part in ours[:3]) + ("+..." if len(ours) > 3 else "")
        names = list(dict.fromkeys(node for part in ours for node in part.nodes))
        more = f", {len(names) - 3} more" if len(names) > 3 else ""
        print(f"{cells(times)}  {kernels:24s} {', '.join(names[:3])}{more}"[:140])
    rest = found[top:]
    print(f"{cells([sum(r.time(n) for r in rest) for n in parts])}  {len(rest)} more rows")
    print(f"{cells([other.time(n) for n in parts])}  other parts")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="part of a model's name")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=20, help="in a round")
    parser.add_argument("--top", type=int, default=15, help="rows of the second table")
    parser.add_argument("--json", type=pathlib.Path, help="file to write all parts to")
    return parser.parse_args()


def profile(model: peers.Model, options, folder: pathlib.Path) -> "dict[str, tuple]":
    """By library, its parts, and the microseconds of a run."""
    feed = model.feed()
    fixed = prepare.fix_sizes(model.file(folder), feed, folder / "fixed.onnx")
    library = compiler.compile_model(
        options.build, fixed, folder / "model.so", "--profile"
    ).library
    rounds = {"ampc": []}
    for name in PEERS:
        if importlib.util.find_spec(name):
            rounds[name] = []
        else:
            print(f"{name} is left out: it is not installed here (see peers.py --setup)")
    for _ in range(options.rounds):
        for name, results in rounds.items():
            file = library if name == "ampc" else fixed
            arguments = (options.build, file, feed, options.threads, options.runs)
            with multiprocessing.get_context("spawn").Pool(1) as process:
                results.append(process.apply(PROFILERS[name], arguments))
    return {name: least(results) for name, results in rounds.items()}


def main() -> None:
    options = parse()
    machine.require_ampc(options.build)
    chosen = [model for model in peers.models() if options.model in model.name]
    if len(chosen) != 1:
        names = ", ".join(model.name for model in chosen or peers.models())
        sys.exit(f"node_times.py: {options.model!r} has to be part of one name; there are {names}")
    with tempfile.TemporaryDirectory(prefix="ampc-nodes-") as name:
        folder = pathlib.Path(name)
        try:
            results = profile(chosen[0], options, folder)
        except (OSError, RuntimeError) as error:
            sys.exit(f"node_times.py: {error}")
        nodes = Nodes(folder / "fixed.onnx")
    parts = {library: found for library, (found, _) in results.items()}
    print(f"{machine.headline()}\n{chosen[0].name}, threads: {options.threads}, microseconds\n")
    titles = "".join(f"{library:>12s}" for library in results)
    print(f"{titles}  kind of operation")
    print_families(parts)
    print(f"{titles}  {'kernels of ampc':24s} nodes")
    print_nodes(parts, nodes, options.top)
    print(f"{cells([wall for _, wall in results.values()])}  a run, while times are recorded")
    if options.json:
        facts = {
            library: {"run_us": wall, "parts": [part._asdict() for part in found]}
            for library, (found, wall) in results.items()
        }
        options.json.write_text(json.dumps({"model": chosen[0].name, **facts}, indent=1) + "\n")


if __name__ == "__main__":
    main()
