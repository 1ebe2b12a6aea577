//===- Model.h - The one door to libonnx ------------------------*- C++ -*-===//
//
// Everything that libonnx does for the importer: parsing, checking, schemas,
// type inference and function bodies. libonnx reports by exceptions; they end
// here, and nothing else in the compiler is compiled with them.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IMPORT_ONNX_MODEL_H
#define AMPC_IMPORT_ONNX_MODEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace onnx {
class AttributeProto;
class FunctionProto;
class ModelProto;
class NodeProto;
class OpSchema;
class TensorProto;
class TypeProto;
} // namespace onnx

namespace ampc::onnx_import {

/// Reads a model. Recorded types of intermediate values are dropped: they may
/// be stale. Null with `error` set on failure.
std::unique_ptr<onnx::ModelProto> loadModel(llvm::StringRef path,
                                            std::string &error);

/// An op's name, with its domain unless that is ONNX's own.
std::string qualifiedOp(const onnx::NodeProto &proto);

/// How messages name a node: "node 'Conv_3' (Conv, version 11)".
std::string describe(const onnx::NodeProto &proto, int index, int version);

/// ONNX's own domain has two names; this is the empty one.
std::string plainDomain(llvm::StringRef domain);

/// What tells functions of a model apart, and calls name.
std::string functionKey(const onnx::FunctionProto &function);
std::string functionKey(const onnx::NodeProto &call);

/// The directory that external data is relative to.
std::string modelDirectory(llvm::StringRef path);

/// Opens the file that holds external data after checking that it lies in
/// `directory` and is no link. A file descriptor, or -1 with `error` set.
int openExternalData(llvm::StringRef directory, llvm::StringRef location,
                     llvm::StringRef tensor, std::string &error);

/// The newest opset of a domain that libonnx knows, or of one it does not know
/// any number.
int lastOpset(const std::string &domain);

/// Whether a node has the inputs, outputs and attributes that its schema says.
/// `why` if not.
bool verifyNode(const onnx::OpSchema &schema, const onnx::NodeProto &node,
                std::string &why);

/// Whether an attribute without graphs is one value of one kind. External data
/// is looked for in `directory`.
bool verifyAttribute(const onnx::AttributeProto &attribute, int64_t irVersion,
                     llvm::StringRef directory, std::string &why);

/// The newest schema of an op that is not newer than `opset`, or null.
const onnx::OpSchema *findSchema(llvm::StringRef op, int opset,
                                 llvm::StringRef domain);
int sinceVersion(const onnx::OpSchema &schema);
bool isDeprecated(const onnx::OpSchema &schema);

/// The default of an attribute, or null if it has none.
const onnx::AttributeProto *defaultAttribute(const onnx::OpSchema &schema,
                                             llvm::StringRef name);

/// Whether `schema` defines the op by a function.
bool hasFunctionBody(const onnx::OpSchema &schema);

/// The body if it is the same for every node, else null. It states the opset it
/// is written in, which may be newer than `opset`.
std::unique_ptr<onnx::FunctionProto>
staticFunctionBody(const onnx::OpSchema &schema, int opset);

/// The body of an op that its schema defines as a function, for a node whose
/// inputs have these types (no value set where unknown or left out). Null if
/// there is none.
std::unique_ptr<onnx::FunctionProto>
functionBody(const onnx::OpSchema &schema, const onnx::NodeProto &node,
             llvm::ArrayRef<onnx::TypeProto> inputs, int opset);

/// Whether input `i` of the op may be left out.
bool isOptionalInput(const onnx::OpSchema &schema, size_t i);

/// Whether the op takes inputs of these types, each for itself; `why` names the
/// first that it does not.
bool acceptsInputs(const onnx::OpSchema &schema,
                   llvm::ArrayRef<onnx::TypeProto> inputs, std::string &why);

/// Runs the op's type and shape inference on a node without subgraphs. False
/// with `error` set if the node is wrong; else `outputs` holds what is known.
bool inferTypes(const onnx::OpSchema &schema, const onnx::NodeProto &node,
                llvm::ArrayRef<onnx::TypeProto> inputs,
                llvm::ArrayRef<const onnx::TensorProto *> constants,
                std::vector<onnx::TypeProto> &outputs, std::string &error);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_MODEL_H
