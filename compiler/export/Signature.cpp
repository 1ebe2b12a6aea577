//===- Signature.cpp - Inputs and outputs of a model ----------------------===//

#include "compiler/export/Signature.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ampc;

/// TensorProto.DataType of an element type whose model did not say.
static int32_t defaultDtype(Type type) {
  if (type.isF32())
    return 1;
  if (type.isF64())
    return 11;
  if (type.isF16())
    return 10;
  if (type.isBF16())
    return 16;
  if (isa<Float8E4M3FNType>(type))
    return 17;
  if (isa<Float8E4M3FNUZType>(type))
    return 18;
  if (isa<Float8E5M2Type>(type))
    return 19;
  if (isa<Float8E5M2FNUZType>(type))
    return 20;
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() ? 14 : 15;
  if (type.isInteger(1))
    return 9;
  if (type.isInteger(4))
    return 22;
  if (type.isInteger(8))
    return 3;
  if (type.isInteger(16))
    return 5;
  if (type.isInteger(32))
    return 6;
  if (type.isInteger(64) || type.isIndex())
    return 7;
  return 0;
}

StringRef ampc::dtypeName(int32_t dtype) {
  static const char *const names[] = {
      "undefined",      "float",      "uint8",
      "int8",           "uint16",     "int16",
      "int32",          "int64",      "string",
      "bool",           "float16",    "double",
      "uint32",         "uint64",     "complex64",
      "complex128",     "bfloat16",   "float8e4m3fn",
      "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
      "uint4",          "int4",       "float4e2m1",
      "float8e8m0",     "uint2",      "int2"};
  if (dtype < 0 || size_t(dtype) >= std::size(names))
    return "unknown";
  return names[dtype];
}

static TensorSignature readTensor(Type type, DictionaryAttr attrs,
                                  const Twine &defaultName) {
  auto shaped = cast<ShapedType>(type);
  TensorSignature tensor;
  tensor.name = defaultName.str();
  tensor.dtype = defaultDtype(shaped.getElementType());
  for (int64_t size : shaped.getShape())
    tensor.dims.push_back(ShapedType::isDynamic(size) ? -1 : size);
  tensor.symbols.resize(tensor.dims.size());
  if (!attrs)
    return tensor;
  if (auto name = attrs.getAs<StringAttr>("amp.name"))
    tensor.name = name.str();
  if (auto dtype = attrs.getAs<IntegerAttr>("amp.dtype"))
    tensor.dtype = dtype.getInt();
  if (auto symbols = attrs.getAs<ArrayAttr>("amp.symbols"))
    for (auto [symbol, attr, size] :
         llvm::zip(tensor.symbols, symbols, tensor.dims))
      if (auto name = dyn_cast<StringAttr>(attr); name && size < 0)
        symbol = name.str();
  return tensor;
}

Signature ampc::readSignature(func::FuncOp main, StringRef modelName) {
  Signature signature;
  signature.name = modelName.str();
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    signature.inputs.push_back(
        readTensor(type, main.getArgAttrDict(i), "in" + Twine(i)));
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    signature.outputs.push_back(
        readTensor(type, main.getResultAttrDict(i), "out" + Twine(i)));
  return signature;
}

static llvm::json::Array toJson(const std::vector<TensorSignature> &tensors) {
  llvm::json::Array array;
  for (const TensorSignature &tensor : tensors) {
    llvm::json::Array dims;
    for (auto [size, symbol] : llvm::zip(tensor.dims, tensor.symbols)) {
      if (size >= 0)
        dims.push_back(size);
      else if (symbol.empty())
        dims.push_back(nullptr);
      else
        dims.push_back(llvm::json::fixUTF8(symbol));
    }
    array.push_back(
        llvm::json::Object{{"name", llvm::json::fixUTF8(tensor.name)},
                           {"dtype", dtypeName(tensor.dtype)},
                           {"shape", std::move(dims)}});
  }
  return array;
}

llvm::json::Object Signature::toJson() const {
  return llvm::json::Object{{"name", llvm::json::fixUTF8(name)},
                            {"inputs", ::toJson(inputs)},
                            {"outputs", ::toJson(outputs)}};
}

std::string ampc::toString(const TensorSignature &tensor) {
  SmallVector<std::string> dims;
  for (auto [size, symbol] : llvm::zip(tensor.dims, tensor.symbols))
    dims.push_back(size >= 0        ? std::to_string(size)
                   : symbol.empty() ? "?"
                                    : symbol);
  return tensor.name + ": " + dtypeName(tensor.dtype).str() + "[" +
         llvm::join(dims, ",") + "]";
}
