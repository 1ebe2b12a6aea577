//===- DType.h - ONNX element types -----------------------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_DTYPE_H
#define AMPC_IMPORT_ONNX_DTYPE_H

#include "compiler/ir/Amp.h"

namespace ampc::onnx_import {

/// Numbered as TensorProto.DataType.
enum class DType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  UInt4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  Float8E8M0 = 24,
  UInt2 = 25,
  Int2 = 26,
  Float6E2M3 = 27,
  Float6E3M2 = 28,
};

/// The name ONNX's text format uses, e.g. "float" or "int64".
std::string dtypeName(DType dtype);

/// The (signless) element type of tensors, or null if the IR has none. Types
/// that MLIR lacks are i8.
mlir::Type elementType(mlir::MLIRContext *context, DType dtype);

/// What the bytes of a type that is kept in i8 stand for.
amp::ByteFormat byteFormat(DType dtype);

/// Bits of an element in ONNX's packed form.
unsigned bitWidth(DType dtype);

/// The type of one scalar of a shape value: `index` for int32 and int64.
mlir::Type scalarType(mlir::MLIRContext *context, DType dtype);

/// Whether a tensor of these sizes (dynamic ones count as 1, as do sizes of 0)
/// has fewer bytes than an address space. Sizes above that are no sizes, and
/// their product need not even fit 64 bits.
bool isAddressable(llvm::ArrayRef<int64_t> shape, mlir::Type element);

/// A float that the IR has a type for.
bool isFloat(DType dtype);
bool isUnsigned(DType dtype);
/// Signed or unsigned integer of any width, not bool.
bool isInteger(DType dtype);
/// int32 or int64: what sizes and indices are made of.
bool isIndex(DType dtype);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_DTYPE_H
