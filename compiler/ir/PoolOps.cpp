//===- PoolOps.cpp - Windows over spatial dimensions ----------------------===//

#include "compiler/ir/OpUtils.h"

using namespace mlir;
using namespace amp;

template <typename Op> static LogicalResult verifyWindow(Op op) {
  RankedTensorType source = typeOf(op.getSource());
  int64_t spatial = op.getKernel().size();
  if (spatial < 1 || source.getRank() != spatial + 2)
    return op.emitOpError("has a kernel of ")
           << spatial << " dimensions for an operand of rank "
           << source.getRank();
  if (int64_t(op.getStrides().size()) != spatial ||
      int64_t(op.getDilations().size()) != spatial ||
      int64_t(op.getPads().size()) != 2 * spatial)
    return op.emitOpError("needs ") << spatial << " strides and dilations and "
                                    << 2 * spatial << " pads";
  auto positive = [](int64_t value) { return value > 0; };
  if (!llvm::all_of(op.getKernel(), positive) ||
      !llvm::all_of(op.getStrides(), positive) ||
      !llvm::all_of(op.getDilations(), positive))
    return op.emitOpError("needs positive kernel sizes, strides and dilations");
  if (!llvm::all_of(op.getPads(), [](int64_t pad) { return pad >= 0; }))
    return op.emitOpError("needs pads of zero or more");
  SmallVector<int64_t> expected(source.getShape());
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t &size = expected[op.getSpatialDim(i)];
    size = windowedSize(size, op.getKernel()[i], op.getStrides()[i],
                        op.getDilations()[i], op.getPads()[i],
                        op.getPads()[spatial + i], op.getCeilMode());
  }
  return verifyShape(op, "a result", typeOf(op.getResult()).getShape(),
                     expected);
}

template <typename Op>
static LogicalResult reifyWindow(Op op, OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  auto sizes = dimsOf(builder, op.getLoc(), op.getSource());
  size_t spatial = op.getKernel().size();
  for (size_t i = 0; i < spatial; ++i) {
    OpFoldResult &size = sizes[op.getSpatialDim(i)];
    size = windowedSize(builder, op.getLoc(), size, op.getKernel()[i],
                        op.getStrides()[i], op.getDilations()[i],
                        op.getPads()[i], op.getPads()[spatial + i],
                        op.getCeilMode());
  }
  shapes.push_back(sizes);
  return success();
}

static double windowSize(ArrayRef<int64_t> kernel) {
  double size = 1;
  for (int64_t extent : kernel)
    size *= double(extent);
  return size;
}

/// Windows that do not overlap read each element once.
static bool readsOnce(ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides) {
  return llvm::all_of(llvm::zip(kernel, strides), [](auto pair) {
    return std::get<0>(pair) <= std::get<1>(pair);
  });
}

//===----------------------------------------------------------------------===//
// PoolOp
//===----------------------------------------------------------------------===//

LogicalResult PoolOp::verify() {
  if (failed(verifySameElement(*this, getSource(), getResult())))
    return failure();
  return verifyWindow(*this);
}

LogicalResult PoolOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyWindow(*this, builder, shapes);
}

ErrorClass PoolOp::getErrorClass() {
  if (getKind() == PoolKind::Max)
    return ErrorClass::Exact;
  return isa<FloatType>(typeOf(getSource()).getElementType())
             ? ErrorClass::Reduction
             : ErrorClass::Integer;
}
double PoolOp::getFlops(DimFn dimOf) {
  return product(windowSize(getKernel()), elementCount(getResult(), dimOf));
}
double PoolOp::getReductionLength(DimFn) { return windowSize(getKernel()); }
bool PoolOp::allowsPrologue(unsigned) {
  return readsOnce(getKernel(), getStrides());
}

//===----------------------------------------------------------------------===//
// PoolArgOp
//===----------------------------------------------------------------------===//

LogicalResult PoolArgOp::verify() {
  if (!typeOf(getResult()).getElementType().isSignlessInteger())
    return emitOpError("gives indices, which are integers");
  return verifyWindow(*this);
}

LogicalResult
PoolArgOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifyWindow(*this, builder, shapes);
}

ErrorClass PoolArgOp::getErrorClass() { return ErrorClass::Exact; }
double PoolArgOp::getFlops(DimFn dimOf) {
  return product(windowSize(getKernel()), elementCount(getResult(), dimOf));
}
double PoolArgOp::getReductionLength(DimFn) { return windowSize(getKernel()); }
bool PoolArgOp::allowsPrologue(unsigned) {
  return readsOnce(getKernel(), getStrides());
}
