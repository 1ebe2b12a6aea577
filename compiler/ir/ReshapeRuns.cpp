//===- ReshapeRuns.cpp - What a reshape does to each dimension ------------===//

#include "compiler/ir/ReshapeRuns.h"

#include "compiler/ir/OpUtils.h"
#include "compiler/ir/SizeEquality.h"

using namespace mlir;
using namespace amp;

namespace {

/// Finds runs from the front and from the back of what is left of both sides.
class RunFinder {
public:
  RunFinder(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> from,
            ArrayRef<OpFoldResult> to)
      : builder(builder), loc(loc), sides{from, to} {}

  /// The dimensions of both sides that the next run takes, if one can be found.
  std::optional<std::pair<size_t, size_t>> next(bool atBack);
  void take(std::pair<size_t, size_t> run, bool atBack) {
    drop(sides[0], run.first, atBack);
    drop(sides[1], run.second, atBack);
  }
  size_t left(int side) const { return sides[side].size(); }

private:
  static void drop(ArrayRef<OpFoldResult> &sizes, size_t count, bool atBack) {
    sizes = atBack ? sizes.drop_back(count) : sizes.drop_front(count);
  }
  OpFoldResult product(ArrayRef<OpFoldResult> sizes);

  OpBuilder &builder;
  Location loc;
  ArrayRef<OpFoldResult> sides[2];
};

OpFoldResult RunFinder::product(ArrayRef<OpFoldResult> sizes) {
  int64_t known = 1;
  Value rest;
  for (OpFoldResult size : sizes) {
    if (auto constant = getConstantIntValue(size)) {
      known *= *constant;
      continue;
    }
    auto value = cast<Value>(size);
    rest = rest ? builder.createOrFold<arith::MulIOp>(loc, rest, value) : value;
  }
  if (!rest)
    return builder.getIndexAttr(known);
  if (known == 1)
    return rest;
  Value factor = builder.create<arith::ConstantIndexOp>(loc, known);
  return builder.createOrFold<arith::MulIOp>(loc, rest, factor);
}

std::optional<std::pair<size_t, size_t>> RunFinder::next(bool atBack) {
  auto end = [&](int side, size_t count) {
    return atBack ? sides[side].take_back(count)
                  : sides[side].take_front(count);
  };
  // The shortest runs first.
  constexpr size_t longest = 6;
  for (size_t total = 2; total <= longest; ++total)
    for (size_t m = 1; m < total; ++m) {
      size_t n = total - m;
      if (m <= sides[0].size() && n <= sides[1].size() &&
          areEqualSizes(product(end(0, m)), product(end(1, n))))
        return std::pair(m, n);
    }
  return std::nullopt;
}

} // namespace

ReshapeRuns::ReshapeRuns(ReshapeOp op) {
  // Sizes are computed to be compared, then thrown away.
  Block scratch;
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToStart(&scratch);
  SmallVector<OpFoldResult> from = dimsOf(builder, op.getLoc(), op.getSource());
  SmallVector<OpFoldResult> to =
      getMixedValues(typeOf(op.getResult()).getShape(), op.getDims(), builder);
  RunFinder finder(builder, op.getLoc(), from, to);
  SmallVector<std::pair<size_t, size_t>> front, back;
  for (bool atBack : {false, true})
    while (auto run = finder.next(atBack)) {
      (atBack ? back : front).push_back(*run);
      finder.take(*run, atBack);
    }
  // What nothing is known of is one run; ones that only one side has are each.
  auto allOnes = [&](int side) {
    ArrayRef<OpFoldResult> sizes = side ? to : from;
    size_t skipped = 0;
    for (auto &run : front)
      skipped += side ? run.second : run.first;
    return llvm::all_of(
        sizes.slice(skipped, finder.left(side)),
        [](OpFoldResult size) { return isConstantIntValue(size, 1); });
  };
  if (finder.left(0) || finder.left(1)) {
    std::pair<size_t, size_t> middle(finder.left(0), finder.left(1));
    if (!finder.left(1) && allOnes(0))
      front.append(middle.first, {1, 0});
    else
      front.push_back(middle);
  }
  int64_t at[2] = {0, 0};
  front.append(back.rbegin(), back.rend());
  for (auto [m, n] : front) {
    runs.push_back({{at[0], at[1]}, {int64_t(m), int64_t(n)}});
    at[0] += m;
    at[1] += n;
  }
  while (!scratch.empty())
    scratch.back().erase();
}

Permutation ReshapeRuns::carry(ArrayRef<int64_t> order, int to) const {
  const int from = !to;
  Permutation result;
  auto addRun = [&](const Run &run) {
    for (int64_t i = 0; i < run.count[to]; ++i)
      result.push_back(run.first[to] + i);
  };
  // Runs without dimensions here follow what is in front of them.
  auto addMissing = [&](size_t next) {
    for (; next < runs.size() && !runs[next].count[from]; ++next)
      addRun(runs[next]);
  };
  addMissing(0);
  for (size_t i = 0; i < order.size();) {
    const Run *run = llvm::find_if(runs, [&](const Run &run) {
      return run.count[from] && run.first[from] == order[i];
    });
    if (run == runs.end())
      return {};
    for (int64_t k = 0; k < run->count[from]; ++k, ++i)
      if (i >= order.size() || order[i] != run->first[from] + k)
        return {};
    addRun(*run);
    addMissing(run - runs.begin() + 1);
  }
  return result;
}
