"""One thing at a time wrong with each of ONNX's ops, through the fuzz target for models:
other ranks, types and sizes of each input, inputs left out, attributes and constant
inputs at the ends of their range. No chance is involved, and no input may end it.

usage: sweep.py [--build=DIR] [--filter=REGEX]      the preset `fuzz`, or any build
"""

import argparse
import copy
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

import onnx
from onnx import AttributeProto, TensorProto, helper

import run

RANKS = range(6)
TYPES = (
    TensorProto.FLOAT, TensorProto.UINT8, TensorProto.INT8, TensorProto.INT32, TensorProto.INT64,
    TensorProto.STRING, TensorProto.BOOL, TensorProto.FLOAT16, TensorProto.DOUBLE,
    TensorProto.BFLOAT16, TensorProto.FLOAT8E4M3FN, TensorProto.UINT4,
)
INTEGERS = (0, -1, 1, 2, 7, 65, 2**31, -(2**31), 2**40, 2**63 - 1, -(2**63))
FLOATS = (0, -1, 1e30, float("nan"), float("inf"))
BATCH = 1500


def models():
    """The first node test of each op and number of inputs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        cases = collect_testcases(None)
    seen = set()
    for case in cases:
        nodes = case.model.graph.node
        key = tuple((n.domain, n.op_type, len(n.input)) for n in nodes)
        if case.model.ByteSize() <= 6000 and len(nodes) <= 3 and key not in seen:
            seen.add(key)
            yield nodes[0].op_type, case.model


def inputs(model):
    for i, given in enumerate(model.graph.input):
        if not given.type.HasField("tensor_type"):
            continue
        sizes = [d.dim_value for d in given.type.tensor_type.shape.dim]
        for rank in RANKS:
            changed = copy.deepcopy(model)
            dims = changed.graph.input[i].type.tensor_type.shape.dim
            del dims[:]
            for at in range(rank):
                dims.add().dim_value = sizes[at] if at < len(sizes) and sizes[at] else 2
            yield f"rank{i}_{rank}", copy.deepcopy(changed)
            for dim in dims:
                dim.ClearField("dim_value")
            yield f"dynamic{i}_{rank}", changed
        for dtype in TYPES:
            changed = copy.deepcopy(model)
            changed.graph.input[i].type.tensor_type.elem_type = dtype
            yield f"type{i}_{dtype}", changed
        if given.type.tensor_type.elem_type == TensorProto.INT64 and len(sizes) <= 1:
            count = sizes[0] if sizes else 1
            for number in INTEGERS:
                changed = copy.deepcopy(model)
                values = [number] * count
                changed.graph.initializer.append(
                    helper.make_tensor(given.name, TensorProto.INT64, sizes, values)
                )
                yield f"constant{i}_{number}", changed
        changed = copy.deepcopy(model)
        for dim in changed.graph.input[i].type.tensor_type.shape.dim:
            dim.dim_value = 0
        yield f"empty{i}", changed
        changed = copy.deepcopy(model)
        for node in changed.graph.node:
            node.input[:] = ["" if name == given.name else name for name in node.input]
        yield f"without{i}", changed


def calls(model):
    """The node in a function, whose caller leaves an input out."""
    if len(model.graph.node) != 1:
        return
    node = model.graph.node[0]
    for i in range(len(node.input)):
        changed = copy.deepcopy(model)
        changed.opset_import.add(domain="local", version=1)
        function = changed.functions.add(domain="local", name="F")
        function.opset_import.extend(model.opset_import)
        function.input.extend(f"i{k}" for k in range(len(node.input)))
        function.output.extend(f"o{k}" for k in range(len(node.output)))
        inner = copy.deepcopy(node)
        inner.input[:] = [f"i{k}" if name else "" for k, name in enumerate(node.input)]
        inner.output[:] = [f"o{k}" if name else "" for k, name in enumerate(node.output)]
        function.node.append(inner)
        call = changed.graph.node[0]
        call.domain, call.op_type, call.input[i] = "local", "F", ""
        del call.attribute[:]
        yield f"call_without{i}", changed


def attributes(model):
    def edited(n, a, edit):
        changed = copy.deepcopy(model)
        edit(changed.graph.node[n].attribute, a)
        return changed

    def setter(field, value, at=None):
        def edit(attributes, a):
            if at is None:
                setattr(attributes[a], field, value)
            elif len(getattr(attributes[a], field)):
                getattr(attributes[a], field)[at] = value

        return edit

    for n, node in enumerate(model.graph.node):
        for a, attribute in enumerate(node.attribute):
            edits = {"absent": lambda attributes, a: attributes.__delitem__(a)}
            if attribute.type == AttributeProto.INT:
                edits.update((v, setter("i", v)) for v in INTEGERS)
            if attribute.type == AttributeProto.FLOAT:
                edits.update((v, setter("f", v)) for v in FLOATS)
            if attribute.type == AttributeProto.INTS:
                edits.update((f"{at}_{v}", setter("ints", v, at)) for v in INTEGERS for at in (0, -1))
                edits["none"] = lambda attributes, a: attributes[a].ClearField("ints")
                edits["more"] = lambda attributes, a: attributes[a].ints.append(1)
            for what, edit in edits.items():
                yield f"{attribute.name}_{what}", edited(n, a, edit)


def write(folder: pathlib.Path, pattern: str) -> "list[pathlib.Path]":
    paths = []
    for op, model in models():
        for change in (inputs, calls, attributes):
            for what, changed in change(model):
                if re.search(pattern, f"{op}_{what}"):
                    paths.append(folder / f"{len(paths)}_{op}_{what}.onnx")
                    paths[-1].write_bytes(changed.SerializeToString())
    return paths


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=run.ROOT / "build")
    parser.add_argument("--filter", default="", help="of OP_CHANGE, as Softmax_axis")
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory(prefix="ampc-sweep-") as name:
        paths = write(pathlib.Path(name), options.filter)
        rest = paths
        while rest:
            done = subprocess.run(
                [options.build.resolve() / "bin" / "fuzz-onnx", *rest[:BATCH]],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=run.ENVIRONMENT,
                text=True, errors="replace", cwd=name,
            )
            ran = min(BATCH, len(rest))
            if done.returncode:
                failures += 1
                # It names each input before it runs it.
                last = re.findall(re.escape(name) + r"/\S+\.onnx", done.stdout)[-1]
                ran = rest.index(pathlib.Path(last)) + 1
                tail = done.stdout[done.stdout.rindex(last) + len(last) :].strip().splitlines()
                print(f"FAIL {os.path.basename(last)}: exit code {done.returncode}: {tail[:1]}", flush=True)
            rest = rest[ran:]
    print(f"sweep: {len(paths)} models, {failures} failures")
    return 1 if failures or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
