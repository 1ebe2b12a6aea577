//===- Loop.cpp - Loop and Scan -------------------------------------------===//

#include "compiler/import/onnx/Loops.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Ranks.h"

#include <onnx/onnx_pb.h>

using namespace mlir;

namespace ampc::onnx_import {

/// Emits a body, which may be built again.
static FailureOr<SmallVector<ValueRef>> emitBody(NodeBuilder &b,
                                                 const onnx::GraphProto &graph,
                                                 ArrayRef<ValueRef> inputs,
                                                 size_t minOutputs) {
  auto outputs = b.importer.inlineSubgraph(b.node, graph, inputs);
  if (succeeded(outputs) && outputs->size() < minOutputs)
    return b.fail("has a body with " + Twine(outputs->size()) +
                  " outputs, fewer than the loop carries");
  return outputs;
}

/// One number or condition, in the shape that input `i` of `graph` has.
static ValueRef scalarInput(NodeBuilder &b, const onnx::GraphProto &graph,
                            int i, DType dtype, Scalar scalar) {
  auto value = std::make_shared<NamedValue>();
  value->dtype = dtype;
  if (i < graph.input_size() &&
      graph.input(i).type().tensor_type().shape().dim_size() == 1)
    value->dims.push_back(b.scalars.index(1));
  value->scalars.emplace(1, scalar);
  return value;
}

/// The one element of an optional input, or `missing`.
static FailureOr<Scalar> oneElement(NodeBuilder &b, unsigned i,
                                    Scalar missing) {
  if (!b.has(i))
    return missing;
  auto list = b.list(i);
  if (failed(list))
    return failure();
  if (list->size() != 1)
    return b.fail("input " + Twine(i) + " is not one value");
  return list->front();
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// Of a body whose outputs are the condition, carried values and elements of
/// scanned outputs.
static FailureOr<Iteration> loopIteration(NodeBuilder &b,
                                          const onnx::GraphProto &graph,
                                          Scalar number,
                                          ArrayRef<ValueRef> carried) {
  SmallVector<ValueRef> inputs{
      scalarInput(b, graph, 0, DType::Int64, number),
      // An iteration that runs was asked for.
      scalarInput(b, graph, 1, DType::Bool, always(b))};
  inputs.append(carried.begin(), carried.end());
  auto outputs = emitBody(b, graph, inputs, 1 + carried.size());
  if (failed(outputs))
    return failure();
  const SmallVector<Scalar> *more =
      b.importer.forms.list(*outputs->front(), b.loc());
  if (!more || more->size() != 1 || outputs->front()->dtype != DType::Bool)
    return b.fail("has a body whose condition is not one bool");
  auto rest = ArrayRef(*outputs).drop_front();
  Iteration iteration;
  iteration.more = more->front();
  llvm::append_range(iteration.carried, rest.take_front(carried.size()));
  llvm::append_range(iteration.scanned, rest.drop_front(carried.size()));
  return iteration;
}

/// A loop whose iterations are written out: sequences change their length from
/// one to the next.
static LogicalResult unrollLoop(NodeBuilder &b, const onnx::GraphProto &graph,
                                Scalar trips, Scalar first,
                                ArrayRef<ValueRef> initial) {
  constexpr int64_t kMost = 1024;
  auto count = constantInt(trips), runs = constantInt(first);
  if (!count || !runs)
    return b.fail("carries a sequence and has a number of iterations that is "
                  "not known at compile time, which is not supported");
  SmallVector<ValueRef> carried(initial);
  std::vector<SmallVector<Tensor>> scanned;
  for (int64_t i = 0; *runs && i < *count; ++i) {
    if (i == kMost)
      return b.fail("carries a sequence through more than " + Twine(kMost) +
                    " iterations, which is not supported");
    auto iteration = loopIteration(b, graph, b.scalars.index(i), carried);
    if (failed(iteration))
      return failure();
    carried = iteration->carried;
    scanned.resize(iteration->scanned.size());
    for (auto [i, value] : llvm::enumerate(iteration->scanned))
      scanned[i].push_back(
          b.unsqueeze(b.importer.forms.tensor(*value, b.loc()), {0}));
    runs = constantInt(iteration->more);
    if (!runs)
      return b.fail("carries a sequence and has a condition that is not known "
                    "at compile time, which is not supported");
  }
  if (b.numOutputs() > carried.size() + scanned.size())
    return b.fail("scans values in a loop that never runs, which is not "
                  "supported");
  for (unsigned i = 0; i < b.numOutputs(); ++i)
    if (i < carried.size())
      (void)b.output(i, carried[i]);
    else
      (void)b.output(i, b.concat(scanned[i - carried.size()], 0));
  return success();
}

static LogicalResult buildLoopNode(NodeBuilder &b) {
  onnx::GraphProto *graph = b.node.graphAttr("body");
  if (!graph || b.numInputs() < 2)
    return b.fail("has no body");
  LoopSpec spec;
  auto trips = oneElement(b, 0, Scalar()), first = oneElement(b, 1, always(b));
  if (failed(trips) || failed(first))
    return failure();
  spec.trips = *trips;
  spec.first = *first;
  spec.initial.assign(b.node.inputs.begin() + 2, b.node.inputs.end());
  bool hasSequence = false;
  for (auto [i, value] : llvm::enumerate(spec.initial)) {
    if (!value)
      return b.fail("input " + Twine(2 + i) + " is left out");
    hasSequence |= !value->isTensor();
  }
  if (hasSequence && spec.trips)
    return unrollLoop(b, *graph, spec.trips, spec.first, spec.initial);
  auto results =
      buildLoop(b, spec, [&](Scalar number, ArrayRef<ValueRef> carried) {
        return loopIteration(b, *graph, number, carried);
      });
  if (failed(results))
    return failure();
  for (unsigned i = 0; i < b.numOutputs(); ++i)
    if (i < results->carried.size())
      (void)b.output(i, results->carried[i]);
    else if (i - results->carried.size() < results->scanned.size())
      (void)b.output(i, results->scanned[i - results->carried.size()]);
  return success();
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

namespace {
/// A Scan of one sequence, or of each of a batch.
struct ScanNode {
  onnx::GraphProto *graph;
  SmallVector<ValueRef> states;
  SmallVector<Tensor> inputs;
  SmallVector<int64_t> axes;
  SmallVector<bool> reversedInputs, reversedOutputs;
};
} // namespace

/// Element `at` of one dimension, which disappears.
static Tensor pick(NodeBuilder &b, const Tensor &x, int64_t axis, Scalar at) {
  Tensor slice = b.sliceAxis(x, axis, at, b.scalars.index(1));
  Dims dims = x.dims;
  dims.erase(dims.begin() + axis);
  return b.reshape(slice, dims);
}

static FailureOr<LoopResults> scan(NodeBuilder &b, const ScanNode &node,
                                   Scalar trips) {
  LoopSpec spec;
  spec.trips = trips;
  spec.first = always(b);
  spec.initial = node.states;
  spec.reversed = node.reversedOutputs;
  Scalar last = b.scalars.sub(trips, b.scalars.index(1));
  return buildLoop(
      b, spec,
      [&](Scalar number, ArrayRef<ValueRef> carried) -> FailureOr<Iteration> {
        SmallVector<ValueRef> inputs(carried);
        for (auto [input, axis, reversed] :
             llvm::zip(node.inputs, node.axes, node.reversedInputs))
          inputs.push_back(b.importer.valueOf(
              pick(b, input, axis,
                   reversed ? b.scalars.sub(last, number) : number)));
        auto outputs = emitBody(b, *node.graph, inputs, carried.size());
        if (failed(outputs))
          return failure();
        auto all = ArrayRef(*outputs);
        Iteration iteration;
        iteration.more = always(b);
        llvm::append_range(iteration.carried, all.take_front(carried.size()));
        llvm::append_range(iteration.scanned, all.drop_front(carried.size()));
        return iteration;
      });
}

static SmallVector<bool> directions(NodeBuilder &b, StringRef name,
                                    size_t count) {
  SmallVector<bool> reversed(count, false);
  if (auto given = b.node.intsAttr(name))
    for (auto [flag, direction] : llvm::zip(reversed, *given))
      flag = direction != 0;
  return reversed;
}

/// Fills `node` from the inputs from `first` on.
static LogicalResult readScan(NodeBuilder &b, ScanNode &node, unsigned first) {
  node.graph = b.node.graphAttr("body");
  int64_t count = b.intAttr("num_scan_inputs");
  if (!node.graph || count < 1 ||
      count > int64_t(b.numInputs()) - int64_t(first))
    return b.fail("has no body or a wrong number of scanned inputs");
  unsigned states = b.numInputs() - first - count;
  for (unsigned i = first; i < b.numInputs(); ++i) {
    if (!b.has(i))
      return b.fail("input " + Twine(i) + " is left out");
    if (i < first + states)
      node.states.push_back(b.node.inputs[i]);
    else
      node.inputs.push_back(b.tensor(i));
  }
  return success();
}

static LogicalResult buildScan(NodeBuilder &b) {
  ScanNode node;
  if (failed(readScan(b, node, 0)))
    return failure();
  size_t numScanned =
      b.numOutputs() - std::min<size_t>(b.numOutputs(), node.states.size());
  auto inputAxes = b.node.intsAttr("scan_input_axes"),
       outputAxes = b.node.intsAttr("scan_output_axes");
  Scalar trips;
  for (auto [i, input] : llvm::enumerate(node.inputs)) {
    auto axis = b.normalizeAxis(
        inputAxes && i < inputAxes->size() ? (*inputAxes)[i] : 0, input.rank());
    if (failed(axis))
      return failure();
    node.axes.push_back(*axis);
    if (trips && failed(b.requireEqual(trips, input.dims[*axis],
                                       "scans inputs of different lengths")))
      return failure();
    if (!trips || constantInt(input.dims[*axis]))
      trips = input.dims[*axis];
  }
  node.reversedInputs =
      directions(b, "scan_input_directions", node.inputs.size());
  node.reversedOutputs = directions(b, "scan_output_directions", numScanned);
  auto results = scan(b, node, trips);
  if (failed(results))
    return failure();
  for (auto [i, value] : llvm::enumerate(results->carried))
    (void)b.output(i, value);
  for (auto [i, value] : llvm::enumerate(results->scanned)) {
    auto axis = b.normalizeAxis(
        outputAxes && i < outputAxes->size() ? (*outputAxes)[i] : 0,
        value.rank());
    if (failed(axis))
      return failure();
    SmallVector<int64_t> permutation;
    for (int64_t d = 1; d < value.rank(); ++d)
      permutation.push_back(d);
    permutation.insert(permutation.begin() + *axis, 0);
    (void)b.output(node.states.size() + i, b.transpose(value, permutation));
  }
  return success();
}

/// Opset 8: dimension 0 of everything is a batch, dimension 1 of what is
/// scanned the sequence, which may be shorter for some of the batch.
static LogicalResult buildScan8(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  ScanNode node;
  if (failed(readScan(b, node, 1)))
    return failure();
  SmallVector<Tensor> states;
  for (unsigned i = 1; i < b.numInputs(); ++i)
    if (failed(requireRank(b, i, i <= node.states.size() ? 1 : 2, INT64_MAX)))
      return failure();
  if (failed(requireRank(b, 0, 1)))
    return failure();
  for (unsigned i = 0; i < node.states.size(); ++i)
    states.push_back(b.tensor(1 + i));
  std::optional<Tensor> lengths;
  if (b.has(0))
    lengths = b.cast(b.tensor(0), DType::Int64);
  Scalar batch = node.inputs[0].dims[0], longest = node.inputs[0].dims[1];
  node.axes.assign(node.inputs.size(), 0);
  node.reversedInputs = directions(b, "directions", node.inputs.size());
  LoopSpec spec;
  spec.trips = batch;
  spec.first = always(b);
  auto results = buildLoop(
      b, spec, [&](Scalar number, ArrayRef<ValueRef>) -> FailureOr<Iteration> {
        ScanNode one = node;
        for (auto [state, tensor] : llvm::zip(one.states, states))
          state = b.importer.valueOf(pick(b, tensor, 0, number));
        for (Tensor &input : one.inputs)
          input = pick(b, input, 0, number);
        Scalar length = longest;
        if (lengths) {
          Value element =
              b.create<tensor::ExtractOp>(lengths->value, s.value(number));
          length =
              s.emit<arith::IndexCastOp>(b.builder().getIndexType(), element);
          length = s.min(s.max(length, s.index(0)), longest);
        }
        auto inner = scan(b, one, length);
        if (failed(inner))
          return failure();
        Iteration iteration;
        iteration.more = always(b);
        iteration.scanned = inner->carried;
        for (Tensor &output : inner->scanned) {
          SmallVector<Scalar> none(output.rank(), s.index(0)), after = none;
          after[0] = s.sub(longest, length);
          Tensor padded = b.pad(output, 0, none, after);
          padded.dims[0] = longest;
          iteration.scanned.push_back(
              b.importer.valueOf(b.reshape(padded, padded.dims)));
        }
        return iteration;
      });
  if (failed(results))
    return failure();
  for (auto [i, value] : llvm::enumerate(results->scanned))
    (void)b.output(i, value);
  return success();
}

void registerLoopOps(OpTable &t) {
  t.add("Loop", 1, 28, buildLoopNode);
  t.add("Scan", 8, 8, buildScan8);
  t.add("Scan", 9, 28, buildScan);
}

} // namespace ampc::onnx_import
