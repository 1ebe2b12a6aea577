//===- Signature.cpp - Arguments and results of the model -----------------===//

#include "compiler/import/onnx/Import.h"
#include "compiler/import/onnx/Importer.h"

#include "compiler/ir/Amp.h"

#include "llvm/ADT/StringExtras.h"

#include <onnx/onnx_pb.h>

using namespace mlir;

namespace ampc::onnx_import {

/// Whether a name means the same size wherever it stands. Exporters write
/// empty names, "?" and whole expressions for sizes they know nothing about.
static bool isSymbol(StringRef name) {
  return !name.empty() && (llvm::isAlpha(name[0]) || name[0] == '_') &&
         llvm::all_of(name, [](char c) {
           return llvm::isAlnum(c) || c == '_' || c == '.';
         });
}

static void setAttributes(func::FuncOp function, bool result, unsigned index,
                          StringRef name, DType dtype,
                          ArrayRef<StringRef> symbols) {
  Builder builder(function.getContext());
  NamedAttribute attributes[] = {
      builder.getNamedAttr("amp.name", builder.getStringAttr(name)),
      builder.getNamedAttr(
          "amp.dtype", builder.getI32IntegerAttr(static_cast<int32_t>(dtype))),
      builder.getNamedAttr("amp.symbols", builder.getStrArrayAttr(symbols))};
  auto dictionary = builder.getDictionaryAttr(attributes);
  if (result)
    function.setResultAttrs(index, dictionary);
  else
    function.setArgAttrs(index, dictionary);
}

/// Callers leave the unused bits of types below a byte as they like; all other
/// values have them extended (see ampc_dtype in ampc.h).
Value Importer::withUnusedBits(Value input, DType dtype) {
  amp::ByteFormat format = byteFormat(dtype);
  if (bitWidth(dtype) >= 8)
    return input;
  return builder.create<amp::CastOp>(function.getLoc(), input.getType(), input,
                                     amp::CastOrigin::Source,
                                     /*unsigned_source=*/false,
                                     /*unsigned_result=*/false,
                                     /*saturate=*/false, format, format);
}

LogicalResult Importer::bindInputs(const ImportOptions &options, Scope &scope) {
  const onnx::GraphProto &graph = model.graph();
  llvm::StringSet<> initialized, used, names;
  for (const auto &tensor : graph.initializer())
    initialized.insert(tensor.name());
  for (const auto &name : options.overridable)
    if (!initialized.contains(name.getKey()))
      return fail("has no initializer '" + name.getKey() + "'");

  Block &block = function.front();
  SmallVector<SmallVector<std::string>> argSymbols;
  SmallVector<const onnx::ValueInfoProto *> inputs;
  for (const auto &input : graph.input()) {
    if (initialized.contains(input.name()) &&
        !options.overridable.contains(input.name()))
      continue;
    std::string subject = "input '" + input.name() + "' ";
    if (!input.type().has_tensor_type())
      return fail(subject + "is not a tensor, which is not supported");
    const auto &tensor = input.type().tensor_type();
    Type element = elementType(builder.getContext(),
                               static_cast<DType>(tensor.elem_type()));
    if (!element)
      return fail(subject + "has type " +
                  dtypeName(static_cast<DType>(tensor.elem_type())) +
                  ", which is not supported");
    SmallVector<int64_t> shape;
    SmallVector<std::string> symbols;
    for (const auto &dim : tensor.shape().dim()) {
      std::string symbol = isSymbol(dim.dim_param()) ? dim.dim_param() : "";
      int64_t size = dim.has_dim_value() && dim.dim_value() >= 0
                         ? dim.dim_value()
                         : ShapedType::kDynamic;
      if (!symbol.empty()) {
        names.insert(symbol);
        if (auto it = options.dims.find(symbol); it != options.dims.end()) {
          size = it->second;
          symbol.clear();
        }
      }
      shape.push_back(size);
      symbols.push_back(symbol);
    }
    block.addArgument(RankedTensorType::get(shape, element), function.getLoc());
    argSymbols.push_back(std::move(symbols));
    inputs.push_back(&input);
  }
  for (const auto &[name, size] : options.dims)
    if (!names.contains(name)) {
      auto known = llvm::to_vector(names.keys());
      llvm::sort(known);
      return fail("has no dimension '" + name + "'; its dimensions are: " +
                  (known.empty() ? "none" : llvm::join(known, ", ")));
    }

  for (auto [index, input] : llvm::enumerate(inputs)) {
    auto value = std::make_shared<NamedValue>();
    value->name = input->name();
    value->dtype = static_cast<DType>(input->type().tensor_type().elem_type());
    value->tensor = withUnusedBits(block.getArgument(index), value->dtype);
    auto type = cast<RankedTensorType>(value->tensor.getType());
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      StringRef symbol = argSymbols[index][dim];
      if (!ShapedType::isDynamic(size)) {
        value->dims.push_back(scalars.index(size));
        continue;
      }
      auto it = symbols.find(symbol);
      Scalar scalar = !symbol.empty() && it != symbols.end()
                          ? it->second
                          : Scalar(builder
                                       .create<tensor::DimOp>(
                                           function.getLoc(), value->tensor,
                                           scalars.value(scalars.index(dim)))
                                       .getResult());
      if (!symbol.empty())
        symbols[symbol] = scalar;
      value->dims.push_back(scalar);
    }
    scope.values[input->name()] = std::move(value);
  }
  // The types must be set before attributes of arguments can be.
  function.setType(builder.getFunctionType(block.getArgumentTypes(), {}));
  for (auto [index, input] : llvm::enumerate(inputs))
    setAttributes(function, false, index, input->name(),
                  static_cast<DType>(input->type().tensor_type().elem_type()),
                  llvm::to_vector_of<StringRef>(argSymbols[index]));
  return success();
}

LogicalResult Importer::setResults(const Scope &scope) {
  const onnx::GraphProto &graph = model.graph();
  scalars.setLoc(function.getLoc());
  SmallVector<Tensor> results;
  SmallVector<Value> values;
  for (const auto &output : graph.output()) {
    const ValueRef *value = scope.find(output.name());
    if (!value || !*value)
      return fail("output '" + Twine(output.name()) +
                  "' is defined by no node");
    results.push_back(forms.tensor(**value, function.getLoc()));
    values.push_back(results.back().value);
  }
  builder.create<func::ReturnOp>(function.getLoc(), values);
  function.setType(builder.getFunctionType(function.getArgumentTypes(),
                                           ValueRange(values).getTypes()));
  for (auto [index, output] : llvm::enumerate(graph.output())) {
    const Tensor &result = results[index];
    SmallVector<StringRef> names;
    for (auto [i, dim] : llvm::enumerate(result.dims)) {
      StringRef name;
      if (!constantInt(dim)) {
        // An input's symbol only where the sizes are one value.
        for (const auto &entry : symbols)
          if (entry.second == dim)
            name = entry.getKey();
        const auto &shape = output.type().tensor_type().shape();
        if (name.empty() && i < size_t(shape.dim_size()) &&
            isSymbol(shape.dim(i).dim_param()) &&
            !symbols.count(shape.dim(i).dim_param()))
          name = shape.dim(i).dim_param();
      }
      names.push_back(name);
    }
    setAttributes(function, true, index, output.name(), result.dtype, names);
  }
  return success();
}

} // namespace ampc::onnx_import
