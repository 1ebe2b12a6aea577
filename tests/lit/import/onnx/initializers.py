"""Initializers in every encoding are the numbers they encode, once each.

RUN: rm -rf %t && mkdir %t && %python %s %t
RUN: ampc %t/encodings.onnx -o %t/encodings.mlir
RUN: FileCheck %s < %t/encodings.mlir
RUN: ampc %t/large.onnx -o %t/large.mlir && FileCheck %s --check-prefix=LARGE < %t/large.mlir
RUN: ampc %t/default.onnx -o %t/default.mlir && FileCheck %s --check-prefix=DEFAULT < %t/default.mlir

CHECK-DAG: dense<[1.500000e+00, -2.000000e+00]> : tensor<2xf16>
CHECK-DAG: dense<[5.000000e-01, 3.000000e+00]> : tensor<2xbf16>
CHECK-DAG: dense<[true, false]> : tensor<2xi1>
CHECK-DAG: dense<[-1, 7]> : tensor<2xi8>
CHECK-DAG: dense<[-56, 7]> : tensor<2xi8>
CHECK-DAG: dense<[1.250000e+00, -8.000000e+00]> : tensor<2xf64>
CHECK-DAG: dense<[-1, 2]> : tensor<2xi64>
CHECK-DAG: dense<3.000000e+00> : tensor<f32>
CHECK-DAG: dense<> : tensor<0x3xf32>

Above 1 KiB: a weight, and equal ones are one.
LARGE: amp.weight_data @{{"?}}a
LARGE-NOT: amp.weight_data
LARGE: func.func @main
LARGE-COUNT-2: amp.weight @{{"?}}a{{"?}} : tensor<300xf32>

An input that has an initializer is that constant.
DEFAULT: func.func @main(%arg0: tensor<2xf32>
DEFAULT-NOT: %arg1
DEFAULT-SAME: ->
DEFAULT: dense<[1.000000e+00, 2.000000e+00]>
"""

import sys

import numpy as np
from onnx import TensorProto as T
from onnx import helper, numpy_helper, save

folder = sys.argv[1]


def model(name, inputs, initializers, outputs, nodes, ir_version=8):
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
    opsets = [helper.make_opsetid("", 15)]
    save(
        helper.make_model(graph, opset_imports=opsets, ir_version=ir_version),
        f"{folder}/{name}.onnx",
    )


def typed(name, dtype, dims, field, values):
    tensor = T(name=name, data_type=dtype, dims=dims)
    getattr(tensor, field).extend(values)
    return tensor


tensors = [
    typed("half", T.FLOAT16, [2], "int32_data", [0x3E00, 0xC000]),
    typed("brain", T.BFLOAT16, [2], "int32_data", [0x3F00, 0x4040]),
    typed("flag", T.BOOL, [2], "int32_data", [1, 0]),
    typed("small", T.INT8, [2], "int32_data", [-1, 7]),
    typed("byte", T.UINT8, [2], "int32_data", [200, 7]),
    typed("wide", T.DOUBLE, [2], "double_data", [1.25, -8]),
    typed("long", T.UINT64, [2], "uint64_data", [2**64 - 1, 2]),
    typed("scalar", T.FLOAT, [], "float_data", [3]),
    numpy_helper.from_array(np.zeros((0, 3), np.float32), "empty"),
]
model(
    "encodings",
    [],
    tensors,
    [helper.make_tensor_value_info(t.name + "_", t.data_type, t.dims) for t in tensors],
    [helper.make_node("Identity", [t.name], [t.name + "_"]) for t in tensors],
)

row = np.arange(300, dtype=np.float32)
vector = lambda name: helper.make_tensor_value_info(name, T.FLOAT, [300])
model(
    "large",
    [vector("x")],
    [
        numpy_helper.from_array(row, "a"),
        typed("b", T.FLOAT, [300], "float_data", row.tolist()),
    ],
    [vector("y")],
    [helper.make_node("Add", ["x", "a"], ["s"]), helper.make_node("Mul", ["s", "b"], ["y"])],
)

pair = lambda name: helper.make_tensor_value_info(name, T.FLOAT, [2])
model(
    "default",
    [pair("x"), pair("w")],
    [numpy_helper.from_array(np.array([1, 2], np.float32), "w")],
    [pair("y")],
    [helper.make_node("Add", ["x", "w"], ["y"])],
    ir_version=3,
)
