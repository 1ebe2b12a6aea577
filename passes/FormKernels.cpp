//===- FormKernels.cpp - Group ops into kernels ---------------------------===//
//
// Decides which ops are computed together. Grouping happens once, before any
// code generation and for all targets alike, because it decides where values
// are rounded and stored: what stands in one kernel stays in registers.
//
// Ops fall into four kinds:
//   root       dictates the loops of its kernel (contraction, reduction, ...)
//   pointwise  same shape in and out: joins the kernel of an operand
//   cheap      broadcasts, splats, ...: repeated inside every user
//   movement   reads elements out of order: kernels of their own, so that they
//              do not keep their neighbours from being vectorized
// All else is host code: index arithmetic, views, checks, control flow.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Amp.h"
#include "passes/Passes.h"
#include "passes/PlacedSlices.h"
#include "passes/ResolveDims.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <set>

namespace amp {
#define GEN_PASS_DEF_FORMKERNELS
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {

enum class Kind { Host, Root, Pointwise, Cheap, Movement };

Kind kindOf(Operation *op) {
  if (isa<KernelRootOpInterface>(op))
    return Kind::Root;
  if (!isElemental(op) || isPlacedSlice(op))
    return Kind::Host;
  auto elemental = dyn_cast<ElementalOpInterface>(op);
  if (!elemental || op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
      op->hasTrait<OpTrait::SameOperandsAndResultType>())
    return Kind::Pointwise;
  if (!elemental.keepsInnermost())
    return Kind::Movement;
  return elemental.isCheapToRepeat() ? Kind::Cheap : Kind::Movement;
}

/// A kernel in the making.
struct Group {
  llvm::SmallSetVector<Operation *, 8> ops;
  Operation *root = nullptr;
  bool movement = false;
  unsigned first = 0, last = 0; ///< Positions of the outermost ops.
};

/// Groups the ops of one block and rewrites it.
class BlockGrouper {
public:
  explicit BlockGrouper(Block &block) : block(block) {}
  void run();

private:
  void materializeSplats();
  void number();
  void assign(Operation *op, Kind kind);
  bool mustMaterialize(Operation *op);
  Group *newGroup(Operation *op);
  void merge(Group *into, Group *from);
  void noteExtent(const Group &group);
  /// Whether an op at position `at` can depend on an op at `first` or after it:
  /// it stands there itself, or some kernel reaches from before it to there.
  bool mayNeed(unsigned at, unsigned first) const {
    return at > first || earliest[first] <= at;
  }
  bool dependsOutside(const Group &from, ArrayRef<Operation *> targets,
                      const Group *alsoInside = nullptr);
  bool canShare(const Group &a, const Group &b);
  void joinPrologues(Group *group);
  SmallVector<Operation *> sorted(const Group &group);
  Operation *owner(Value value);
  void order();
  void emit(Group &group, Operation *before);
  Value import(OpBuilder &builder, Value value, const Group &group,
               KernelOp kernel, IRMapping &map);

  Block &block;
  DenseMap<Operation *, unsigned> position;
  /// By position: where the groups begin that reach to it or beyond, at the
  /// earliest. Groups that are gone may count, which costs time only.
  std::vector<unsigned> earliest;
  DenseMap<Operation *, Kind> kinds;
  DenseMap<Operation *, Group *> groupOf;
  std::vector<std::unique_ptr<Group>> groups;
};

/// The op of this block that computes `value`, or null for block arguments and
/// values from outside. Ops in nested regions stand for their ancestor here.
Operation *BlockGrouper::owner(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? block.findAncestorOpInBlock(*op) : nullptr;
}

/// A splat constant is repeated wherever it is used, but some roots read from
/// memory only: for them it becomes a cheap op, which can be given a buffer.
void BlockGrouper::materializeSplats() {
  for (Operation &op : block) {
    auto root = dyn_cast<KernelRootOpInterface>(op);
    if (!root)
      continue;
    for (OpOperand &operand : op.getOpOperands()) {
      DenseElementsAttr value;
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type || root.allowsPrologue(operand.getOperandNumber()) ||
          !matchPattern(operand.get(), m_Constant(&value)) || !value.isSplat())
        continue;
      OpBuilder builder(&op);
      Location loc = operand.get().getLoc();
      Value element = builder.create<arith::ConstantOp>(
          loc, value.getSplatValue<TypedAttr>());
      operand.set(builder.create<SplatOp>(loc, type, element, ValueRange()));
    }
  }
}

void BlockGrouper::number() {
  unsigned next = 0;
  for (Operation &op : block) {
    position[&op] = next++;
    kinds[&op] = kindOf(&op);
  }
  earliest.assign(next, ~0u);
}

Group *BlockGrouper::newGroup(Operation *op) {
  groups.push_back(std::make_unique<Group>());
  Group *group = groups.back().get();
  group->ops.insert(op);
  group->first = group->last = position[op];
  groupOf[op] = group;
  noteExtent(*group);
  return group;
}

void BlockGrouper::merge(Group *into, Group *from) {
  for (Operation *op : from->ops) {
    into->ops.insert(op);
    groupOf[op] = into;
  }
  if (from->root)
    into->root = from->root;
  from->ops.clear();
  into->first = std::min(into->first, from->first);
  into->last = std::max(into->last, from->last);
  noteExtent(*into);
}

void BlockGrouper::noteExtent(const Group &group) {
  // Lower bounds only grow with the position, so what is above needs no look.
  for (unsigned at = group.last + 1; at-- && earliest[at] > group.first;)
    earliest[at] = group.first;
}

/// Calls `visit` with every value that `op` or its nested ops use from outside
/// of it.
static void forEachUse(Operation *op, function_ref<void(Value)> visit) {
  for (Value operand : op->getOperands())
    visit(operand);
  for (Region &region : op->getRegions())
    region.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (!region.isAncestor(operand.getParentRegion()))
          visit(operand);
    });
}

