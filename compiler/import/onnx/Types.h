//===- Types.h - Values as libonnx's inference sees them --------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_TYPES_H
#define AMPC_IMPORT_ONNX_TYPES_H

#include "compiler/import/onnx/Value.h"

namespace onnx {
class TensorProto;
class TypeProto;
} // namespace onnx

namespace ampc::onnx_import {

/// The type of a value: dynamic sizes are unknown.
onnx::TypeProto typeProto(const NamedValue &value);

/// The elements of a value that shape inference may want to know: a constant
/// list of int32 or int64. Null otherwise.
std::unique_ptr<onnx::TensorProto> constantProto(const NamedValue &value);

/// Whether a value may have this type; `why` says what differs.
bool agrees(const NamedValue &value, const onnx::TypeProto &type,
            std::string &why);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_TYPES_H
