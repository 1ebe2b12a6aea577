"""Writes ResNet-50 (v1.5, batch normalization folded) with random weights.

    resnet50.py OUT.onnx
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper


class Graph:
    def __init__(self):
        self.nodes, self.weights = [], []
        self.random = np.random.default_rng(1)

    def add(self, kind, inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def weight(self, *shape, scale=1.0):
        name = f"w{len(self.weights)}"
        values = self.random.standard_normal(shape) * scale
        self.weights.append(onnx.numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def conv(self, x, channels, out, size, stride=1):
        w = self.weight(out, channels, size, size, scale=(channels * size * size) ** -0.5)
        return self.add("Conv", [x, w, self.weight(out, scale=0.1)],
                        strides=[stride, stride], pads=[size // 2] * 4)

    def block(self, x, channels, width, stride):
        out = 4 * width
        y = self.add("Relu", [self.conv(x, channels, width, 1)])
        y = self.add("Relu", [self.conv(y, width, width, 3, stride)])
        y = self.conv(y, width, out, 1)
        if channels != out:
            x = self.conv(x, channels, out, 1, stride)
        return self.add("Relu", [self.add("Add", [y, x])])


def main(path):
    g = Graph()
    x = g.add("Relu", [g.conv("x", 3, 64, 7, 2)])
    x = g.add("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for stage, blocks in enumerate([3, 4, 6, 3]):
        width = 64 << stage
        for i in range(blocks):
            x = g.block(x, channels, width, 2 if stage and not i else 1)
            channels = 4 * width
    x = g.add("Flatten", [g.add("GlobalAveragePool", [x])])
    x = g.add("Gemm", [x, g.weight(1000, 2048, scale=0.02), g.weight(1000)], transB=1)
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        g.nodes, "resnet50", [info("x", TensorProto.FLOAT, ["batch", 3, 224, 224])],
        [info(x, TensorProto.FLOAT, ["batch", 1000])], g.weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                                ir_version=8), path)


main(sys.argv[1])
