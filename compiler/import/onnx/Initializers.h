//===- Initializers.h - TensorProto to constant elements --------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_INITIALIZERS_H
#define AMPC_IMPORT_ONNX_INITIALIZERS_H

#include "compiler/import/onnx/ExternalData.h"
#include "compiler/import/onnx/Value.h"

namespace ampc::onnx_import {

/// The value of a constant tensor in any of ONNX's encodings. Raw bytes are
/// moved out of `tensor`; external ones stay in the mapped file. Null with
/// `error` set if the tensor is malformed or of a type without support.
ValueRef importTensor(onnx::TensorProto &tensor, llvm::StringRef name,
                      ExternalData &external, mlir::MLIRContext *context,
                      std::string &error);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_INITIALIZERS_H
