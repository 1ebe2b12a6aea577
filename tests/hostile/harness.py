"""Runs ampc on hostile input and judges how it fails.

A refusal is exit code 1 (2 for wrong usage), only lines of the form
`ampc: error: ...`, one of which matches what is expected, and nothing left behind.
A crash, a Python-like traceback, a hang, or a file too many fails the case.
"""

import os
import pathlib
import re
import resource
import signal
import subprocess
from dataclasses import dataclass, field
from typing import Callable, Sequence, Union

import onnx
from onnx import TensorProto, helper

# Bounds a hang and a memory bomb; neither is a measurement.
SECONDS = 120
BYTES = 8 << 30

Model = Union[onnx.ModelProto, bytes, str, Callable[[pathlib.Path], pathlib.Path]]


@dataclass
class Case:
    """`model` is what stands in the file: a proto, bytes, text in ONNX's syntax, or a
    function that writes it (and what it needs) into a folder and gives its path."""

    name: str
    model: Model
    expect: str = ""  # A regular expression; empty: it has to compile.
    options: Sequence[str] = ()
    code: int = 1
    tool: str = "ampc"
    left: Sequence[str] = field(default=())  # Files that stay, beside the input's.


def write(case: Case, folder: pathlib.Path) -> pathlib.Path:
    if callable(case.model):
        return case.model(folder)
    text = isinstance(case.model, str)
    path = folder / ("model.onnxtxt" if text else "model.onnx")
    if text:
        path.write_text(case.model)
    elif isinstance(case.model, bytes):
        path.write_bytes(case.model)
    else:
        path.write_bytes(case.model.SerializeToString())
    return path


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def execute(command: Sequence[str], **options) -> "tuple[int, str]":
    """Exit code (negative: the signal) and standard error."""
    try:
        done = subprocess.run(
            list(map(str, command)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=SECONDS,
            preexec_fn=limit_memory,
            **options,
        )
    except subprocess.TimeoutExpired:
        return -signal.SIGKILL, f"still ran after {SECONDS} s"
    return done.returncode, done.stderr.decode(errors="replace")


def judge(code: int, text: str, expect: str, wanted: int, tool: str = "ampc") -> "str | None":
    """What is wrong with how the tool ended, or None."""
    if code < 0:
        return f"ended by signal {-code}: {text[-300:]!r}"
    if not expect:
        return None if code == 0 and not text else f"exit code {code}: {text[-300:]!r}"
    if code != wanted:
        return f"exit code {code}, not {wanted}: {text[-300:]!r}"
    lines = text.splitlines()
    strange = [line for line in lines if not line.startswith(f"{tool}: error: ")]
    if strange:
        return f"not an error line: {strange[0]!r}"
    if "internal error" in text:
        return f"an internal error: {text[-300:]!r}"
    if not any(re.search(expect, line) for line in lines):
        return f"no line matches /{expect}/: {text[-500:]!r}"
    if len(text) > 60 * 1200:
        return f"{len(text)} characters of messages"
    return None


def listing(folder: pathlib.Path) -> "set[str]":
    return {os.path.join(at, name) for at, _, names in os.walk(folder) for name in names}


def run_case(
    case: Case, build: pathlib.Path, folder: pathlib.Path, show: bool = False
) -> "str | None":
    inside = folder / "in"
    inside.mkdir(parents=True)
    path = write(case, inside)
    before = listing(folder)
    command = [build / "bin" / "ampc", path, "-o", folder / "out.so", *case.options]
    code, text = execute(command, cwd=folder)
    if show:
        print(f"{folder.name} [{code}] {text}", end="" if text else "\n", flush=True)
    problem = judge(code, text, case.expect, case.code)
    left = {os.path.relpath(p, folder) for p in listing(folder) - before}
    allowed = set(case.left) if case.expect else {"out.so"} | set(case.left)
    if not problem and left != allowed:
        problem = f"files afterwards: {sorted(left)}, expected {sorted(allowed)}"
    if problem or case.options:
        return problem
    # A table or lines; whether it compiles is the exit code.
    code, text = execute([build / "bin" / "ampc", "check", path], cwd=folder)
    if code != (1 if case.expect else 0):
        return f"check: exit code {code}: {text[-300:]!r}"
    strange = [line for line in text.splitlines() if not line.startswith("ampc: error: ")]
    return f"check: not an error line: {strange[0]!r}" if strange else None


# --- Short forms for models ---


def value(name, shape=("n",), dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def node(op, inputs="x", outputs="y", **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def model(
    nodes,
    inputs=("x",),
    outputs=("y",),
    initializers=(),
    opset=17,
    ir_version=8,
    functions=(),
    opsets=(),
    **more,
):
    """Inputs and outputs given by name alone are float[n]."""
    infos = lambda all: [value(v) if isinstance(v, str) else v for v in all]
    graph = helper.make_graph(nodes, "g", infos(inputs), infos(outputs), list(initializers), **more)
    imports = [helper.make_opsetid("", opset)] if opset is not None else []
    imports += [helper.make_opsetid(domain, version) for domain, version in opsets]
    # Not make_model, which refuses some of what is tested here.
    proto = onnx.ModelProto(ir_version=ir_version, graph=graph)
    proto.opset_import.extend(imports)
    proto.functions.extend(functions)
    return proto


def tensor(name, dims, values=(), dtype=TensorProto.FLOAT, **fields):
    """Unchecked: dims and data need not agree."""
    proto = TensorProto(name=name, dims=dims, data_type=dtype, **fields)
    if len(values):
        kind = {TensorProto.FLOAT: "float_data", TensorProto.INT64: "int64_data"}[dtype]
        getattr(proto, kind).extend(values)
    return proto