/// Whether some op of `targets` needs a value of `from` by way of an op that is
/// in neither `from` nor `alsoInside`. Then they cannot be one kernel.
bool BlockGrouper::dependsOutside(const Group &from,
                                  ArrayRef<Operation *> targets,
                                  const Group *alsoInside) {
  auto inside = [&](Operation *op) {
    return from.ops.contains(op) ||
           (alsoInside && alsoInside->ops.contains(op));
  };
  SmallVector<Operation *> work;
  llvm::SmallPtrSet<Operation *, 16> seen;
  auto push = [&](Operation *user) {
    forEachUse(user, [&](Value value) {
      Operation *op = owner(value);
      // What stands before the group's first op cannot need it, unless its own
      // kernel reaches further down.
      if (!op || !seen.insert(op).second)
        return;
      work.push_back(op);
    });
  };
  for (Operation *target : targets)
    push(target);
  // Direct operands inside the group are fine; anything reached through an
  // outside op that is in the group is not.
  SmallVector<Operation *> outside;
  for (Operation *op : work)
    if (!inside(op))
      outside.push_back(op);
  work.clear();
  seen.clear();
  for (Operation *op : outside) {
    seen.insert(op);
    work.push_back(op);
  }
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    SmallVector<Operation *> members{op};
    if (Group *group = groupOf.lookup(op))
      members.assign(group->ops.begin(), group->ops.end());
    for (Operation *member : members) {
      bool reached = false;
      forEachUse(member, [&](Value value) {
        Operation *producer = owner(value);
        if (!producer)
          return;
        if (from.ops.contains(producer))
          reached = true;
        else if (!inside(producer) && mayNeed(position[producer], from.first) &&
                 seen.insert(producer).second)
          work.push_back(producer);
      });
      if (reached)
        return true;
    }
  }
  return false;
}

