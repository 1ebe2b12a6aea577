//===- Amp.h - The amp dialect ----------------------------------*- C++ -*-===//
//
// Declarations of the amp dialect: attributes, interfaces and ops, which
// TableGen writes, and the few C++ types that the interfaces speak in.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IR_AMP_H
#define AMPC_IR_AMP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "AmpDialect.h.inc"
#include "AmpEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "AmpAttrs.h.inc"

namespace amp {

/// Size of dimension `dim` of a ranked tensor value, or negative if unknown.
using DimFn = llvm::function_ref<int64_t(mlir::Value, int64_t dim)>;

/// Orders of dimensions, one a value: dimension `i` is dimension
/// `permutation[i]` of the value. Empty: none.
using Permutation = llvm::SmallVector<int64_t>;
using Permutations = llvm::SmallVector<Permutation>;

/// The default of `PermutableOpInterface::spread`: one permutation for the
/// results and those operands that are tensors of their rank.
llvm::LogicalResult spreadOnePermutation(mlir::Operation *op,
                                         Permutations &operands,
                                         Permutations &results);

/// How `ElementalOpInterface::emitElement` reads its op's operands.
class ElementAccess {
public:
  virtual ~ElementAccess() = default;

  /// The element of `operand` at `indices`, one `index` value a dimension, all
  /// in bounds; with lanes() > 1 a vector of the elements from there on along
  /// the innermost dimension. Where the innermost dimension has static size 1
  /// the one element fills all lanes. Booleans are `i1`.
  virtual mlir::Value read(mlir::Value operand,
                           llvm::ArrayRef<mlir::Value> indices) = 0;

  /// The one element of `operand` at `indices`, however many lanes there are:
  /// for operands that are indexed themselves, like those that hold indices.
  virtual mlir::Value readOne(mlir::Value operand,
                              llvm::ArrayRef<mlir::Value> indices) = 0;

  /// A scalar operand (or a tensor of rank 0) in every lane.
  virtual mlir::Value readScalar(mlir::Value operand) = 0;

  /// Size of dimension `dim` of a tensor operand, as an `index` value.
  virtual mlir::Value dim(mlir::Value operand, int64_t dim) = 0;

  /// Elements computed at a time; 1 means scalars.
  virtual int64_t lanes() const = 0;

  /// `type` itself, or a vector of lanes() of it.
  mlir::Type laned(mlir::Type type) const {
    return lanes() == 1 ? type : mlir::VectorType::get({lanes()}, type);
  }
};

/// Defaults of PrecisionOpInterface (Precision.cpp): ops that round give one
/// result element an operation, in f32, bf16 or f16 (f64 ops in f64); others
/// move elements.
llvm::SmallVector<Format> defaultLegalFormats(mlir::Operation *op);
/// The discardable attribute that holds the format assigned to an op.
inline constexpr llvm::StringLiteral precisionAttrName = "amp.precision";
/// MLIR's type for the numbers of `format`; null if it has none (tf32).
mlir::Type formatType(mlir::MLIRContext *context, Format format);
ErrorClass defaultErrorClass(mlir::Operation *op);
double defaultFlops(mlir::Operation *op, DimFn dimOf);
double elementCount(mlir::Value tensor, DimFn dimOf);
double defaultBytes(mlir::Operation *op, DimFn dimOf);

/// Default of ElementalOpInterface::mergeDims: ops whose operands all have the
/// result's shape pass dimensions on, others can't be merged (Shapes.cpp).
bool mergeDimsOfSameShape(mlir::Operation *op, int64_t dim,
                          llvm::SmallVectorImpl<int64_t> &operands);

} // namespace amp

#include "AmpInterfaces.h.inc"

namespace amp {
class YieldOp;
} // namespace amp

#define GET_OP_CLASSES
#include "AmpOps.h.inc"

namespace amp {

/// Attaches PrecisionOpInterface to arith, math and tensor ops, and
/// BufferizableOpInterface to amp's (ExternalModels.cpp, Bufferization.cpp).
void registerExternalModels(mlir::DialectRegistry &registry);
void registerBufferizationModels(mlir::DialectRegistry &registry);

/// The size of dimension `dim` of `value`: an attribute if static, else an
/// `index` value computed from the operands of its producer where that is
/// possible (through any chain of pointwise and amp ops), else `tensor.dim`.
mlir::OpFoldResult dimOf(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, int64_t dim);
llvm::SmallVector<mlir::OpFoldResult>
dimsOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// The dims of `sizes` that are dynamic in `type`, as values.
llvm::SmallVector<mlir::Value>
dynamicDims(mlir::OpBuilder &builder, mlir::Location loc,
            mlir::RankedTensorType type,
            llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// PermutableOpInterface of any op (Permutation.cpp): fails for ops that cannot
/// work in another order.
llvm::LogicalResult spreadPermutations(mlir::Operation *op,
                                       Permutations &operands,
                                       Permutations &results);
llvm::SmallVector<mlir::Value> clonePermuted(mlir::OpBuilder &builder,
                                             mlir::Operation *op,
                                             mlir::ValueRange values,
                                             const Permutations &operands,
                                             const Permutations &results);
mlir::RankedTensorType permuted(mlir::Type type,
                                llvm::ArrayRef<int64_t> permutation);
/// Whether only dimensions of size 1 change places, so that elements stay.
bool movesNothing(mlir::RankedTensorType type,
                  llvm::ArrayRef<int64_t> permutation);

/// Whether `op` is evaluated element by element: ElementalOpInterface, or an
/// ElementwiseMappable op of another dialect, on tensors.
bool isElemental(mlir::Operation *op);

/// Output size of a window op: floor or ceil of
/// (in + padLow + padHigh - dilation * (kernel - 1) - 1) / stride, plus 1.
/// In ceil mode windows that start in the high padding are dropped.
mlir::OpFoldResult windowedSize(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::OpFoldResult in, int64_t kernel,
                                int64_t stride, int64_t dilation,
                                int64_t padLow, int64_t padHigh, bool ceil);

} // namespace amp

#endif // AMPC_IR_AMP_H
