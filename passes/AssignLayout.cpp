//===- AssignLayout.cpp - Choose the order of dimensions ------------------===//
//
// Some ops prefer another order of dimensions (convolutions: channels last).
// From these, orders spread over values as far as ops can carry them. Which of
// the ops reached work in the other order is then a minimum cut: each value
// that is made in one order and read in the other costs a transpose.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Amp.h"
#include "compiler/ir/SourceNodes.h"
#include "compiler/support/MinimumCut.h"
#include "passes/Passes.h"
#include "passes/ResolveDims.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/MapVector.h"

#include <deque>

namespace amp {
#define GEN_PASS_DEF_ASSIGNLAYOUT
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {

/// What transposes do that no node of the source asks for.
constexpr StringLiteral layoutChange = "layout change";

/// A size for dimensions that are not known.
constexpr int64_t kGuess = 32;

int64_t guessedSize(Value value, int64_t dim) {
  int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(dim);
  return ShapedType::isDynamic(size) ? kGuess : size;
}

/// Constants are transposed at compile time, for each user by itself.
bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (isa<WeightOp>(op) || op->hasTrait<OpTrait::ConstantLike>());
}

/// An op that can work in the other order of its values.
struct Carrier {
  Permutations operands, results;
  int node = -1; ///< In the cut.
};

class BlockLayout {
public:
  explicit BlockLayout(Block &block) : block(block) {}

  void run() {
    spread();
    if (!carriers.empty()) {
      cut();
      rewrite();
    }
  }

private:
  void spread();
  bool reach(Operation *op);
  void cut();
  bool takesReordered(OpOperand &use);
  void addValue(MinimumCut &graph, Value value);
  double penalty(Operation *op, const Carrier &carrier);
  void rewrite();
  Value inOrder(OpBuilder &builder, Value value, const Permutation &order);

