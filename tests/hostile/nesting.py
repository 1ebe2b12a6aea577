"""Models whose structure is deep, recursive or grows without bound."""

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, helper

from harness import Case, model, node, tensor, value


def function(name, nodes, inputs="a", outputs="b", domain="my", opsets=(("", 17), ("my", 1))):
    proto = FunctionProto(name=name, domain=domain, input=inputs.split(), output=outputs.split())
    proto.node.extend(nodes)
    proto.opset_import.extend(helper.make_opsetid(*o) for o in opsets)
    return proto


def call(name, inputs="x", outputs="y"):
    return node(name, inputs, outputs, domain="my")


def functions(*all, first="F"):
    return model([call(first)], functions=all, opsets=[("my", 1)])


def chain(length, op="Relu"):
    names = ["x", *(f"v{i}" for i in range(length - 1)), "y"]
    return model([node(op, a, b) for a, b in zip(names, names[1:])])


def nested_ifs(depth):
    """Innermost first: each If's branches are graphs around the one before."""
    inner = [node("Relu", "x", f"o{depth}")]
    for level in reversed(range(depth)):
        branch = GraphProto(name=f"g{level}")
        branch.node.extend(inner)
        branch.output.append(value(f"o{level + 1}"))
        inner = [node("If", "c", f"o{level}", then_branch=branch, else_branch=branch)]
    return model(inner, ["x", value("c", (), 9)], ["o0"])


def nested_ifs_deep(depth):
    """One branch deep, as bytes, since Python's protobuf would not write it."""

    def field(number, payload):
        size, length = b"", len(payload)
        while True:
            size += bytes([length & 127 | (128 if length > 127 else 0)])
            length >>= 7
            if not length:
                break
        return bytes([number << 3 | 2]) + size + payload

    graph = NodeProto(op_type="Relu", input=["x"], output=["y"]).SerializeToString()
    graph = field(1, graph) + field(2, b"g")
    for _ in range(depth):
        attribute = field(1, b"then_branch") + field(6, graph) + b"\xa0\x01\x05"
        branch = field(1, b"c") + field(2, b"y") + field(4, b"If") + field(5, attribute)
        graph = field(1, branch) + field(2, b"g")
    head = ModelProto(ir_version=8).SerializeToString()
    return head + field(7, graph) + field(8, helper.make_opsetid("", 17).SerializeToString())


def nested_text(depth):
    opening = "y = If(c) <then_branch = g () => (float[n] y) {" * depth
    return (
        '<ir_version: 8, opset_import: ["" : 17]> g (float[n] x, bool c) => (float[n] y) {'
        + opening
        + "y = Relu(x)"
        + "}>" * depth
        + "}"
    )


def doubling(levels):
    """F0 calls F1 twice, which calls F2 twice, ..."""
    last = function(f"F{levels}", [node("Neg", "a", "b")])
    others = [
        function(f"F{i}", [call(f"F{i + 1}", "a", "t"), call(f"F{i + 1}", "t", "b")])
        for i in range(levels)
    ]
    return functions(*others, last, first="F0")


def deep(levels):
    last = function(f"F{levels}", [node("Neg", "a", "b")])
    others = [function(f"F{i}", [call(f"F{i + 1}", "a", "b")]) for i in range(levels)]
    return functions(*others, last, first="F0")


def branch(nodes, output):
    return helper.make_graph(nodes, "branch", [], [value(output, None)])


def if_of(condition):
    """`condition` is the declared input."""
    return model(
        [node("If", "c", "y", then_branch=branch([node("Neg", "x", "p")], "p"),
              else_branch=branch([node("Abs", "x", "q")], "q"))],
        ["x", condition],
    )


def branches_of_two_ranks():
    """The first is compiled, a second time. Constants are raw bytes, which are moved."""
    weight = lambda: node("Constant", "", "w", value=tensor("", [3], raw_data=bytes(12)))
    low = [weight(), node("Add", "x w", "p")]
    high = [weight(), node("Add", "x w", "a"), node("Unsqueeze", "a zero", "q")]
    return model(
        [node("Shape", "x", "s"), node("Equal", "s three", "e"), node("Squeeze", "e", "c"),
         node("If", "c", "y", then_branch=branch(low, "p"), else_branch=branch(high, "q"))],
        outputs=[value("y", None)],
        initializers=[tensor("three", [1], [3], 7), tensor("zero", [1], [0], 7)],
    )


def loop_of(condition, trips):
    """Both are declared inputs."""
    proto = loop(1)
    del proto.graph.initializer[:]
    del proto.graph.node[0].input[:2]
    proto.graph.node[0].input[:] = ["m", "c", "x"]
    proto.graph.input.extend([trips, condition])
    return proto


