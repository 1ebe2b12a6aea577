//===- Recurrent.cpp - What LSTM, GRU and RNN share -----------------------===//
//
// Inputs: X [T, B, I], W [D, G H, I], R [D, G H, H], B [D, 2 G H], the lengths
// of the sequences [B], initial states [D, B, H] and peepholes [D, 3 H], where
// T are the steps, B the batch and D the directions. Layout 1 has the batch
// before the steps and before the directions.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/ops/Recurrent.h"

#include "compiler/import/onnx/Loops.h"
#include "compiler/import/onnx/ops/Movement.h"
#include "compiler/import/onnx/ops/Ranks.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

namespace {
/// Parameters that a function takes and what they are if not given.
struct ActivationInfo {
  StringRef name;
  int parameters; ///< None, alpha, or both.
  double alpha, beta;
};
} // namespace

static const ActivationInfo activationInfos[] = {
    {"Relu", 0, 0, 0},
    {"Tanh", 0, 0, 0},
    {"Sigmoid", 0, 0, 0},
    {"Softsign", 0, 0, 0},
    {"Softplus", 0, 0, 0},
    {"LeakyRelu", 1, 0.01, 0},
    {"ThresholdedRelu", 1, 1, 0},
    {"Elu", 1, 1, 0},
    {"Affine", 2, 1, 0},
    {"ScaledTanh", 2, 1.7159, 0.6667},
    {"HardSigmoid", 2, 0.2, 0.5}};

Tensor Activation::apply(NodeBuilder &b, Tensor x, double clip) const {
  auto number = [&](double value) { return b.splatLike(value, x); };
  if (clip > 0)
    x = b.maximum(b.minimum(x, number(clip)), number(-clip));
  auto line = [&](double slope, double offset) {
    return b.add(b.mul(x, number(slope)), number(offset));
  };
  auto isAbove = [&](double bound) {
    return b.compare(CmpIPredicate::sgt, CmpFPredicate::OGT, x, number(bound));
  };
  if (name == "Tanh")
    return b.pointwise<math::TanhOp>(x.dtype, x);
  if (name == "Sigmoid")
    return b.pointwise<amp::SigmoidOp>(x.dtype, x);
  if (name == "Relu")
    return b.maximum(x, number(0));
  if (name == "LeakyRelu")
    return b.select(isAbove(0), x, b.mul(x, number(alpha)));
  if (name == "ThresholdedRelu")
    return b.select(isAbove(alpha), x, number(0));
  if (name == "Elu")
    return b.select(
        isAbove(0), x,
        b.mul(b.pointwise<math::ExpM1Op>(x.dtype, x), number(alpha)));
  if (name == "Affine")
    return line(alpha, beta);
  if (name == "ScaledTanh")
    return b.mul(b.pointwise<math::TanhOp>(x.dtype, b.mul(x, number(beta))),
                 number(alpha));
  if (name == "HardSigmoid")
    return b.minimum(b.maximum(line(alpha, beta), number(0)), number(1));
  Tensor magnitude = b.pointwise<math::AbsFOp>(x.dtype, x);
  if (name == "Softsign")
    return b.div(x, b.add(magnitude, number(1)));
  // Softplus: log(1 + exp(x)), written so that neither end overflows.
  Tensor decay = b.pointwise<math::ExpOp>(
      x.dtype, b.pointwise<arith::NegFOp>(x.dtype, magnitude));
  return b.add(b.maximum(x, number(0)),
               b.pointwise<math::Log1pOp>(x.dtype, decay));
}

