//===- Schema.h - Schemas of ops that libonnx does not know -----*- C++ -*-===//
//
// Ops of other domains, such as those that onnxruntime's optimizer and
// quantizer write, become schemas of libonnx like its own: the checker,
// defaults of attributes, type inference and function bodies then work alike
// for all.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IMPORT_ONNX_SCHEMA_H
#define AMPC_IMPORT_ONNX_SCHEMA_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <variant>
#include <vector>

namespace ampc::onnx_import {

/// An attribute that has no default.
struct NoDefault {
  enum Type { Int, Float, String, Ints, Floats } type;
  bool required = false;
};

struct SchemaAttribute {
  const char *name;
  std::variant<int64_t, float, std::string, NoDefault> value;
};

/// The first version of an op.
///
/// Parameters are separated by spaces, each `name:type`, then `?` if it is
/// optional, `*` if it stands for any number of one type, or `**` for any
/// number, each of its own type: `A:T B:T bias:T? rest:T*`. A type is a type
/// variable or an element type ("float", "int64").
///
///   Schema{"FusedMatMul", "A:T B:T", "Y:T", "T = float16 float double",
///          {{"alpha", 1.0f}, {"transA", 0}, {"transB", 0}}}
struct Schema {
  llvm::StringRef name, inputs, outputs;
  /// What type variables stand for: `T = float16 float; I = int32 int64`.
  llvm::StringRef types;
  std::vector<SchemaAttribute> attributes = {};
  /// The op as nodes in ONNX's text form, of opset `kBodyOpset` of the standard
  /// and of this domain; null if a builder is all that defines it.
  const char *body = nullptr;
  llvm::StringRef domain = "com.microsoft";

  static constexpr int kBodyOpset = 22;
};

/// Makes a schema known to libonnx, once a process. A schema that is not
/// well-formed ends the process: it is a fault of the compiler.
void registerSchema(const Schema &schema);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_SCHEMA_H