def loop(trips, nodes=1):
    body = GraphProto(name="body")
    names = ["s", *(f"t{i}" for i in range(nodes - 1)), "s_out"]
    body.node.extend(node("Neg", a, b) for a, b in zip(names, names[1:]))
    body.node.append(node("Identity", "cond", "cond_out"))
    body.input.extend([value("i", (), 7), value("cond", (), 9), value("s")])
    body.output.extend([value("cond_out", (), 9), value("s_out")])
    return model(
        [node("Loop", "m  x", "y", body=body)],
        initializers=[tensor("m", [], [trips], 7)],
    )


CASES = [
    Case("recursive_function", functions(function("F", [call("F", "a", "b")])), "my\\.F.*(calls itself|recurs)"),
    Case("mutual_recursion", functions(function("F", [call("G", "a", "b")]), function("G", [call("F", "a", "b")])),
         "calls itself|recurs"),
    Case("recursion_in_branch", functions(function("F", [node("If", "a", "b",
         then_branch=helper.make_graph([call("F", "a", "p")], "t", [], [value("p")]),
         else_branch=helper.make_graph([node("Neg", "a", "q")], "e", [], [value("q")]))])), "calls itself|recurs"),
    Case("recursion_not_called", model([node("Relu")], functions=[function("F", [call("F", "a", "b")])],
         opsets=[("my", 1)]), "calls itself|recurs"),
    Case("functions_double", doubling(40), "nodes"),
    Case("functions_deep", deep(1000), "deep"),
    Case("functions_deep_within_bounds", deep(20)),
    Case("function_twice", functions(function("F", [node("Neg", "a", "b")]), function("F", [node("Relu", "a", "b")])), "my.*F"),
    Case("function_output_undefined", functions(function("F", [node("Neg", "a", "c")])), "F.*'?b'?"),
    Case("function_reads_outside", functions(function("F", [node("Add", "a x", "b")])), "'?x'?"),
    Case("function_too_many_inputs", model([call("F", "x x")], functions=[function("F", [node("Neg", "a", "b")])],
         opsets=[("my", 1)]), "F"),
    Case("function_too_many_outputs", model([call("F", "x", "y z")], outputs=["y", "z"],
         functions=[function("F", [node("Neg", "a", "b")])], opsets=[("my", 1)]), "F"),
    Case("function_unknown_attribute", functions(function("F", [NodeProto(op_type="Softmax", input=["a"],
         output=["b"], attribute=[AttributeProto(name="axis", ref_attr_name="nothing", type=AttributeProto.INT)])])),
         "nothing"),
    Case("function_shadows_standard_op", model([node("Relu")], functions=[function("Relu", [node("Neg", "a", "b")], domain="")])),
    Case("function_opset_conflict", functions(function("F", [node("Neg", "a", "b")], opsets=[("", 13)]))),
    Case("function_opset_missing", functions(function("F", [node("Neg", "a", "b")], opsets=[]))),
    Case("subgraphs_deep", nested_ifs_deep(1000), "nested|deep|is not an ONNX"),
    Case("subgraphs_deep_30", nested_ifs_deep(30), "If.*branch"),
    Case("subgraphs_deep_text", nested_text(1000), "nested|deep"),
    Case("subgraphs_very_deep_text", nested_text(100000), "nested|deep"),
    Case("parentheses_deep_text", "<" * 100000, "."),
    Case("subgraph_doubling", nested_ifs(17), "more than 100000 nodes.*--max-nodes"),
    Case("subgraph_doubling_within_bounds", nested_ifs(10)),
    Case("if_condition", if_of(value("c", (), 9))),
    Case("if_condition_float", if_of(value("c", ())), "node #0 \\(If.*input 0 is a tensor\\(float\\)"),
    Case("if_condition_of_two", if_of(value("c", (2,), 9)), "If.*condition"),
    Case("if_branches_of_two_ranks", branches_of_two_ranks()),
    Case("loop_condition_float", loop_of(value("c", ()), value("m", (), 7)), "Loop.*input 1 is a tensor\\(float\\)"),
    Case("loop_trips_float", loop_of(value("c", (), 9), value("m", ())), "Loop.*input 0 is a tensor\\(float\\)"),
    Case("loop_long", loop(10**9), "Loop"),
    Case("loop_int64", loop(2**63 - 1), "Loop"),
    Case("chain", chain(10_000)),
    Case("chain_100001", chain(100_001), "more than 100000 nodes.*--max-nodes"),
    Case("max_nodes", chain(11), "more than 10 nodes.*--max-nodes", options=["--max-nodes=10"]),
    Case("fan_out", model([*(node("Neg", "x", f"a{i}") for i in range(2000)),
         node("Sum", " ".join(f"a{i}" for i in range(2000)))])),
    Case("many_joined", model([node("Concat", " ".join(["x"] * 1000), axis=0)])),
    Case("many_computed_joined", model([*(node("Neg", "x", f"a{i}") for i in range(500)),
         node("Concat", " ".join(f"a{i}" for i in range(500)), axis=0)])),
    Case("many_inputs", model([node("Sum", " ".join(f"x{i}" for i in range(3000)))], [f"x{i}" for i in range(3000)])),
    Case("unused_dangling", model([node("Relu"), node("Neg", "x", "z")])),
]
