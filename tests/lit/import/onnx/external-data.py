"""External data stays in its file, and only files inside the model's folder are read.

RUN: rm -rf %t && mkdir -p %t/model && %python %s %t
RUN: ampc %t/model/good.onnx -o %t/good.mlir && FileCheck %s < %t/good.mlir
CHECK: amp.weight_data @{{"?}}w{{"?}} = dense_resource<w> : tensor<512xf32>

RUN: not ampc %t/model/absolute.onnx -o %t/no.so 2>&1 | FileCheck %s --check-prefix=ABSOLUTE
ABSOLUTE: absolute.onnx: {{.*}}absolute path
RUN: not ampc %t/model/parent.onnx -o %t/no.so 2>&1 | FileCheck %s --check-prefix=PARENT
PARENT: parent.onnx: {{.*}}outside the directory
RUN: not ampc %t/model/link.onnx -o %t/no.so 2>&1 | FileCheck %s --check-prefix=LINK
LINK: link.onnx: {{.*}}symbolic link
RUN: not ampc %t/model/missing.onnx -o %t/no.so 2>&1 | FileCheck %s --check-prefix=MISSING
MISSING: missing.onnx: {{.*}}none.bin
RUN: not ampc %t/model/past.onnx -o %t/no.so 2>&1 | FileCheck %s --check-prefix=PAST
PAST: past.onnx: initializer 'w' external data at offset 4 of size 2048 ends past the end of 'w.bin' (2048 bytes)
RUN: not ampc %t/model/negative.onnx -o %t/no.so 2>&1 | FileCheck %s --check-prefix=NEGATIVE
NEGATIVE: negative.onnx: initializer 'w' external data has offset '-4', not a number
RUN: not ampc %t/model/short.onnx -o %t/no.so 2>&1 | FileCheck %s --check-prefix=SHORT
SHORT: short.onnx: initializer 'w' external data has length 8 where the type needs 2048
RUN: not ls %t/no.so
"""

import os
import sys

import numpy as np
from onnx import TensorProto as T
from onnx import helper

folder = sys.argv[1]
np.arange(512, dtype=np.float32).tofile(f"{folder}/model/w.bin")
np.arange(512, dtype=np.float32).tofile(f"{folder}/outside.bin")
os.symlink("../outside.bin", f"{folder}/model/link.bin")


def model(name, **external):
    weight = T(name="w", data_type=T.FLOAT, dims=[512], data_location=T.EXTERNAL)
    for key, value in external.items():
        weight.external_data.add(key=key, value=str(value))
    vector = lambda name: helper.make_tensor_value_info(name, T.FLOAT, [512])
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])], "g", [vector("x")], [vector("y")], [weight]
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
    with open(f"{folder}/model/{name}.onnx", "wb") as file:
        file.write(proto.SerializeToString())


model("good", location="w.bin", offset=0, length=2048)
model("absolute", location=f"{os.path.abspath(folder)}/outside.bin")
model("parent", location="../outside.bin")
model("link", location="link.bin")
model("missing", location="none.bin")
model("past", location="w.bin", offset=4)
model("negative", location="w.bin", offset=-4)
model("short", location="w.bin", length=8)
