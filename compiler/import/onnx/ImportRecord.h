//===- ImportRecord.h - What an import met ----------------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_IMPORTRECORD_H
#define AMPC_IMPORT_ONNX_IMPORTRECORD_H

#include <map>
#include <string>
#include <vector>

namespace ampc {

/// Filled by importOnnx where asked for, also when the import fails. The import
/// then goes on past ops that it lacks, as long as types can be inferred.
struct ImportRecord {
  /// One node of the graph, or of a graph in it.
  struct Node {
    std::string op;    ///< With its domain, unless that is ONNX's own.
    int version;       ///< 0: not known.
    std::string types; ///< "float, int64 -> float", as far as they are known.
    bool good;
  };
  std::vector<Node> nodes;
  /// Nodes that were not looked at: the types of what they read are not known.
  int64_t unknown = 0;
  /// By domain.
  std::vector<std::pair<std::string, int64_t>> opsets;
  /// Where dynamic dimensions of inputs stand, as "x[0]", by the name that
  /// ImportOptions::dims has for them.
  std::map<std::string, std::vector<std::string>> dims;
};

} // namespace ampc

#endif // AMPC_IMPORT_ONNX_IMPORTRECORD_H
