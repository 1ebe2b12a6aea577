//===- Weights.cpp - Constants that live outside the IR -------------------===//

#include "compiler/import/onnx/Weights.h"

#include "compiler/ir/Amp.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace ampc::onnx_import {

bool Weights::isWeight(ElementsAttr elements) {
  return isa<DenseResourceElementsAttr>(elements);
}

ArrayRef<char> rawBytes(ElementsAttr elements) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return resource.getRawHandle().getBlob()->getData();
  return cast<DenseElementsAttr>(elements).getRawData();
}

/// Dense elements from bytes; DenseElementsAttr packs booleans eight a byte.
static DenseElementsAttr inlineElements(RankedTensorType type,
                                        ArrayRef<char> bytes) {
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  auto bools = llvm::map_to_vector(bytes, [](char byte) { return byte != 0; });
  return DenseElementsAttr::get(type, ArrayRef<bool>(bools));
}

/// A name under which MLIR's printer, which never quotes the key of a resource,
/// writes what its parser reads.
static std::string resourceKey(StringRef name) {
  std::string key = name.str();
  for (char &c : key)
    if (!llvm::isAlnum(c) && c != '_')
      c = '_';
  if (key.empty() || !llvm::isAlpha(key[0]))
    key.insert(0, "w");
  return key;
}

ElementsAttr Weights::constant(RankedTensorType type, AsmResourceBlob bytes,
                               StringRef name) {
  ArrayRef<char> data = bytes.getData();
  if (data.size() <= kInlineBytes)
    return inlineElements(type, data);
  auto &manager =
      DenseResourceElementsHandle::getManagerInterface(type.getContext());
  return DenseResourceElementsAttr::get(
      type, manager.insert(resourceKey(name), std::move(bytes)));
}

StringAttr Weights::define(ElementsAttr elements, StringRef name,
                           Location loc) {
  StringAttr &symbol = defined[elements];
  if (symbol)
    return symbol;
  // Weights are compared in full only if their type and a sample agree.
  ArrayRef<char> bytes = rawBytes(elements);
  size_t part = std::min<size_t>(bytes.size(), 512);
  size_t middle = (bytes.size() - part) / 2;
  uint64_t sample = llvm::hash_combine(
      elements.getType(), bytes.size(),
      llvm::hash_combine_range(bytes.begin(), bytes.begin() + part),
      llvm::hash_combine_range(bytes.begin() + middle,
                               bytes.begin() + middle + part),
      llvm::hash_combine_range(bytes.end() - part, bytes.end()));
  auto [first, last] = bySample.equal_range(sample);
  for (auto it = first; it != last; ++it)
    if (it->second.getType() == elements.getType() &&
        rawBytes(it->second) == bytes) {
      symbol = defined.lookup(it->second);
      return symbol;
    }
  bySample.emplace(sample, elements);
  // Before the function, in the order of first use.
  OpBuilder builder(function);
  auto data = builder.create<amp::WeightDataOp>(
      loc, builder.getStringAttr(name.empty() ? "weight" : name), elements);
  symbol = symbols.insert(data);
  return symbol;
}

} // namespace ampc::onnx_import
