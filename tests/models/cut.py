"""A quantised model cut behind each QuantizeLinear, so that every piece takes the
integers that onnxruntime gave to the next.

A rounding error next to a tie makes a whole step there, and what follows amplifies it:
whole runs of correct implementations differ (those of onnxruntime with and without its
optimizer by 1e-2). Cut, each piece is held to what float32 can do.
"""

import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import helper

FLIPPED = 1e-4  # The share of integers that may be a step off; about 1e-5 are.


def quantized_tensors(proto: onnx.ModelProto) -> "list[str]":
    nodes = proto.graph.node
    return [node.output[0] for node in nodes if node.op_type == "QuantizeLinear"]


def oracle(file: pathlib.Path, feeds: "list[dict]") -> "list[dict[str, np.ndarray]]":
    """What onnxruntime, without rewriting the graph, gives for outputs and integers."""
    proto = onnx.load(file)
    names = [output.name for output in proto.graph.output]
    for name in quantized_tensors(proto):
        proto.graph.output.append(helper.make_empty_tensor_value_info(name))
        names.append(name)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return [dict(zip(names, session.run(names, feed))) for feed in feeds]


def write_cut(file: pathlib.Path, destination: pathlib.Path, runs: "list[dict]") -> "list[str]":
    """Integers become outputs, and inputs with `_given` behind their names, which are
    returned. Sizes that differ between the runs are dynamic."""
    proto = onnx.load(file)
    names = quantized_tensors(proto)
    for node in proto.graph.node:
        for i, name in enumerate(node.input):
            if name in names:
                node.input[i] = f"{name}_given"
    for name in names:
        arrays = [run[name] for run in runs]
        sizes = zip(*(array.shape for array in arrays))
        dims = [size[0] if len(set(size)) == 1 else None for size in sizes]
        kind = helper.np_dtype_to_tensor_dtype(arrays[0].dtype)
        proto.graph.input.append(helper.make_tensor_value_info(f"{name}_given", kind, dims))
        proto.graph.output.append(helper.make_tensor_value_info(name, kind, dims))
    onnx.save(proto, destination)
    return names


def differences(name: str, actual: np.ndarray, expected: np.ndarray) -> "list[str]":
    """Of integers: a step at a few places is rounding, anything else is wrong."""
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        return [f"{name}: {actual.dtype}{actual.shape}, not {expected.dtype}{expected.shape}"]
    steps = np.abs(actual.astype(np.int64) - expected)
    most = max(1, FLIPPED * steps.size)
    if steps.max(initial=0) <= 1 and steps.sum() <= most:
        return []
    return [f"{name}: {np.count_nonzero(steps)} of {steps.size} differ, by up to {steps.max()}"]
