"""Builds ONNX models node by node."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """Collects nodes; every method returns the name of its result."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def weight(self, value) -> str:
        self.weights.append(numpy_helper.from_array(np.asarray(value), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def __call__(self, op, *inputs, **attributes) -> str:
        names = [i if isinstance(i, str) else self.weight(i) for i in inputs]
        output = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, names, [output], f"{op}_{output}", **attributes))
        return output

    def model(self, inputs, outputs, opset=17) -> onnx.ModelProto:
        graph = helper.make_graph(
            self.nodes, "g", inputs,
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, [None] * r) for n, r in outputs],
            self.weights,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                                 ir_version=8)


def tensor(name, *dims, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, dims)


def gelu(g: Graph, x: str) -> str:
    half = g("Add", g("Erf", g("Div", x, np.float32(np.sqrt(2)))), np.float32(1))
    return g("Mul", g("Mul", x, half), np.float32(0.5))