/// Whether a cheap op must be given a buffer: someone reads it who cannot
/// evaluate it in place.
bool BlockGrouper::mustMaterialize(Operation *op) {
  for (OpOperand &use : op->getUses()) {
    Operation *user = use.getOwner();
    if (user->getBlock() != &block)
      return true;
    switch (kinds[user]) {
    case Kind::Host:
      return true;
    case Kind::Root:
      if (!cast<KernelRootOpInterface>(user).allowsPrologue(
              use.getOperandNumber()))
        return true;
      break;
    default:
      break;
    }
  }
  return false;
}

/// Whether the root of `a` reads values of `b`, which would make `b`'s ops its
/// prologue.
static bool rootReads(const Group &a, const Group &b) {
  return a.root && llvm::any_of(a.root->getOperands(), [&](Value operand) {
           Operation *op = operand.getDefiningOp();
           return op && b.ops.contains(op);
         });
}

/// Ops that one kernel computes at most. A function of loops much longer than
/// this costs the code generator more time than fusion saves at run time.
constexpr size_t kMaxOps = 128;

bool BlockGrouper::canShare(const Group &a, const Group &b) {
  if (a.movement || b.movement || (a.root && b.root) ||
      a.ops.size() + b.ops.size() > kMaxOps)
    return false;
  return !dependsOutside(a, b.ops.getArrayRef(), &b) &&
         !dependsOutside(b, a.ops.getArrayRef(), &a);
}

void BlockGrouper::assign(Operation *op, Kind kind) {
  switch (kind) {
  case Kind::Host:
    return;
  case Kind::Cheap:
    if (mustMaterialize(op))
      newGroup(op);
    return;
  case Kind::Root:
    newGroup(op)->root = op;
    return;
  case Kind::Movement: {
    Group *group = newGroup(op);
    group->movement = true;
    // A chain of movements is one: index maps compose.
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      Group *from = producer ? groupOf.lookup(producer) : nullptr;
      if (from && from != group && from->movement && operand.hasOneUse() &&
          producer->getNumResults() == 1)
        merge(group, from);
    }
    return;
  }
  case Kind::Pointwise:
    break;
  }
  Group *group = newGroup(op);
  // The latest operand first: its kernel is the likeliest to be still open.
  SmallVector<Value> operands(op->getOperands());
  llvm::sort(operands, [&](Value a, Value b) {
    Operation *x = owner(a), *y = owner(b);
    return (x ? position[x] + 1 : 0) > (y ? position[y] + 1 : 0);
  });
  for (Value operand : operands) {
    Operation *producer = operand.getDefiningOp();
    Group *other = producer ? groupOf.lookup(producer) : nullptr;
    if (!other || other == group || kinds[producer] == Kind::Cheap ||
        !isa<RankedTensorType>(operand.getType()))
      continue;
    if (auto root = dyn_cast<KernelRootOpInterface>(producer))
      if (!root.allowsEpilogue())
        continue;
    // A prologue of a reduction has another shape than its epilogue.
    if (other->root && kinds[producer] == Kind::Pointwise &&
        position[producer] < position[other->root])
      continue;
    if (!rootReads(*other, *group) && !rootReads(*group, *other) &&
        canShare(*other, *group)) {
      merge(other, group);
      group = other;
    }
  }
}

/// Evaluates pointwise operands of a root inside its loops when they are used
/// nowhere else and cost little.
void BlockGrouper::joinPrologues(Group *group) {
  auto root = dyn_cast_or_null<KernelRootOpInterface>(group->root);
  if (!root)
    return;
  for (OpOperand &operand : group->root->getOpOperands()) {
    Operation *producer = operand.get().getDefiningOp();
    Group *other = producer ? groupOf.lookup(producer) : nullptr;
    if (!other || other == group || other->root)
      continue;
    if (isa<TransposeOp>(producer) && other->ops.size() == 1 &&
        producer->hasOneUse() &&
        root.readsTransposed(operand.getOperandNumber()))
      merge(group, other);
    if (other->movement || !root.allowsPrologue(operand.getOperandNumber()))
      continue;
    bool fits = llvm::all_of(other->ops, [&](Operation *op) {
      auto precision = dyn_cast<PrecisionOpInterface>(op);
      bool cheap =
          !precision || precision.getErrorClass() != ErrorClass::Transcendental;
      return cheap && llvm::all_of(op->getUsers(), [&](Operation *user) {
               return user == group->root || other->ops.contains(user);
             });
    });
    if (fits && canShare(*group, *other))
      merge(group, other);
  }
}

