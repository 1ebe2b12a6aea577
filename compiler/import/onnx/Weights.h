//===- Weights.h - Constants that live outside the IR -----------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_WEIGHTS_H
#define AMPC_IMPORT_ONNX_WEIGHTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"

#include <map>

namespace ampc::onnx_import {

/// Places `amp.weight_data` ops in a module, each set of bytes once.
class Weights {
public:
  /// Constants above this many bytes are weights.
  static constexpr int64_t kInlineBytes = 1024;

  /// Weights are placed before `function`.
  explicit Weights(mlir::func::FuncOp function)
      : function(function), symbols(function->getParentOp()) {}

  /// Whether a constant is kept as a weight.
  static bool isWeight(mlir::ElementsAttr elements);

  /// Elements over bytes in memory, with booleans one byte each: a copy in the
  /// IR if small, else a resource that takes over `bytes`, whose deleter runs
  /// with the context's last reference.
  static mlir::ElementsAttr constant(mlir::RankedTensorType type,
                                     mlir::AsmResourceBlob bytes,
                                     llvm::StringRef name);

  /// The symbol that holds these elements.
  mlir::StringAttr define(mlir::ElementsAttr elements, llvm::StringRef name,
                          mlir::Location loc);

private:
  mlir::func::FuncOp function;
  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::Attribute, mlir::StringAttr> defined;
  /// Weights by type and a sample of their bytes.
  std::multimap<uint64_t, mlir::ElementsAttr> bySample;
};

/// The bytes of a constant resource or of dense elements that are no splat.
llvm::ArrayRef<char> rawBytes(mlir::ElementsAttr elements);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_WEIGHTS_H