/// The activations of all directions, in order. Parameters go to those
/// functions that take them.
static FailureOr<SmallVector<Activation>>
readActivations(NodeBuilder &b, ArrayRef<StringRef> defaults,
                unsigned directions) {
  SmallVector<std::string> names;
  if (const auto given = b.node.stringsAttr("activations"))
    names.assign(given->begin(), given->end());
  if (names.empty())
    names.assign(defaults.begin(), defaults.end());
  // Those of one direction hold for both, and defaults are for two.
  size_t count = defaults.size() * directions;
  if (names.size() == defaults.size() && directions == 2)
    names.append(SmallVector<std::string>(names));
  if (names.size() < count)
    return b.fail("has " + Twine(names.size()) + " activations instead of " +
                  Twine(count));
  names.truncate(count);
  auto alphas = b.node.floatsAttr("activation_alpha"),
       betas = b.node.floatsAttr("activation_beta");
  size_t nextAlpha = 0, nextBeta = 0;
  SmallVector<Activation> result;
  for (StringRef name : names) {
    const auto *info = llvm::find_if(activationInfos, [&](const auto &known) {
      return known.name.equals_insensitive(name);
    });
    if (info == std::end(activationInfos))
      return b.fail("has activation '" + name + "', which is not known");
    Activation activation{info->name.str(), info->alpha, info->beta};
    if (info->parameters >= 1 && alphas && nextAlpha < alphas->size())
      activation.alpha = (*alphas)[nextAlpha++];
    if (info->parameters >= 2 && betas && nextBeta < betas->size())
      activation.beta = (*betas)[nextBeta++];
    result.push_back(activation);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// lhs [M, K] times rhs [K, N], on top of `bias`.
static Tensor multiply(NodeBuilder &b, const Tensor &lhs, const Tensor &rhs,
                       const std::optional<Tensor> &bias) {
  Dims dims{lhs.dims[0], rhs.dims[1]};
  Value value =
      b.create<amp::MatmulOp>(b.type(lhs.dtype, dims), lhs.value, rhs.value,
                              bias ? bias->value : Value(), false, false, false,
                              false, amp::AlgorithmAttr());
  return {value, lhs.dtype, dims, {}};
}

Tensor Step::part(const Tensor &x, int64_t i, int64_t count) const {
  Scalar size = hidden();
  return b.sliceAxis(x, x.rank() - 1, b.scalars.mul(size, b.scalars.index(i)),
                     b.scalars.mul(size, b.scalars.index(count)));
}

Tensor Step::product(const Tensor &x, unsigned i, const Tensor &bias) const {
  return multiply(b, x, direction.recurrent[i], bias);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

namespace {

enum Input { X, W, R, B, Lengths, FirstState, Peephole = 7 };

class Layer {
public:
  Layer(NodeBuilder &b, const Cell &cell) : b(b), s(b.scalars), cell(cell) {}
  LogicalResult build();

private:
  LogicalResult read();
  Direction direction(unsigned index);
  std::optional<Tensor> bias(unsigned index, bool recurrent);
  Tensor projection(const Direction &direction, const Tensor &input);
  FailureOr<LoopResults> run(unsigned index);
  Tensor element(unsigned input, unsigned direction);
  void join(unsigned output, ArrayRef<Tensor> parts, int64_t axis,
            ArrayRef<int64_t> batchFirst);

  NodeBuilder &b;
  ScalarBuilder &s;
  const Cell &cell;

  bool batchFirst = false;
  SmallVector<bool> reversed;
  double clip = 0;
  SmallVector<Activation> activations;
  Tensor x;
  Scalar steps, batch, hidden;
  std::optional<Tensor> lengths;
};

} // namespace

LogicalResult Layer::read() {
  batchFirst = b.intAttr("layout", 0) != 0;
  clip = b.floatAttr("clip", 0);
  std::string way = b.stringAttr("direction", "forward");
  if (way == "forward")
    reversed = {false};
  else if (way == "reverse")
    reversed = {true};
  else if (way == "bidirectional")
    reversed = {false, true};
  else
    return b.fail("has direction '" + way + "', which is not known");
  auto functions = readActivations(b, cell.defaults, reversed.size());
  if (failed(functions))
    return failure();
  activations = *functions;

  if (b.rank(X) != 3 || b.rank(W) != 3 || b.rank(R) != 3)
    return b.fail("needs X, W and R of rank 3");
  x = b.tensor(X);
  if (batchFirst)
    x = b.transpose(x, {1, 0, 2});
  steps = x.dims[0];
  batch = x.dims[1];
  hidden = b.dims(R)[2];
  if (failed(b.requireEqual(x.dims[2], b.dims(W)[2],
                            "W does not fit the input's size")))
    return failure();
  for (unsigned i : {W, R})
    if (failed(b.requireEqual(b.dims(i)[0], s.index(reversed.size()),
                              "W and R need one matrix a direction")) ||
        failed(b.requireEqual(
            b.dims(i)[1], s.mul(hidden, s.index(cell.gates())),
            "W and R need " + Twine(cell.gates()) + " rows a hidden element")))
      return failure();
  if (failed(requireRank(b, B, 2)) || failed(requireRank(b, Lengths, 1)) ||
      (b.has(B) &&
       (failed(b.requireEqual(b.dims(B)[0], s.index(reversed.size()),
                              "B needs one row a direction")) ||
        failed(b.requireEqual(b.dims(B)[1],
                              s.mul(hidden, s.index(2 * cell.gates())),
                              "B does not fit the hidden size")))))
    return failure();
  if (cell.states == 2 && b.has(Peephole) &&
      (failed(requireRank(b, Peephole, 2)) ||
       failed(b.requireEqual(b.dims(Peephole)[0], s.index(reversed.size()),
                             "P needs one row a direction")) ||
       failed(b.requireEqual(b.dims(Peephole)[1], s.mul(hidden, s.index(3)),
                             "P does not fit the hidden size"))))
    return failure();
  for (unsigned i = 0; i < cell.states; ++i)
    if (unsigned input = FirstState + i; b.has(input)) {
      if (b.rank(input) != 3)
        return b.fail("needs initial states of rank 3");
      if (failed(b.requireEqual(b.dims(input)[batchFirst ? 0 : 1], batch,
                                "initial states do not fit the batch")) ||
          failed(b.requireEqual(b.dims(input)[2], hidden,
                                "initial states do not fit the hidden size")))
        return failure();
    }
  if (b.has(Lengths)) {
    if (failed(b.requireEqual(b.dims(Lengths)[0], batch,
                              "needs one length for each of the batch")))
      return failure();
    lengths = b.cast(b.tensor(Lengths), DType::Int64);
    lengths->dims[0] = batch;
    Dims dims{batch};
    auto most = b.broadcast(b.scalarTensor(steps, DType::Int64), dims);
    lengths = b.minimum(*lengths, most);
  }
  return success();
}

/// What of input `i` belongs to one direction.
Tensor Layer::element(unsigned input, unsigned direction) {
  Tensor all = b.tensor(input);
  bool isState = input >= FirstState && input < FirstState + cell.states;
  int64_t axis = isState && batchFirst ? 1 : 0;
  Tensor part = b.sliceAxis(all, axis, s.index(direction), s.index(1));
  Dims dims = all.dims;
  dims.erase(dims.begin() + axis);
  return b.reshape(part, dims);
}

/// [G H] of the bias.
std::optional<Tensor> Layer::bias(unsigned index, bool recurrent) {
  if (!b.has(B))
    return std::nullopt;
  Scalar size = s.mul(hidden, s.index(cell.gates()));
  return b.sliceAxis(element(B, index), 0, recurrent ? size : s.index(0), size);
}

Direction Layer::direction(unsigned index) {
  Direction direction{reversed[index],
                      b.transpose(element(W, index), {1, 0}),
                      {},
                      bias(index, false),
                      bias(index, true),
                      std::nullopt,
                      {}};
  Tensor recurrent = b.transpose(element(R, index), {1, 0});
  Scalar start = s.index(0);
  for (unsigned gates : cell.products) {
    Scalar size = s.mul(hidden, s.index(gates));
    direction.recurrent.push_back(b.sliceAxis(recurrent, 1, start, size));
    start = s.add(start, size);
  }
  if (cell.states == 2 && b.has(Peephole))
    direction.peephole = element(Peephole, index);
  auto functions = ArrayRef(activations);
  llvm::append_range(
      direction.activations,
      functions.slice(index * cell.defaults.size(), cell.defaults.size()));
  return direction;
}

/// [T, B, G H]: the input's share of all gates of all steps, with those biases
/// that do not depend on the step.
Tensor Layer::projection(const Direction &direction, const Tensor &input) {
  std::optional<Tensor> bias = direction.inputBias;
  if (bias) {
    Tensor recurrent = *direction.recurrentBias;
    if (cell.ownBias == cell.gates()) {
      bias = b.add(*bias, recurrent);
    } else if (cell.ownBias > 0) {
      Scalar size = s.mul(hidden, s.index(cell.ownBias));
      Scalar rest = s.mul(hidden, s.index(cell.gates() - cell.ownBias));
      recurrent = b.pad(b.sliceAxis(recurrent, 0, s.index(0), size), 0,
                        {s.index(0)}, {rest});
      recurrent.dims = bias->dims;
      bias = b.add(*bias, recurrent);
    }
  }
  Tensor rows = b.reshape(input, {s.mul(steps, batch), input.dims[2]});
  Tensor product = multiply(b, rows, direction.input, bias);
  return b.reshape(product, {steps, batch, product.dims[1]});
}

FailureOr<LoopResults> Layer::run(unsigned index) {
  Direction way = direction(index);
  // Shorter sequences end early, so their reverse begins elsewhere.
  bool turn = way.reverse && lengths;
  Tensor projected =
      projection(way, turn ? reverseSequence(b, x, *lengths, 1, 0) : x);
  bool backward = way.reverse && !turn;
  Dims stateDims{batch, hidden};

  LoopSpec spec;
  spec.trips = steps;
  spec.first = always(b);
  spec.reversed = {backward};
  for (unsigned i = 0; i < cell.states; ++i) {
    Tensor state = b.has(FirstState + i) ? element(FirstState + i, index)
                                         : b.splat(0, x.dtype, stateDims);
    spec.initial.push_back(b.importer.valueOf(b.reshape(state, stateDims)));
  }
  std::optional<Tensor> ends;
  if (lengths)
    ends = b.broadcast(b.unsqueeze(*lengths, {1}), stateDims);
  auto results = buildLoop(
      b, spec,
      [&](Scalar number, ArrayRef<ValueRef> carried) -> FailureOr<Iteration> {
        Scalar at = backward ? s.sub(s.sub(steps, s.index(1)), number) : number;
        Tensor now = b.reshape(b.sliceAxis(projected, 0, at, s.index(1)),
                               {batch, projected.dims[2]});
        SmallVector<Tensor> states;
        for (const ValueRef &state : carried)
          states.push_back(b.importer.forms.tensor(*state, b.loc()));
        SmallVector<Tensor> next = cell.step(Step{b, way, now, states, clip});
        Tensor output = next.front();
        if (ends) {
          Value time = b.create<arith::IndexCastOp>(b.builder().getI64Type(),
                                                    s.value(number));
          Tensor clock{
              b.create<amp::SplatOp>(ends->type(), time, b.dynamic(ends->dims)),
              DType::Int64,
              ends->dims,
              {}};
          Tensor runs =
              b.compare(CmpIPredicate::slt, CmpFPredicate::OLT, clock, *ends);
          output = b.select(runs, output, b.splatLike(0, output));
          for (auto [state, old] : llvm::zip(next, states))
            state = b.select(runs, state, old);
        }
        Iteration iteration;
        iteration.more = always(b);
        for (const Tensor &state : next)
          iteration.carried.push_back(b.importer.valueOf(state));
        iteration.scanned.push_back(b.importer.valueOf(output));
        return iteration;
      });
  if (succeeded(results) && turn)
    results->scanned[0] =
        reverseSequence(b, results->scanned[0], *lengths, 1, 0);
  return results;
}

/// Output `output` of all directions, which are at `axis`, in the layout asked
/// for.
void Layer::join(unsigned output, ArrayRef<Tensor> parts, int64_t axis,
                 ArrayRef<int64_t> batchFirstOrder) {
  if (!b.wants(output))
    return;
  SmallVector<Tensor> each;
  for (const Tensor &part : parts)
    each.push_back(b.unsqueeze(part, {axis}));
  Tensor all = b.concat(each, axis);
  (void)b.output(output, batchFirst ? b.transpose(all, batchFirstOrder) : all);
}

LogicalResult Layer::build() {
  if (failed(read()))
    return failure();
  SmallVector<Tensor> sequences;
  std::vector<SmallVector<Tensor>> last(cell.states);
  for (unsigned i = 0; i < reversed.size(); ++i) {
    auto results = run(i);
    if (failed(results))
      return failure();
    sequences.push_back(results->scanned[0]);
    for (auto [states, value] : llvm::zip(last, results->carried))
      states.push_back(b.importer.forms.tensor(*value, b.loc()));
  }
  join(0, sequences, 1, {2, 0, 1, 3});
  for (auto [i, states] : llvm::enumerate(last))
    join(1 + i, states, 0, {1, 0, 2});
  return success();
}

LogicalResult buildRecurrent(NodeBuilder &b, const Cell &cell) {
  return Layer(b, cell).build();
}

} // namespace ampc::onnx_import
