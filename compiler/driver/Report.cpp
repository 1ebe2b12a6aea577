//===- Report.cpp - One record an op of the source ------------------------===//

#include "compiler/driver/Report.h"

#include "compiler/driver/Diagnostics.h"
#include "compiler/ir/Amp.h"
#include "compiler/ir/SourceNodes.h"

#include <cmath>

using namespace mlir;
using namespace ampc;

/// A number of PrecisionOpInterface: negative is unknown.
static llvm::json::Value number(double value) {
  if (!(value >= 0) || !std::isfinite(value))
    return nullptr;
  if (value < 9e15 && value == std::floor(value))
    return int64_t(value);
  return value;
}

static llvm::json::Array types(TypeRange range) {
  llvm::json::Array array;
  for (Type type : range) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    type.print(stream);
    array.push_back(std::move(text));
  }
  return array;
}

static llvm::json::Object record(amp::PrecisionOpInterface op) {
  auto dimOf = [](Value value, int64_t dim) -> int64_t {
    auto type = cast<ShapedType>(value.getType());
    return type.isDynamicDim(dim) ? -1 : type.getDimSize(dim);
  };
  llvm::json::Array nodes, formats;
  for (const amp::SourceNode &node : amp::sourceNodes(op->getLoc()))
    nodes.push_back(llvm::json::fixUTF8(node.name));
  for (amp::Format format : op.getLegalFormats())
    formats.push_back(amp::stringifyFormat(format));
  return llvm::json::Object{
      {"nodes", std::move(nodes)},
      {"op", op->getName().getStringRef()},
      {"operand_types", types(op->getOperandTypes())},
      {"result_types", types(op->getResultTypes())},
      {"flops", number(op.getFlops(dimOf))},
      {"bytes", number(op.getBytes(dimOf))},
      {"reduction_length", number(op.getReductionLength(dimOf))},
      {"error_class", amp::stringifyErrorClass(op.getErrorClass())},
      {"formats", std::move(formats)}};
}

void ampc::writeReport(ModuleOp module, const Signature &signature,
                       llvm::raw_ostream &stream) {
  llvm::json::Array ops;
  module.walk([&](amp::PrecisionOpInterface op) {
    // The interface is also on arith's scalars, which are shape arithmetic.
    if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
      ops.push_back(record(op));
  });
  llvm::json::Object document = signature.toJson();
  document["ops"] = std::move(ops);
  stream << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(document)));
}
