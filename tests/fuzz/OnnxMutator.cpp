//===- OnnxMutator.cpp - Changes that leave a model a model ---------------===//
//
// Bytes that a fuzzer changes blindly rarely parse. These changes keep the
// protobuf and break what it means: names, types, sizes, order, attributes.
//
//===----------------------------------------------------------------------===//

#include <cstring>
#include <onnx/onnx_pb.h>
#include <random>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {

class Mutator {
public:
  Mutator(onnx::ModelProto &model, unsigned seed)
      : random(seed), graph(someGraph(*model.mutable_graph())), model(model) {}

  void mutate() {
    switch (below(18)) {
    case 0:
      return rename();
    case 1:
      return retype();
    case 2:
      return resize();
    case 3:
      return removeNode();
    case 4:
      return repeatNode();
    case 5:
      return swapNodes();
    case 6:
      return makeCycle();
    case 7:
    case 8:
      return changeAttribute();
    case 9:
      return changeTensor();
    case 10:
      return changeOp();
    case 11:
      return changeOpset();
    case 12:
      return makeInitializer();
    case 13:
      return changeArity();
    case 14:
      return nest();
    case 15:
      return makeFunction();
    case 16:
      return makeExternal();
    default:
      return addOutput();
    }
  }

private:
  size_t below(size_t n) { return n ? random() % n : 0; }

  template <typename Field> auto *pick(Field *field) {
    return field->size() ? field->Mutable(int(below(field->size()))) : nullptr;
  }

  /// Mostly the outermost, at times one in a node.
  onnx::GraphProto &someGraph(onnx::GraphProto &outer) {
    auto *node = below(3) ? nullptr : pick(outer.mutable_node());
    auto *attribute = node ? pick(node->mutable_attribute()) : nullptr;
    return attribute && attribute->has_g() ? someGraph(*attribute->mutable_g())
                                           : outer;
  }

  /// Sizes and indices at which things go wrong.
  int64_t number() {
    static const int64_t odd[] = {0,         1,         -1,        2,
                                  7,         64,        65,        1 << 16,
                                  INT32_MAX, INT32_MIN, 1LL << 32, 1LL << 40,
                                  INT64_MAX, INT64_MIN, -2,        3};
    return odd[below(std::size(odd))];
  }

  std::string valueName() {
    if (auto *node = below(3) ? pick(graph.mutable_node()) : nullptr)
      if (auto *output = pick(node->mutable_output()))
        return *output;
    if (auto *input = pick(graph.mutable_input()))
      return input->name();
    return "";
  }

  void rename() {
    if (auto *node = pick(graph.mutable_node()))
      if (auto *name =
              pick(below(2) ? node->mutable_input() : node->mutable_output()))
        *name = below(4) ? valueName() : "";
  }

  onnx::ValueInfoProto *info() {
    return pick(below(3) ? graph.mutable_input() : graph.mutable_output());
  }

  void retype() {
    if (auto *value = info())
      value->mutable_type()->mutable_tensor_type()->set_elem_type(
          int(below(28)));
  }

  void resize() {
    auto *value = info();
    if (!value)
      return;
    auto *shape = value->mutable_type()->mutable_tensor_type()->mutable_shape();
    switch (below(4)) {
    case 0:
      shape->add_dim()->set_dim_value(number());
      break;
    case 1:
      if (shape->dim_size())
        shape->mutable_dim()->RemoveLast();
      break;
    case 2:
      if (auto *dim = pick(shape->mutable_dim()))
        dim->set_dim_param(below(2) ? "n" : "");
      break;
    default:
      if (auto *dim = pick(shape->mutable_dim()))
        dim->set_dim_value(number());
    }
  }

  void removeNode() {
    if (graph.node_size())
      graph.mutable_node()->DeleteSubrange(int(below(graph.node_size())), 1);
  }

  void repeatNode() {
    if (auto *node = pick(graph.mutable_node())) {
      onnx::NodeProto copy = *node;
      for (std::string &output : *copy.mutable_output())
        output += "_";
      *graph.add_node() = copy;
    }
  }

  void swapNodes() {
    if (graph.node_size() > 1)
      graph.mutable_node()->SwapElements(int(below(graph.node_size())),
                                         int(below(graph.node_size())));
  }

  void makeCycle() {
    auto *node = pick(graph.mutable_node());
    if (node && node->input_size() && node->output_size())
      *pick(node->mutable_input()) = *pick(node->mutable_output());
  }

  void changeAttribute() {
    auto *node = pick(graph.mutable_node());
    auto *attribute = node ? pick(node->mutable_attribute()) : nullptr;
    if (!attribute)
      return;
    static const float odd[] = {0,      -1,  1e30f, -1e30f,
                                1e-40f, NAN, 0.5,   INFINITY};
    switch (below(6)) {
    case 0:
      return attribute->set_i(number());
    case 1:
      return attribute->set_f(odd[below(std::size(odd))]);
    case 2:
      return attribute->add_ints(number());
    case 3:
      if (attribute->ints_size())
        attribute->set_ints(int(below(attribute->ints_size())), number());
      return;
    case 4:
      if (attribute->ints_size())
        attribute->mutable_ints()->RemoveLast();
      return;
    default:
      if (attribute->has_t())
        attribute->mutable_t()->add_dims(number());
      else
        attribute->set_s(below(2) ? "" : "SAME_UPPER");
    }
  }

