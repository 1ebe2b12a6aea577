//===- Scatter.cpp - Writing by index -------------------------------------===//

#include "compiler/import/onnx/Expr.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Gather.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace ampc::onnx_import {

static FailureOr<amp::ScatterKind> kindOf(NodeBuilder &b) {
  std::string name = b.stringAttr("reduction", "none");
  auto kind = llvm::StringSwitch<std::optional<amp::ScatterKind>>(name)
                  .Case("none", amp::ScatterKind::Replace)
                  .Case("add", amp::ScatterKind::Add)
                  .Case("mul", amp::ScatterKind::Mul)
                  .Case("max", amp::ScatterKind::Max)
                  .Case("min", amp::ScatterKind::Min)
                  .Default(std::nullopt);
  if (kind)
    return *kind;
  return b.fail("has reduction '" + name + "', which is not known");
}

static LogicalResult buildScatterElements(NodeBuilder &b) {
  Tensor x = b.tensor(0), indices = b.tensor(1), updates = b.tensor(2);
  auto axis = b.axisAttr("axis", x.rank());
  auto kind = kindOf(b);
  if (failed(axis) || failed(kind))
    return failure();
  if (updates.rank() != x.rank())
    return b.fail("needs updates of rank " + Twine(x.rank()));
  if (failed(requireElementwise(b, x, indices, *axis)))
    return failure();
  for (int64_t i = 0; i < x.rank(); ++i)
    if (failed(b.requireEqual(indices.dims[i], updates.dims[i],
                              "indices and updates differ in dimension " +
                                  Twine(i))))
      return failure();
  Value value = b.create<amp::ScatterElementsOp>(
      x.type(), *axis, *kind, x.value, indices.value, updates.value);
  return b.output(0, Tensor{value, x.dtype, x.dims, {}});
}

static LogicalResult buildScatterND(NodeBuilder &b) {
  Tensor x = b.tensor(0), indices = b.tensor(1), updates = b.tensor(2);
  auto kind = kindOf(b);
  if (failed(kind))
    return failure();
  if (indices.rank() < 1)
    return b.fail("needs indices of rank 1 at least");
  auto depth = constantInt(indices.dims.back());
  if (!depth || *depth < 1 || *depth > x.rank())
    return b.fail("has index tuples of a length that is not known or too long");
  Dims expected(indices.dims.begin(), indices.dims.end() - 1);
  expected.append(x.dims.begin() + *depth, x.dims.end());
  if (int64_t(expected.size()) != updates.rank())
    return b.fail("needs updates of rank " + Twine(expected.size()));
  for (auto [i, size] : llvm::enumerate(expected))
    if (failed(b.requireEqual(size, updates.dims[i],
                              "updates do not fit in dimension " + Twine(i))))
      return failure();
  if (failed(
          b.requireReadable(ArrayRef(x.dims).take_front(*depth), updates.dims)))
    return failure();
  Value value = b.create<amp::ScatterNDOp>(x.type(), *kind, x.value,
                                           indices.value, updates.value);
  return b.output(0, Tensor{value, x.dtype, x.dims, {}});
}

/// A cache with `update` written from a position along an axis that each batch
/// has its own of. Circular caches wrap around.
static LogicalResult buildTensorScatter(NodeBuilder &b) {
  Tensor cache = b.tensor(0), update = b.tensor(1);
  auto axis = b.axisAttr("axis", cache.rank(), -2);
  if (failed(axis))
    return failure();
  std::string mode = b.stringAttr("mode", "linear");
  if (mode != "linear" && mode != "circular")
    return b.fail("has mode '" + mode + "'; it is linear or circular");
  if (*axis == 0 || update.rank() != cache.rank())
    return b.fail("needs an update of the cache's rank and an axis that is not "
                  "the batch");
  for (int64_t i = 0; i < cache.rank(); ++i)
    if (i != *axis &&
        failed(b.requireEqual(update.dims[i], cache.dims[i],
                              "the update differs in dimension " + Twine(i))))
      return failure();
  if (failed(b.requireReadable(cache.dims[*axis], update.dims)))
    return failure();
  Expr at = Expr::position(b, *axis, update.dims);
  if (b.has(2)) {
    Tensor start = b.cast(b.tensor(2), DType::Int64);
    if (start.rank() != 1 ||
        failed(b.requireEqual(start.dims[0], update.dims[0],
                              "has one position for each of the batch")))
      return failure();
    Dims column(update.rank(), b.scalars.index(1));
    column[0] = update.dims[0];
    at = at + Expr(b, start).reshape(column).broadcast(update.dims);
  }
  if (mode == "circular")
    at =
        at %
        max(Expr::ofScalar(b, cache.dims[*axis], DType::Int64, update.dims), 1);
  Value value = b.create<amp::ScatterElementsOp>(
      cache.type(), *axis, amp::ScatterKind::Replace, cache.value,
      at.tensor.value, update.value);
  return b.output(0, Tensor{value, cache.dtype, cache.dims, {}});
}

void registerScatterOps(OpTable &t) {
  t.add("Scatter", 9, 9, buildScatterElements);
  t.add("ScatterElements", 11, 18, buildScatterElements);
  t.add("ScatterND", 11, 18, buildScatterND);
  t.add("TensorScatter", 24, 24, buildTensorScatter);
}

} // namespace ampc::onnx_import
