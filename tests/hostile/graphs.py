"""Graphs that are not what a graph may be."""

from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, helper

from harness import Case, model, node, tensor, value

GOOD = model([node("Relu")]).SerializeToString()


def attribute(op, inputs="x", initializers=(), **attributes):
    return model([node(op, inputs, **attributes)], initializers=initializers)


def raw_attribute(op, **fields):
    proto = NodeProto(op_type=op, input=["x"], output=["y"], name="odd")
    proto.attribute.append(AttributeProto(**fields))
    return model([proto])


def reshaped(*sizes, dims=(4,)):
    return model(
        [node("Reshape", "x to")],
        [value("x", dims)],
        [value("y", ())],
        [tensor("to", [len(sizes)], sizes, TensorProto.INT64)],
    )


def without_outputs():
    proto = model([node("Relu")])
    del proto.graph.output[:]
    return proto


def typeless(which):
    proto = model([node("Relu")])
    getattr(proto.graph, which)[0].ClearField("type")
    return proto


CASES = [
    # Bytes that are no model.
    Case("empty_file", b"", "is empty"),
    Case("truncated", GOOD[: len(GOOD) // 2], "is not an ONNX model|truncated"),
    Case("random_bytes", bytes(range(256)) * 40, "is not an ONNX model"),
    Case("zeros", bytes(4096), "is not an ONNX model"),
    Case("only_ir_version", ModelProto(ir_version=8).SerializeToString(), "not an ONNX model"),
    Case("empty_graph", model([], [], []), "no outputs"),
    Case("text_in_onnx", b"<ir_version: 8> g (float[n] x) => (float[n] y) {}", "is not an ONNX"),
    # Names that callers could not say.
    Case("input_with_nul", model([NodeProto(op_type="Relu", input=["x\0y"], output=["y"])], ["x\0y"]),
         "an input 'x.y', with control characters"),
    Case("output_of_two_lines", model([NodeProto(op_type="Relu", input=["x"], output=["y\nz"])], outputs=["y\nz"]),
         "an output 'y.+z', with control characters"),
    # Versions.
    Case("ir_version_0", model([node("Relu")], ir_version=0), "IR version 0"),
    Case("ir_version_99", model([node("Relu")], ir_version=99), "IR version 99"),
    Case("ir_version_negative", model([node("Relu")], ir_version=-3), "IR version -3"),
    Case("opset_0", model([node("Relu")], opset=0), "opset 0 of"),
    Case("opset_huge", model([node("Relu")], opset=2**62), "known are 1 to"),
    Case("opset_1000", model([node("Relu")], opset=1000), "opset 1000 of"),
    Case("opset_missing", model([node("Relu")], opset=None), "opset"),
    Case("opset_twice", model([node("Relu")], opsets=[("", 13)]), "opset.*twice|imported twice"),
    Case(
        "domain_unknown",
        model([node("Relu", domain="com.none")]),
        "node #0 \\(com.none.Relu\\): .*domain 'com.none'",
    ),
    # Names.
    Case("cycle", model([node("Relu", "b", "a"), node("Relu", "a", "b")], outputs=["b"]), "node.*'b'"),
    Case("cycle_of_one", model([node("Relu", "y", "y")]), "node.*'y'"),
    Case("undefined_input", model([node("Add", "x nothing")]), "node.*'nothing'"),
    Case("defined_later", model([node("Relu", "a", "y"), node("Relu", "x", "a")]), "node.*'a'"),
    Case("defined_twice", model([node("Relu"), node("Neg")]), "'y'"),
    Case("output_twice_in_node", model([node("Split", "x", "y y")]), "'y'"),
    Case("redefines_input", model([node("Relu", "x", "x")], outputs=["x"]), "'x'"),
    Case("inputs_alike", model([node("Relu")], ["x", "x"]), "'x'"),
    Case("output_undefined", model([node("Relu")], outputs=["z"]), "output 'z'"),
    Case("no_outputs", without_outputs(), "no outputs"),
    Case("no_nodes", model([], outputs=["z"]), "output 'z'"),
    Case("name_with_newline", model([helper.make_node("Relu", ["a\nb"], ["y"])]), "reads 'a b'"),
    Case("name_of_a_megabyte", model([helper.make_node("Relu", ["a" * 2**20], ["y"])]), "reads 'aaa"),
    Case("name_empty_input", model([node("Relu")], ["x", ""]), "input.*name"),
    Case("output_empty", model([node("Relu")], outputs=["y", ""]), "output.*name"),
    # Types.
    Case("input_without_type", typeless("input"), "'x'"),
    Case("output_type_wrong", model([node("Relu")], outputs=[value("y", ("n",), 7)]), "output 'y'"),
    Case("output_rank_stale", model([node("Relu")], outputs=[value("y", ("n", 4))])),
    Case("output_size_stale", model([node("Relu")], [value("x", (3,))], [value("y", (4,))])),
    Case("element_type_0", model([node("Relu")], [value("x", (3,), 0)]), "'x'"),
    Case("element_type_99", model([node("Relu")], [value("x", (3,), 99)]), "'x'"),
    Case("input_without_shape", model([node("Relu")], [value("x", None)], [value("y", ())]), "input 'x'.*shape"),
    Case("types_differ", model([node("Add", "x z")], ["x", value("z", ("n",), 7)]), "node #0 \\(Add"),
    Case("dims_overflow", model([node("Relu")], [value("x", (2**40, 2**40))], [value("y", ())]), "'x'"),
    Case("dims_beyond_memory", model([node("Relu")], [value("x", (2**61, 2))], [value("y", ())]), "'x'"),
    Case("dim_huge_inside", model([node("Expand", "x to")], outputs=[value("y", ())],
         initializers=[tensor("to", [3], [2**31, 2**31, 1], 7)]), "Expand"),
    Case("rank_1000", model([node("Relu")], [value("x", (1,) * 1000)], [value("y", ())])),
    # Nodes.
    Case("op_type_empty", model([node("")]), "op"),
    Case("too_many_inputs", model([node("Relu", "x x x")]), "Relu"),
    Case("too_few_inputs", model([node("Add", "x")]), "Add"),
    Case("too_many_outputs", model([node("Relu", "x", "y z")]), "Relu"),
    Case("axis_beyond", attribute("Softmax", axis=7), "Softmax.*axis"),
    Case("axis_int64_min", attribute("Softmax", axis=-(2**63)), "Softmax.*axis"),
    Case("attribute_unknown", attribute("Relu", nonsense=1), "nonsense"),
    Case("attribute_wrong_type", attribute("Softmax", axis="one"), "axis"),
    Case("attribute_twice", model([NodeProto(op_type="Softmax", input=["x"], output=["y"], attribute=[
        helper.make_attribute("axis", 0), helper.make_attribute("axis", 0)])]), "axis"),
    Case("attribute_reference_outside", raw_attribute(
        "Softmax", name="axis", ref_attr_name="axis", type=AttributeProto.INT), "axis"),
    Case("attribute_two_values", raw_attribute(
        "Softmax", name="axis", i=0, f=1.0, type=AttributeProto.INT), "axis"),
    Case("attribute_without_type", raw_attribute("Softmax", name="axis", i=0), "axis"),
    Case("required_attribute_missing", model([node("Cast")]), "Cast.*to"),
    Case("cast_to_nothing", attribute("Cast", to=99), "Cast"),
    Case("keepdims_huge", attribute("ReduceMax", keepdims=2**40), "ReduceMax"),
    Case("reshape_negative", reshaped(-5, 2), "Reshape"),
    Case("reshape_two_unknown", reshaped(-1, -1), "Reshape"),
    Case("reshape_overflow", reshaped(2**32, 2**32), "Reshape"),
    Case("reshape_zero_beyond", reshaped(2, 2, 0), "Reshape"),
    Case("reshape_does_not_fit", reshaped(5), "Reshape"),
    Case("transpose_permutation", model([node("Transpose", perm=[0, 0])], [value("x", (2, 3))],
         [value("y", ())]), "Transpose"),
    Case("conv_stride_zero", model([node("Conv", "x w", strides=[0, 0])], [value("x", (1, 1, 4, 4))],
         [value("y", ())], [tensor("w", [1, 1, 1, 1], [1])]), "Conv"),
    Case("conv_pads_huge", model([node("Conv", "x w", pads=[2**62] * 4)], [value("x", (1, 1, 4, 4))],
         [value("y", ())], [tensor("w", [1, 1, 1, 1], [1])]), "Conv"),
    Case("conv_group_zero", model([node("Conv", "x w", group=0)], [value("x", (1, 1, 4, 4))],
         [value("y", ())], [tensor("w", [1, 1, 1, 1], [1])]), "Conv"),
    Case("conv_dilation_negative", model([node("Conv", "x w", dilations=[-1, -1])], [value("x", (1, 1, 4, 4))],
         [value("y", ())], [tensor("w", [1, 1, 2, 2], [1] * 4)]), "Conv"),
    Case("pool_kernel_zero", model([node("MaxPool", kernel_shape=[0, 0])], [value("x", (1, 1, 4, 4))],
         [value("y", ())]), "MaxPool"),
    Case("pool_kernel_huge", model([node("MaxPool", kernel_shape=[2**40, 2**40])],
         [value("x", (1, 1, 4, 4))], [value("y", ())]), "MaxPool"),
    Case("split_num_zero", model([node("Split", "x", "y", num_outputs=0)], opset=18), "Split"),
    Case("topk_beyond", model([node("TopK", "x k", "y i")], [value("x", (3,))], [value("y", ())],
         [tensor("k", [1], [4], 7)]), "TopK"),
    Case("topk_negative", model([node("TopK", "x k", "y i")], [value("x", (3,))], [value("y", ())],
         [tensor("k", [1], [-4], 7)]), "TopK"),
    Case("range_huge", model([node("Range", "a b c", "r"), node("Cast", "r", "f", to=1), node("Add", "x f")],
         outputs=[value("y", ())], initializers=[tensor("a", [], [0], 7), tensor("b", [], [2**62], 7),
         tensor("c", [], [1], 7)]), "Range"),
    Case("range_step_zero", model([node("Range", "a b c", "r"), node("Cast", "r", "f", to=1), node("Add", "x f")],
         outputs=[value("y", ())], initializers=[tensor("a", [], [0], 7), tensor("b", [], [9], 7),
         tensor("c", [], [0], 7)]), "Range"),
    Case("tile_huge", model([node("Tile", "x r")], [value("x", (4,))], [value("y", ())],
         [tensor("r", [1], [2**61], 7)]), "Tile"),
    Case("tile_negative", model([node("Tile", "x r")], [value("x", (4,))], [value("y", ())],
         [tensor("r", [1], [-1], 7)]), "Tile"),
    Case("pad_huge", model([node("Pad", "x p")], [value("x", (4,))], [value("y", ())],
         [tensor("p", [2], [2**62, 2**62], 7)]), "Pad"),
    Case("pad_removes_all", model([node("Pad", "x p")], [value("x", (4,))], [value("y", ())],
         [tensor("p", [2], [-3, -3], 7)]), "Pad"),
    Case("constant_of_shape_huge", model([node("ConstantOfShape", "s", "c"), node("Add", "x c")],
         outputs=[value("y", ())], initializers=[tensor("s", [2], [2**40, 2**40], 7)]), "ConstantOfShape"),
    Case("constant_of_shape_negative", model([node("ConstantOfShape", "s", "c"), node("Add", "x c")],
         outputs=[value("y", ())], initializers=[tensor("s", [1], [-2], 7)]), "ConstantOfShape"),
    Case("resize_scale_nan", model([node("Resize", "x  s")], [value("x", (1, 1, 4, 4))], [value("y", ())],
         [tensor("s", [4], [1, 1, float("nan"), 1])]), "Resize"),
    Case("resize_scale_huge", model([node("Resize", "x  s")], [value("x", (1, 1, 4, 4))], [value("y", ())],
         [tensor("s", [4], [1, 1, 1e30, 1])]), "Resize"),
    Case("onehot_depth_huge", model([node("OneHot", "i d v")], [value("i", (2,), 7)], [value("y", ())],
         [tensor("d", [], [2**62], 7), tensor("v", [2], [0, 1])]), "OneHot"),
    Case("col2im_huge", model([node("Col2Im", "x i b")], [value("x", (1, 4, 4))], [value("y", ())],
         [tensor("i", [2], [2**62, 2**62 + 3], 7), tensor("b", [2], [2, 2], 7)], opset=18), "Col2Im"),
    Case("einsum_nonsense", attribute("Einsum", equation="i->jjjj((,"), "Einsum"),
    Case("depth_to_space_zero", model([node("DepthToSpace", blocksize=0)], [value("x", (1, 4, 2, 2))],
         [value("y", ())]), "DepthToSpace"),
    Case("expand_negative", model([node("Expand", "x to")], [value("x", (1,))], [value("y", ())],
         [tensor("to", [1], [-7], 7)]), "Expand"),
    Case("slice_step_zero", model([node("Slice", "x s e a t")], outputs=[value("y", ())], initializers=[
        tensor("s", [1], [0], 7), tensor("e", [1], [1], 7), tensor("a", [1], [0], 7),
        tensor("t", [1], [0], 7)]), "Slice"),
    Case("concat_nothing", model([node("Concat", "", axis=0)]), "Concat"),
    Case("gemm_of_vectors", model([node("Gemm", "x x")]), "Gemm"),
    # What looks odd and is allowed.
    Case("input_is_output", model([], outputs=["x"])),
    Case("initializer_is_output", model([node("Relu")], outputs=["y", value("w", (2,))],
         initializers=[tensor("w", [2], [1, 2])])),
    Case("output_listed_twice", model([node("Relu")], outputs=["y", "y"]), "two outputs 'y'"),
    Case("nothing_computed", model([], inputs=[], outputs=[value("w", (2,))],
         initializers=[tensor("w", [2], [1, 2])])),
    Case("weights_nan_and_inf", model([node("Mul", "x w")], [value("x", (4,))], initializers=[
        tensor("w", [4], [float("nan"), float("inf"), -float("inf"), 1e-45])], outputs=[value("y", ())])),
    Case("names_with_spaces_and_unicode", model([helper.make_node("Relu", ["ein gang/0:é"], ["y"])],
         ["ein gang/0:é"])),
    Case("slice_int64_bounds", model([node("Slice", "x s e a t")], outputs=[value("y", ())], initializers=[
        tensor("s", [1], [-(2**63)], 7), tensor("e", [1], [2**63 - 1], 7), tensor("a", [1], [-1], 7),
        tensor("t", [1], [2**63 - 1], 7)])),
    Case("dim_negative", model([node("Relu")], [value("x", (-1, 3))], [value("y", ())])),
]
