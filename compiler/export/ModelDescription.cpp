//===- ModelDescription.cpp - The constants a model is known by -----------===//

#include "compiler/export/ModelDescription.h"

#include "runtime/abi.h"
#include "runtime/ampc.h"

#include "llvm/IR/Constants.h"

using namespace llvm;
using namespace ampc;

namespace {
/// Builds constants of one module.
class Constants {
public:
  explicit Constants(Module &module)
      : module(module), context(module.getContext()),
        pointer(PointerType::getUnqual(context)) {}

  Constant *i32(uint32_t value) {
    return ConstantInt::get(Type::getInt32Ty(context), value);
  }
  Constant *i64(uint64_t value) {
    return ConstantInt::get(Type::getInt64Ty(context), value);
  }
  Constant *null() { return ConstantPointerNull::get(pointer); }
  Constant *text(StringRef value) {
    return address(ConstantDataArray::getString(context, value), "");
  }
  Constant *array(ArrayRef<Constant *> values, Type *element) {
    if (values.empty())
      return null();
    return address(
        ConstantArray::get(ArrayType::get(element, values.size()), values), "");
  }
  Constant *structure(ArrayRef<Constant *> fields) {
    return ConstantStruct::getAnon(context, fields);
  }
  GlobalVariable *address(Constant *value, const Twine &name) {
    return new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                              GlobalValue::InternalLinkage, value,
                              name.isTriviallyEmpty() ? "ampc_data" : name);
  }

  /// ampc_tensor_desc[].
  Constant *tensors(const std::vector<TensorSignature> &tensors) {
    SmallVector<Constant *> all;
    for (const TensorSignature &tensor : tensors) {
      SmallVector<Constant *> dims, symbols;
      for (int64_t size : tensor.dims)
        dims.push_back(i64(size));
      for (const std::string &symbol : tensor.symbols)
        symbols.push_back(symbol.empty() ? null() : text(symbol));
      all.push_back(structure(
          {text(tensor.name), i32(tensor.dtype), i32(tensor.dims.size()),
           array(dims, Type::getInt64Ty(context)), array(symbols, pointer)}));
    }
    return array(all, all.empty() ? nullptr : all.front()->getType());
  }

  /// ampc_launch[].
  Constant *launches(ArrayRef<mlir::Attribute> launches) {
    SmallVector<Constant *> all;
    for (mlir::Attribute attribute : launches) {
      auto launch = cast<mlir::DictionaryAttr>(attribute);
      auto string = [&](StringRef key) {
        return text(launch.getAs<mlir::StringAttr>(key));
      };
      auto strings = [&](StringRef key) {
        SmallVector<Constant *> texts;
        for (StringRef value : launch.getAs<mlir::ArrayAttr>(key)
                                   .getAsValueRange<mlir::StringAttr>())
          texts.push_back(text(value));
        return array(texts, pointer);
      };
      size_t nodes = launch.getAs<mlir::ArrayAttr>("nodes").size();
      all.push_back(structure({string("kernel"), string("operands"), i32(nodes),
                               strings("nodes"), strings("ops")}));
    }
    return array(all, all.front()->getType());
  }

  Module &module;
  LLVMContext &context;
  PointerType *pointer;
};

/// ampc_profile. A model may be without a launch.
void addProfile(Constants &c, ArrayRef<mlir::Attribute> launches) {
  // The fields, in order.
  Constant *times = c.module.getNamedGlobal("ampc_launch_times");
  Constant *value =
      c.structure({c.i64(sizeof(ampc_profile)), c.i32(launches.size()),
                   launches.empty() ? c.null() : c.launches(launches),
                   launches.empty() ? c.null() : times});
  new GlobalVariable(c.module, value->getType(), /*isConstant=*/true,
                     GlobalValue::ExternalLinkage, value, AMPC_PROFILE_NAME);
}
} // namespace

void ampc::addModelDescription(Module &module,
                               const ModelDescription &description) {
  Constants c(module);
  Constant *weights = c.null(), *file = c.null();
  if (!description.weightsFile.empty()) {
    file = c.text(description.weightsFile);
  } else if (description.weightsSize) {
    auto *symbol = new GlobalVariable(
        module, ArrayType::get(Type::getInt8Ty(c.context), 0),
        /*isConstant=*/true, GlobalValue::ExternalLinkage, nullptr,
        weightsSymbol);
    symbol->setVisibility(GlobalValue::HiddenVisibility);
    weights = symbol;
  }
  auto *info =
      c.address(ConstantDataArray::getString(c.context, description.infoJson),
                "ampc_info");
  info->setSection(infoSection);

  // The fields of ampc_model_desc, in order.
  Constant *value = c.structure(
      {c.i32(AMPC_ABI_VERSION), c.i32(description.signature.inputs.size()),
       c.i32(description.signature.outputs.size()),
       c.i32(description.numArenas), c.text(description.signature.name), info,
       c.text(description.cpuFeatures), c.tensors(description.signature.inputs),
       c.tensors(description.signature.outputs), weights,
       c.i64(description.weightsSize), file, c.i64(description.weightsHash),
       module.getFunction("ampc_main")});
  auto *global = new GlobalVariable(
      module, value->getType(), /*isConstant=*/true,
      GlobalValue::ExternalLinkage, value, "ampc_model_description");
  global->setVisibility(GlobalValue::HiddenVisibility);
  if (description.launches)
    addProfile(c, description.launches.getValue());
}
