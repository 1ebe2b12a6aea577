//===- Check.h - Whether a model is well-formed -----------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_CHECK_H
#define AMPC_IMPORT_ONNX_CHECK_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace ampc::onnx_import {

/// Bounds on the structure of a model. They end the import of a file that is
/// small and means an unbounded amount of work; no sensible model meets those
/// that are not an option.
struct Limits {
  /// See ImportOptions.
  int64_t maxNodes;
  /// Graphs inside graphs, and calls inside function bodies.
  static constexpr int maxDepth = 64;
  /// ONNX's text syntax: brackets inside brackets.
  static constexpr int maxBrackets = 4 * maxDepth;
};

/// What is wrong with the structure of a model, one line each: versions, names,
/// order of nodes, their inputs, outputs and attributes as the schema has them,
/// recursion, and sizes beyond `limits`. Whether ops are supported and types
/// agree is found out later.
/// External data of attributes is looked for in `directory`.
std::vector<std::string> checkModel(const onnx::ModelProto &model,
                                    const Limits &limits,
                                    llvm::StringRef directory);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_CHECK_H
