//===- Import.h - ONNX model to IR ------------------------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_IMPORT_H
#define AMPC_IMPORT_ONNX_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace ampc {

struct ImportRecord;

struct ImportOptions {
  /// Sizes for dynamic dimensions of inputs, by symbol or, where there is none,
  /// as "x[0]"; by the name of an input the length of a sequence, and whether
  /// (0 or 1) an optional holds a value.
  llvm::StringMap<int64_t> dims;

  /// An initializer that is also a graph input has a default that a caller may
  /// override. Older files list every weight so, hence such names are frozen to
  /// the initializer and leave the signature, except those named here, which
  /// become ordinary inputs without a default.
  llvm::StringSet<> overridable;

  /// Nodes that a model may have or become, when function bodies are inlined
  /// and loops unrolled. Files that are small can mean any number of them.
  int64_t maxNodes = 100'000;

  /// If not null, gets what was met, and the import does not stop before it has
  /// looked at all that it can.
  ImportRecord *record = nullptr;
};

/// Reads an ONNX model: a protobuf file, or ONNX's text syntax where the name
/// ends in ".onnxtxt". The module holds
/// - `func.func @main`, whose arguments and results carry `amp.name` (string),
///   `amp.dtype` (i32, TensorProto.DataType) and `amp.symbols` (strings, empty
///   for static and anonymous dimensions);
/// - an `amp.weight_data` for each constant above 1 KiB, over the mapped file
/// if
///   the data is external. The module owns the mapping;
/// - the attributes `amp.model_name` and `amp.opsets`.
/// Returns null after error diagnostics, each one line: all nodes that cannot
/// be imported, or what is wrong with the file. Diagnostics do not repeat
/// `path`.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(llvm::StringRef path,
                                             const ImportOptions &options,
                                             mlir::MLIRContext &context);

} // namespace ampc

#endif // AMPC_IMPORT_ONNX_IMPORT_H
