//===- RegisterTranspose.cpp - Squares of elements, turned ----------------===//

#include "compiler/target/cpu/RegisterTranspose.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ampc::cpu {

/// log2(n) rounds that interleave the first half with the second.
SmallVector<Value> transposeInRegisters(OpBuilder &b, Location loc,
                                        SmallVector<Value> vectors) {
  int64_t n = vectors.size();
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < n / 2; ++i) {
    low.append({i, n + i});
    high.append({n / 2 + i, n + n / 2 + i});
  }
  for (int64_t round = 1; round < n; round *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < n / 2; ++i)
      for (ArrayRef<int64_t> half : {ArrayRef(low), ArrayRef(high)})
        next.push_back(b.create<vector::ShuffleOp>(loc, vectors[i],
                                                   vectors[n / 2 + i], half));
    vectors = next;
  }
  return vectors;
}

} // namespace ampc::cpu
