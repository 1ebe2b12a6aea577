//===- OpUtils.h - What the definitions of amp's ops share ------*- C++ -*-===//
//
// Private to compiler/ir.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IR_OPUTILS_H
#define AMPC_IR_OPUTILS_H

#include "compiler/ir/Amp.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace amp {

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// Whether two sizes, of which each may be dynamic, cannot be equal.
inline bool differ(int64_t a, int64_t b) {
  return !mlir::ShapedType::isDynamic(a) && !mlir::ShapedType::isDynamic(b) &&
         a != b;
}

/// Errors unless `axis` is a dimension of a tensor of `rank`.
mlir::LogicalResult verifyAxis(mlir::Operation *op, int64_t axis, int64_t rank);

/// Errors unless `actual`, the sizes of `what`, can be `expected`.
mlir::LogicalResult verifyShape(mlir::Operation *op, const llvm::Twine &what,
                                llvm::ArrayRef<int64_t> actual,
                                llvm::ArrayRef<int64_t> expected);

/// Whether contractions take operands of these element types: equal ones, any
/// integers, and f32 by a narrower float, which is widened as it is read.
bool canMultiply(mlir::Type lhs, mlir::Type rhs);

/// Errors unless there is one `index` operand a dynamic dimension of `type`.
mlir::LogicalResult verifyDims(mlir::Operation *op, mlir::ValueRange dims,
                               mlir::RankedTensorType type);

/// Errors unless the two have one element type.
mlir::LogicalResult verifySameElement(mlir::Operation *op, mlir::Value source,
                                      mlir::Value result);

/// Errors unless the two have one rank and one element type.
mlir::LogicalResult verifySameRank(mlir::Operation *op, mlir::Value source,
                                   mlir::Value result);

/// Errors unless `count` values stand for the `rank` dimensions of the operand,
/// of which the dynamic ones of `fixed` come from `dynamic` operands.
mlir::LogicalResult verifyMixed(mlir::Operation *op, llvm::StringRef what,
                                llvm::ArrayRef<int64_t> fixed, size_t dynamic,
                                int64_t rank);

/// A sum of sizes or a product, dynamic if a part is.
inline int64_t plus(int64_t a, int64_t b) {
  return mlir::ShapedType::isDynamic(a) || mlir::ShapedType::isDynamic(b)
             ? mlir::ShapedType::kDynamic
             : a + b;
}
inline int64_t times(int64_t a, int64_t b) {
  return mlir::ShapedType::isDynamic(a) || mlir::ShapedType::isDynamic(b)
             ? mlir::ShapedType::kDynamic
             : a * b;
}

/// The static size of a window op's output, or dynamic; see windowedSize.
int64_t windowedSize(int64_t in, int64_t kernel, int64_t stride,
                     int64_t dilation, int64_t padLow, int64_t padHigh,
                     bool ceil);

/// Sizes of a result whose dynamic dimensions are operands.
template <typename Op>
mlir::LogicalResult reifyDims(Op op, mlir::OpBuilder &builder,
                              mlir::ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(mlir::getMixedValues(typeOf(op.getResult()).getShape(),
                                        op.getDims(), builder));
  return mlir::success();
}

/// Sizes of a result that has the shape of `like`.
inline mlir::LogicalResult
reifyLike(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value like,
          mlir::ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(dimsOf(builder, loc, like));
  return mlir::success();
}

/// Formats of an op that multiplies and accumulates elements of `type`.
llvm::SmallVector<Format> contractionFormats(mlir::Type type);

/// `count * each`, unknown if one is.
inline double product(double count, double each) {
  return count < 0 || each < 0 ? -1 : count * each;
}

/// Number of elements in dimensions `dims` of a tensor, or negative.
template <typename Dims>
double extentOf(mlir::Value tensor, const Dims &dims, DimFn dimOf) {
  double count = 1;
  for (int64_t dim : dims)
    count = product(count, double(dimOf(tensor, dim)));
  return count;
}

} // namespace amp

#endif // AMPC_IR_OPUTILS_H