  void changeTensor() {
    auto *tensor = pick(graph.mutable_initializer());
    if (!tensor)
      return;
    switch (below(4)) {
    case 0:
      return tensor->add_dims(number());
    case 1:
      if (tensor->dims_size())
        tensor->set_dims(int(below(tensor->dims_size())), number());
      return;
    case 2:
      return tensor->set_data_type(int(below(28)));
    default:
      if (tensor->raw_data().size() >= 8) {
        int64_t value = number();
        std::memcpy(tensor->mutable_raw_data()->data() +
                        8 * below(tensor->raw_data().size() / 8),
                    &value, 8);
      }
    }
  }

  void changeOp() {
    auto *a = pick(graph.mutable_node()), *b = pick(graph.mutable_node());
    static const char *const ops[] = {
        "Reshape", "Expand",  "Slice",   "Gather",  "Concat", "Shape",
        "Tile",    "Pad",     "Resize",  "Squeeze", "Split",  "Range",
        "Where",   "Add",     "MatMul",  "Einsum",  "TopK",   "Unsqueeze",
        "Cast",    "Flatten", "OneHot",  "If",      "Loop",   "Scan",
        "Conv",    "MaxPool", "Softmax", "Gemm",    "CumSum", "ScatterND"};
    if (a)
      a->set_op_type(below(3) ? ops[below(std::size(ops))] : b->op_type());
  }

  void changeOpset() {
    if (auto *import = pick(model.mutable_opset_import()))
      import->set_version(below(4) ? int64_t(below(29)) : number());
  }

  /// What was an input becomes a constant: shapes are then known at import.
  void makeInitializer() {
    auto *input = pick(graph.mutable_input());
    if (!input)
      return;
    auto *tensor = graph.add_initializer();
    tensor->set_name(input->name());
    const auto &type = input->type().tensor_type();
    tensor->set_data_type(type.elem_type());
    size_t count = 1;
    for (const auto &dim : type.shape().dim()) {
      tensor->add_dims(dim.dim_value());
      count *= dim.dim_value() >= 0 && dim.dim_value() < 64
                   ? size_t(dim.dim_value())
                   : 0;
    }
    for (size_t i = 0; i < std::min<size_t>(count, 256); ++i)
      if (type.elem_type() == onnx::TensorProto::INT64)
        tensor->add_int64_data(number());
      else if (type.elem_type() == onnx::TensorProto::FLOAT)
        tensor->add_float_data(float(number()));
      else
        tensor->add_int32_data(int32_t(number()));
  }

  void changeArity() {
    auto *node = pick(graph.mutable_node());
    if (!node)
      return;
    if (below(2))
      node->add_input(valueName());
    else if (node->input_size())
      node->mutable_input()->RemoveLast();
  }

  /// Puts the graph's nodes into a branch.
  void nest() {
    if (graph.ByteSizeLong() > 4096)
      return;
    onnx::GraphProto inner = graph;
    inner.clear_input();
    auto *node = graph.add_node();
    node->set_op_type("If");
    node->add_input(valueName());
    for (const auto &output : inner.output())
      node->add_output(output.name() + "_if");
    for (const char *name : {"then_branch", "else_branch"}) {
      auto *attribute = node->add_attribute();
      attribute->set_name(name);
      attribute->set_type(onnx::AttributeProto::GRAPH);
      *attribute->mutable_g() = inner;
    }
  }

  /// A node becomes a call of a function with that node as its body, which may
  /// call itself.
  void makeFunction() {
    auto *node = pick(graph.mutable_node());
    if (!node || model.functions_size() > 4)
      return;
    onnx::FunctionProto &function = *model.add_functions();
    function.set_domain("local");
    function.set_name("F" + std::to_string(below(3)));
    *function.mutable_opset_import() = model.opset_import();
    *function.mutable_input() = node->input();
    *function.mutable_output() = node->output();
    if (below(2)) {
      auto *import = model.add_opset_import();
      import->set_domain("local");
      import->set_version(1);
    }
    if (below(4))
      *function.add_node() = *node;
    node->set_domain("local");
    node->set_op_type(function.name());
    if (below(8) == 0)
      *function.add_node() = *node;
  }

  /// A tensor's data is said to be in another file; the one there is is this
  /// model's.
  void makeExternal() {
    auto *tensor = pick(graph.mutable_initializer());
    if (!tensor)
      return makeInitializer();
    static const char *const places[] = {
        "input.onnx", "input.onnx", "input.onnx", "./input.onnx",
        "none",       ".",          "../x",       "/etc/passwd"};
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    auto add = [&](const char *key, const std::string &value) {
      auto *entry = tensor->add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    };
    add("location", places[below(std::size(places))]);
    if (below(2))
      add("offset", std::to_string(below(3) ? int64_t(below(64)) : number()));
    if (below(2))
      add("length", std::to_string(below(3) ? int64_t(below(64)) : number()));
    if (below(2))
      tensor->clear_raw_data();
  }

  void addOutput() { graph.add_output()->set_name(valueName()); }

  std::minstd_rand random;
  onnx::GraphProto &graph;
  onnx::ModelProto &model;
};

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  onnx::ModelProto model;
  if (seed % 8 == 0 || !model.ParseFromArray(data, int(size)) ||
      !model.has_graph())
    return LLVMFuzzerMutate(data, size, most);
  Mutator mutator(model, seed);
  for (unsigned i = 0; i <= seed / 8 % 3; ++i)
    mutator.mutate();
  std::string bytes = model.SerializePartialAsString();
  if (bytes.size() > most)
    return size;
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
