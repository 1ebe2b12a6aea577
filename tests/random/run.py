"""Random graphs, compiled and run, against onnxruntime; where it lacks a type, against
onnx's reference evaluator.

usage: run.py [--build=DIR] [--count=N] [--seed=N] [--batch=N] [--keep=DIR]

Several graphs are compiled as one model, side by side. One that fails is compiled again
alone and made smaller as long as it fails; it is printed in ONNX's text syntax with its
seed. Exit code 1 if any failed.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "python"), str(pathlib.Path(__file__).parent)]
import ampc
from generate import Graph, generate

onnxruntime.set_default_logger_severity(4)


def expected(model: onnx.ModelProto, inputs: dict) -> list:
    names = {i.name for i in model.graph.input}
    feed = {n: a for n, a in inputs.items() if n in names}
    try:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return session.run(None, feed)
    except Exception:  # It has many types of its own for "not implemented".
        with np.errstate(all="ignore"):
            return ReferenceEvaluator(model).run(None, feed)


def differs(actual: np.ndarray, right: np.ndarray) -> "str | None":
    """What is wrong with a result. Each op may round once more than the reference's,
    and sums cancel: errors count against the largest number of the tensor."""
    right = np.asarray(right)
    if actual.shape != right.shape or actual.dtype != right.dtype:
        return f"{actual.dtype}{list(actual.shape)}, not {right.dtype}{list(right.shape)}"
    if right.dtype.kind != "f":
        wrong = np.count_nonzero(actual != right)
        return f"{wrong} of {right.size} elements are wrong" if wrong else None
    if not np.array_equal(np.isfinite(actual), np.isfinite(right)):
        return "finite at other places"
    finite = np.isfinite(right)
    if not finite.any():
        return None
    a, b = actual[finite].astype(np.float64), right[finite].astype(np.float64)
    # float64 models may hold Casts to float32.
    error = np.abs(a - b).max() / max(1.0, np.abs(b).max())
    return f"off by {error:.1e} of the largest" if error > 2e-4 else None


class Compiler:
    def __init__(self, build: pathlib.Path, folder: pathlib.Path):
        self.build, self.folder, self.count = build, folder, 0

    def __call__(self, model: onnx.ModelProto) -> pathlib.Path:
        self.count += 1
        path = self.folder / f"{self.count}.onnx"
        path.write_bytes(model.SerializeToString())
        library = path.with_suffix(".so")
        done = subprocess.run(
            [self.build / "bin" / "ampc", path, "-o", library], capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"ampc: exit code {done.returncode}: {done.stderr.strip()[-400:]}")
        return library


def together(graphs: "list[Graph]") -> Graph:
    whole = Graph(graphs[0].seed)
    for graph in graphs:
        whole.nodes += graph.nodes
        whole.inputs.update(graph.inputs)
        whole.dims.update(graph.dims)
        whole.constants.update(graph.constants)
        whole.outputs += graph.outputs
    return whole


def problem(graph: Graph, compiler: Compiler, right=None) -> "str | None":
    model = graph.model()
    if right is None:
        right = expected(model, graph.inputs)
    try:
        library = ampc.Model(compiler(model), threads=1)
        feed = {i.name: graph.inputs[i.name] for i in library.inputs}
        results = library.run(feed)
    except (RuntimeError, OSError) as error:
        return str(error)
    for value, actual, wanted in zip(graph.outputs, results, right):
        if found := differs(actual, wanted):
            return f"output {value.name}: {found}"
    return None


def pruned(graph: Graph) -> Graph:
    """Without nodes that no output needs."""
    needed, nodes = {v.name for v in graph.outputs}, []
    for node in reversed(graph.nodes):
        if needed & set(node.output):
            nodes.insert(0, node)
            needed |= set(node.input)
    inputs = {n: a for n, a in graph.inputs.items() if n in needed}
    return Graph(graph.seed, nodes, inputs, graph.dims, graph.constants, graph.outputs)


def cut(graph: Graph, name: str) -> "Graph | None":
    """The value becomes an input, and what computes it goes."""
    right = Graph(graph.seed, graph.nodes, graph.inputs, graph.dims, graph.constants, [])
    array = dict(zip([name], expected(retargeted(right, name), graph.inputs)))[name]
    array = np.asarray(array)
    inputs = {**graph.inputs, name: array}
    dims = {**graph.dims, name: [f"{name}_{i}" for i in range(array.ndim)]}
    nodes = [n for n in graph.nodes if name not in n.output or len(n.output) > 1]
    for node in nodes:
        if name in node.output:
            return None
    return pruned(Graph(graph.seed, nodes, inputs, dims, graph.constants, graph.outputs))


def retargeted(graph: Graph, name: str) -> onnx.ModelProto:
    model = onnx.ModelProto()
    shapeless = Graph(graph.seed, graph.nodes, graph.inputs, graph.dims, graph.constants, [])
    model.CopyFrom(shapeless.model())
    # Inputs that nothing else keeps are needed here.
    model.graph.output.add().name = name
    inferred = onnx.shape_inference.infer_shapes(model)
    for info in inferred.graph.value_info:
        if info.name == name:
            model.graph.output[0].CopyFrom(info)
    return model


def shrink(graph: Graph, compiler: Compiler) -> Graph:
    for value in graph.outputs:
        single = pruned(Graph(graph.seed, graph.nodes, graph.inputs, graph.dims, graph.constants, [value]))
        if problem(single, compiler):
            graph = single
            break
    progress = True
    while progress:
        progress = False
        outputs = {v.name for v in graph.outputs}
        # From the end: the cut that leaves least comes first.
        for name in [o for n in reversed(graph.nodes) for o in n.output if o not in outputs]:
            try:
                smaller = cut(graph, name)
                if smaller and len(smaller.nodes) < len(graph.nodes) and problem(smaller, compiler):
                    graph, progress = smaller, True
                    break
            except Exception as error:  # A cut may be no graph; the next may.
                print(f"  (cannot cut at {name}: {str(error)[:80]})")
    return graph


def run(seeds: "list[int]", compiler: Compiler) -> "list[tuple[Graph, str]]":
    graphs = [generate(seed, prefix=f"g{i}_") for i, seed in enumerate(seeds)]
    whole = together(graphs)
    right = [array for graph in graphs for array in expected(graph.model(), graph.inputs)]
    if not problem(whole, compiler, right):
        return []
    # Alone it may pass: then the fault takes the company, which is kept.
    failures = [(graph, found) for graph in graphs if (found := problem(graph, compiler))]
    return failures or [(whole, str(problem(whole, compiler, right)))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1, help="of the first graph")
    parser.add_argument("--batch", type=int, default=5)
    parser.add_argument("--keep", type=pathlib.Path, help="write models that fail here")
    options = parser.parse_args()
    total = failures = 0
    for first in range(options.seed, options.seed + options.count, options.batch):
        seeds = list(range(first, min(first + options.batch, options.seed + options.count)))
        with tempfile.TemporaryDirectory(prefix="ampc-random-") as folder:
            compiler = Compiler(options.build.resolve(), pathlib.Path(folder))
            total += len(seeds)
            for graph, found in run(seeds, compiler):
                failures += 1
                print(f"FAIL seed {graph.seed}: {found}", flush=True)
                small = shrink(graph, compiler)
                model = small.model()
                print(onnx.printer.to_text(model), flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    onnx.save(model, options.keep / f"{graph.seed}.onnx")
                    np.savez(options.keep / f"{graph.seed}.npz", **small.inputs)
    print(f"random graphs: {total} from seed {options.seed}, {failures} failures")
    return 1 if failures or not total else 0


if __name__ == "__main__":
    sys.exit(main())
