//===- Signature.h - Inputs and outputs of a model --------------*- C++ -*-===//

#ifndef AMPC_EXPORT_SIGNATURE_H
#define AMPC_EXPORT_SIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace ampc {

/// One input or output.
struct TensorSignature {
  std::string name;
  int32_t dtype; ///< An ampc_dtype, numbered as ONNX's TensorProto.DataType.
  std::vector<int64_t> dims;        ///< -1 where dynamic.
  std::vector<std::string> symbols; ///< "" where static or anonymous.
};

/// What a caller of a model sees of it.
struct Signature {
  std::string name; ///< Of the model.
  std::vector<TensorSignature> inputs, outputs;

  llvm::json::Object toJson() const;
};

/// The signature of `main`, still on tensors: types, and for each argument and
/// result the attributes `amp.name`, `amp.dtype` and `amp.symbols` where they
/// are given. Without them names are in0, out0, ... and integers are signed.
Signature readSignature(mlir::func::FuncOp main, llvm::StringRef modelName);

/// ONNX's name of a dtype, in lower case: "float", "int64".
llvm::StringRef dtypeName(int32_t dtype);

/// "x: float[batch,3,?,48]".
std::string toString(const TensorSignature &tensor);

} // namespace ampc

#endif // AMPC_EXPORT_SIGNATURE_H
