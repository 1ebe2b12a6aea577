//===- ReshapeRuns.cpp - What a reshape does to each dimension ------------===//

#include "compiler/ir/ReshapeRuns.h"

#include "compiler/ir/OpUtils.h"
#include "compiler/ir/SizeEquality.h"

using namespace mlir;
using namespace amp;

ReshapeRuns::ReshapeRuns(ReshapeOp op) {
  // Sizes are computed to be compared, then thrown away.
  Block scratch;
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToStart(&scratch);
  auto from = dimsOf(builder, op.getLoc(), op.getSource());
  auto to =
      getMixedValues(typeOf(op.getResult()).getShape(), op.getDims(), builder);
  size_t m = from.size(), n = to.size();
  while (prefix < std::min(m, n) && areEqualSizes(from[prefix], to[prefix]))
    ++prefix;
  while (suffix < std::min(m, n) - prefix &&
         areEqualSizes(from[m - 1 - suffix], to[n - 1 - suffix]))
    ++suffix;
  inner[0] = m - prefix - suffix;
  inner[1] = n - prefix - suffix;
  from.clear();
  to.clear();
  while (!scratch.empty())
    scratch.back().erase();
}

Permutation ReshapeRuns::carry(ArrayRef<int64_t> order, int to) const {
  int64_t before = inner[!to], after = inner[to];
  Permutation result;
  auto addRun = [&] {
    for (int64_t i = 0; i < after; ++i)
      result.push_back(prefix + i);
  };
  bool done = false;
  for (size_t i = 0; i < order.size(); ++i) {
    // A run without dimensions here follows what is in front of it.
    if (!before && !done && (!prefix || (i && order[i - 1] + 1 == prefix))) {
      addRun();
      done = true;
    }
    int64_t dim = order[i];
    if (dim < prefix) {
      result.push_back(dim);
    } else if (dim >= prefix + before) {
      result.push_back(dim - before + after);
    } else if (dim == prefix) {
      for (int64_t k = 0; k < before; ++k)
        if (i + k >= order.size() || order[i + k] != dim + k)
          return {};
      addRun();
      i += before - 1;
      done = true;
    } else {
      return {};
    }
  }
  if (!done)
    addRun();
  return result;
}