SmallVector<Operation *> BlockGrouper::sorted(const Group &group) {
  SmallVector<Operation *> ops(group.ops.begin(), group.ops.end());
  llvm::sort(ops, [&](Operation *a, Operation *b) {
    return position[a] < position[b];
  });
  return ops;
}

/// Orders kernels and host ops by their dependences, stably; host ops go first
/// so that checks run before the kernels that rely on them. What overwrites a
/// value goes last, behind those that read it.
void BlockGrouper::order() {
  // One unit for each group (named by its last op) and for each host op.
  DenseMap<Operation *, Operation *> unitOf;
  DenseMap<Operation *, Group *> groupAt;
  for (auto &group : groups) {
    if (group->ops.empty())
      continue;
    Operation *name = sorted(*group).back();
    groupAt[name] = group.get();
    for (Operation *op : group->ops)
      unitOf[op] = name;
  }
  SmallVector<Operation *> units;
  for (Operation &op : block.without_terminator()) {
    if (!unitOf.count(&op) && kinds[&op] != Kind::Cheap)
      unitOf[&op] = &op;
    if (unitOf.lookup(&op) == &op)
      units.push_back(&op);
  }
  DenseMap<Operation *, llvm::SmallSetVector<Operation *, 4>> users;
  DenseMap<Operation *, unsigned> waiting;
  std::function<void(Operation *, Value)> depend = [&](Operation *unit,
                                                       Value value) {
    Operation *producer = owner(value);
    if (!producer)
      return;
    Operation *from = unitOf.lookup(producer);
    if (!from) // Repeated inside its users: they need what it needs.
      return forEachUse(producer, [&](Value v) { depend(unit, v); });
    // A materialized cheap op may still be repeated by other kernels.
    if (kinds[producer] == Kind::Cheap && groupAt.count(unit))
      forEachUse(producer, [&](Value v) { depend(unit, v); });
    if (from != unit && users[from].insert(unit))
      ++waiting[unit];
  };
  Operation *lastEffect = nullptr;
  for (Operation *unit : units) {
    Group *group = groupAt.lookup(unit);
    SmallVector<Operation *> members{unit};
    if (group)
      members.assign(group->ops.begin(), group->ops.end());
    for (Operation *member : members)
      forEachUse(member, [&](Value value) { depend(unit, value); });
    if (group || isMemoryEffectFree(unit))
      continue;
    if (lastEffect && users[lastEffect].insert(unit))
      ++waiting[unit];
    lastEffect = unit;
  }
  auto rank = [&](Operation *op) {
    if (isa<bufferization::MaterializeInDestinationOp>(op))
      return 2;
    return groupAt.lookup(op) ? 1 : 0;
  };
  auto later = [&](Operation *a, Operation *b) {
    return std::make_pair(rank(a), position[a]) <
           std::make_pair(rank(b), position[b]);
  };
  std::set<Operation *, decltype(later)> ready(later);
  for (Operation *unit : units)
    if (!waiting.lookup(unit))
      ready.insert(unit);
  Operation *terminator = block.getTerminator();
  while (!ready.empty()) {
    Operation *unit = *ready.begin();
    ready.erase(ready.begin());
    auto following = users.lookup(unit);
    if (Group *group = groupAt.lookup(unit))
      emit(*group, terminator);
    else
      unit->moveBefore(terminator);
    for (Operation *user : following)
      if (--waiting[user] == 0)
        ready.insert(user);
  }
}