  Block &block;
  /// The other order of a value.
  llvm::MapVector<Value, Permutation> orders;
  llvm::MapVector<Operation *, Carrier> carriers;
  DenseMap<Value, Value> reordered;
};

/// Makes `op` a carrier if it can work in the orders that its values may have.
bool BlockLayout::reach(Operation *op) {
  Carrier carrier;
  carrier.operands.resize(op->getNumOperands());
  carrier.results.resize(op->getNumResults());
  bool any = false;
  auto known = [&](Value value, Permutation &order) {
    auto found = orders.find(value);
    if (found != orders.end()) {
      order = found->second;
      any = true;
    }
  };
  for (auto [value, order] : llvm::zip(op->getOperands(), carrier.operands))
    if (!isConstant(value))
      known(value, order);
  for (auto [value, order] : llvm::zip(op->getResults(), carrier.results))
    known(value, order);
  if (!any) {
    auto permutable = dyn_cast<PermutableOpInterface>(op);
    Permutations preferred =
        permutable ? permutable.getPreferredOrder() : Permutations();
    if (preferred.empty())
      return false;
    carrier.results = preferred;
  }
  if (failed(spreadPermutations(op, carrier.operands, carrier.results)))
    return false;
  // A value that is read twice must be wanted in one order.
  llvm::SmallDenseMap<Value, Permutation> wanted;
  for (auto [value, order] : llvm::zip(op->getOperands(), carrier.operands))
    if (!order.empty() && !isConstant(value) &&
        wanted.try_emplace(value, order).first->second != order)
      return false;
  carriers[op] = std::move(carrier);
  return true;
}

void BlockLayout::spread() {
  std::deque<Operation *> work;
  for (Operation &op : block)
    if (auto permutable = dyn_cast<PermutableOpInterface>(op);
        permutable && !permutable.getPreferredOrder().empty())
      work.push_back(&op);
  auto learn = [&](Value value, const Permutation &order) {
    if (order.empty() || isIdentityPermutation(order) || isConstant(value) ||
        !orders.insert({value, order}).second)
      return;
    Operation *producer = value.getDefiningOp();
    if (producer && producer->getBlock() == &block)
      work.push_back(producer);
    for (Operation *user : value.getUsers())
      if (user->getBlock() == &block)
        work.push_back(user);
  };
  while (!work.empty()) {
    Operation *op = work.front();
    work.pop_front();
    // Again where more is known by now: an op may have had a choice.
    if (!reach(op))
      continue;
    Carrier carrier = carriers[op];
    for (auto [value, order] : llvm::zip(op->getResults(), carrier.results))
      learn(value, order);
    for (auto [value, order] : llvm::zip(op->getOperands(), carrier.operands))
      learn(value, order);
  }
}

/// Nanoseconds that `op` loses by the other order: where few elements are left
/// in the innermost dimension, vectors are not filled.
double BlockLayout::penalty(Operation *op, const Carrier &carrier) {
  constexpr int64_t few = 8;
  constexpr double nsPerElement = 0.3;
  Value result = op->getResult(0);
  const Permutation &order = carrier.results[0];
  if (isa<KernelRootOpInterface>(op) || order.empty() ||
      guessedSize(result, order.back()) >= few ||
      guessedSize(result, order.size() - 1) < few)
    return 0;
  return nsPerElement * elementCount(result, guessedSize);
}

/// Whether `use` is by a carrier that takes the value in its other order.
bool BlockLayout::takesReordered(OpOperand &use) {
  auto user = carriers.find(use.getOwner());
  auto order = orders.find(use.get());
  return user != carriers.end() && order != orders.end() &&
         user->second.operands[use.getOperandNumber()] == order->second;
}

/// The cost of having `value` in both orders.
void BlockLayout::addValue(MinimumCut &graph, Value value) {
  const Permutation &order = orders[value];
  constexpr double nsPerByte = 0.5;
  auto type = cast<RankedTensorType>(value.getType());
  double cost = movesNothing(type, order)
                    ? 0
                    : nsPerByte * elementCount(value, guessedSize) *
                          llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  auto nodeOf = [&](Operation *op) {
    auto found = carriers.find(op);
    return found == carriers.end() ? graph.second() : found->second.node;
  };
  Operation *producer = value.getDefiningOp();
  int from = producer ? nodeOf(producer) : graph.second();
  int out = graph.addNode(), in = graph.addNode();
  graph.addEdge(from, out, cost);
  graph.addEdge(in, from, cost);
  for (OpOperand &use : value.getUses()) {
    int to = takesReordered(use) ? nodeOf(use.getOwner()) : graph.second();
    graph.addEdge(out, to, MinimumCut::infinite);
    graph.addEdge(to, in, MinimumCut::infinite);
  }
}

/// Leaves those carriers that work in the other order.
void BlockLayout::cut() {
  MinimumCut graph;
  for (auto &[op, carrier] : carriers) {
    carrier.node = graph.addNode();
    double gain = -penalty(op, carrier);
    if (auto permutable = dyn_cast<PermutableOpInterface>(op))
      gain += permutable.getOrderGain(guessedSize);
    graph.addEdge(graph.first(), carrier.node, gain);
    graph.addEdge(carrier.node, graph.second(), -gain);
  }
  for (auto &[value, order] : orders)
    addValue(graph, value);
  std::vector<bool> chosen = graph.solve();
  carriers.remove_if([&](auto &entry) { return !chosen[entry.second.node]; });
}

Value BlockLayout::inOrder(OpBuilder &builder, Value value,
                           const Permutation &order) {
  if (isIdentityPermutation(order))
    return value;
  auto transpose = [&]() -> Value {
    return builder.create<TransposeOp>(
        sourceLocation(value.getLoc(), layoutChange),
        permuted(value.getType(), order), value, order);
  };
  auto shared = orders.find(value);
  if (shared == orders.end() || shared->second != order)
    return transpose();
  Value &result = reordered[value];
  if (!result)
    result = transpose();
  return result;
}

void BlockLayout::rewrite() {
  SmallVector<Operation *> old;
  for (Operation &op : block)
    if (carriers.contains(&op))
      old.push_back(&op);
  for (Operation *op : old) {
    const Carrier &carrier = carriers[op];
    OpBuilder builder(op);
    SmallVector<Value> values;
    for (auto [value, order] : llvm::zip(op->getOperands(), carrier.operands))
      values.push_back(order.empty() ? value : inOrder(builder, value, order));
    SmallVector<Value> results =
        clonePermuted(builder, op, values, carrier.operands, carrier.results);
    for (auto [result, now, order] :
         llvm::zip(op->getResults(), results, carrier.results)) {
      if (isIdentityPermutation(order)) {
        result.replaceAllUsesWith(now);
        continue;
      }
      reordered[result] = now;
      Value back;
      for (OpOperand &use : llvm::make_early_inc_range(result.getUses())) {
        if (takesReordered(use))
          continue;
        if (!back)
          back = builder.create<TransposeOp>(
              sourceLocation(op->getLoc(), layoutChange), result.getType(), now,
              invertPermutationVector(order));
        use.set(back);
      }
    }
  }
  for (Operation *op : llvm::reverse(old))
    op->erase();
}

struct AssignLayout : public amp::impl::AssignLayoutBase<AssignLayout> {
  void runOnOperation() override {
    // Sizes must not be read off values that change their order.
    resolveDims(getOperation());
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      if (!isa<KernelOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      BlockLayout(*block).run();
  }
};

} // namespace
