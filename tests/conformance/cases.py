"""ONNX's node tests as files: FOLDER/<name>/{model.onnx,input_<i>.pb,output_<i>.pb}.

The onnx package generates the tests in Python and does not ship them as files.
"""

import pathlib
import shutil
import warnings

import onnx
from onnx import numpy_helper


def _serialize(value, value_info: onnx.ValueInfoProto) -> bytes:
    if hasattr(value, "SerializeToString"):
        return value.SerializeToString()
    convert = {
        "tensor_type": numpy_helper.from_array,
        "sequence_type": numpy_helper.from_list,
        "optional_type": numpy_helper.from_optional,
        "map_type": numpy_helper.from_dict,
    }[value_info.type.WhichOneof("value")]
    return convert(value, value_info.name).SerializeToString()


def _parse(data: bytes, value_info: onnx.ValueInfoProto):
    proto, convert = {
        "tensor_type": (onnx.TensorProto, numpy_helper.to_array),
        "sequence_type": (onnx.SequenceProto, numpy_helper.to_list),
        "optional_type": (onnx.OptionalProto, numpy_helper.to_optional),
        "map_type": (onnx.MapProto, numpy_helper.to_dict),
    }[value_info.type.WhichOneof("value")]
    message = proto()
    message.ParseFromString(data)
    return convert(message)


def generate(folder: pathlib.Path) -> "list[str]":
    """Writes the tests unless this version's are there, and returns their names.
    Those of the training operators' domain are left out."""
    index = folder / "index.txt"
    title = f"onnx {onnx.__version__}"
    if index.exists():
        lines = index.read_text().splitlines()
        if lines[0] == title:
            return lines[1:]
    shutil.rmtree(folder, ignore_errors=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Of tests that overflow on purpose.
        from onnx.backend.test.case.node import collect_testcases

        cases = collect_testcases(None)
    names = []
    for case in cases:
        graph = case.model.graph
        if any(node.domain == "ai.onnx.preview.training" for node in graph.node):
            continue
        ((inputs, outputs),) = case.data_sets
        where = folder / case.name
        where.mkdir(parents=True)
        (where / "model.onnx").write_bytes(case.model.SerializeToString())
        for kind, values, infos in (
            ("input", inputs, graph.input),
            ("output", outputs, graph.output),
        ):
            for i, (value, info) in enumerate(zip(values, infos, strict=True)):
                (where / f"{kind}_{i}.pb").write_bytes(_serialize(value, info))
        names.append(case.name)
    index.write_text("\n".join([title, *names]) + "\n")
    return names


def load(folder: pathlib.Path, name: str) -> "tuple[list, list]":
    """Inputs and expected outputs of one test."""
    where = folder / name
    graph = onnx.load(where / "model.onnx").graph
    return tuple(
        [
            _parse((where / f"{kind}_{i}.pb").read_bytes(), info)
            for i, info in enumerate(infos)
        ]
        for kind, infos in (("input", graph.input), ("output", graph.output))
    )