/// The value inside `kernel` that stands for `value`.
Value BlockGrouper::import(OpBuilder &builder, Value value, const Group &group,
                           KernelOp kernel, IRMapping &map) {
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *producer = value.getDefiningOp();
  bool repeat = false;
  if (producer) {
    bool local = producer->getBlock() == &block;
    repeat = group.ops.contains(producer) ||
             (local && kinds.lookup(producer) == Kind::Cheap);
    if (auto constant = dyn_cast<arith::ConstantOp>(producer)) {
      auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
      repeat |= !elements || elements.isSplat();
    }
  }
  if (repeat) {
    for (Value operand : producer->getOperands())
      import(builder, operand, group, kernel, map);
    builder.clone(*producer, map);
    return map.lookup(value);
  }
  kernel.getInsMutable().append(value);
  BlockArgument argument =
      kernel.getBody().front().addArgument(value.getType(), value.getLoc());
  map.map(value, argument);
  return argument;
}

void BlockGrouper::emit(Group &group, Operation *before) {
  OpBuilder builder(before);
  SmallVector<Operation *> ops = sorted(group);
  SmallVector<Location> locations;
  SmallVector<Value> results, inits;
  for (Operation *op : ops) {
    locations.push_back(op->getLoc());
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            if (group.ops.contains(user))
              return false;
            // Others may have repeated a cheap op instead of reading it.
            return kinds.lookup(op) != Kind::Cheap ||
                   user->getBlock() != &block || kinds[user] == Kind::Host ||
                   kinds[user] == Kind::Root;
          }))
        results.push_back(result);
  }
  Location loc = FusedLoc::get(builder.getContext(), locations);
  for (Value result : results) {
    auto type = cast<RankedTensorType>(result.getType());
    auto sizes = dimsOf(builder, loc, result);
    inits.push_back(builder.create<tensor::EmptyOp>(
        loc, type, dynamicDims(builder, loc, type, sizes)));
  }
  auto kernel = builder.create<KernelOp>(loc, TypeRange(ValueRange(inits)),
                                         ValueRange(), inits);
  Block *body = builder.createBlock(&kernel.getBody());
  IRMapping map;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (!map.contains(result) && !result.use_empty())
        import(builder, result, group, kernel, map);
  SmallVector<Value> yields;
  for (Value result : results)
    yields.push_back(map.lookup(result));
  builder.setInsertionPointToEnd(body);
  builder.create<YieldOp>(loc, yields);
  for (auto [old, now] : llvm::zip(results, kernel.getResults()))
    old.replaceUsesWithIf(now, [&](OpOperand &use) {
      return !group.ops.contains(use.getOwner());
    });
}

void BlockGrouper::run() {
  materializeSplats();
  number();
  SmallVector<Operation *> original;
  for (Operation &op : block.without_terminator())
    original.push_back(&op);
  for (Operation *op : original)
    assign(op, kinds[op]);
  for (size_t i = 0; i < groups.size(); ++i)
    if (!groups[i]->ops.empty())
      joinPrologues(groups[i].get());
  order();
  for (Operation *op : llvm::reverse(original))
    if (kinds[op] != Kind::Host && op->use_empty())
      op->erase();
}

struct FormKernels : public amp::impl::FormKernelsBase<FormKernels> {
  void runOnOperation() override {
    resolveDims(getOperation());
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<KernelOp>(op))
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (block.mightHaveTerminator())
            blocks.push_back(&block);
      return WalkResult::advance();
    });
    for (Block *block : blocks)
      BlockGrouper(*block).run();
    WalkResult left =
        getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (isa<KernelOp>(op))
            return WalkResult::skip();
          if (kindOf(op) == Kind::Host)
            return WalkResult::advance();
          op->emitOpError("was left outside of every kernel");
          return WalkResult::interrupt();
        });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
