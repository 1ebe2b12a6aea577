//===- Signature.cpp - Arguments and results of the model -----------------===//

#include "compiler/import/onnx/Import.h"
#include "compiler/import/onnx/ImportRecord.h"
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

/// A dimension by where it stands, which is how one without a name is called.
static std::string place(const std::string &input, size_t dim) {
  return input + "[" + std::to_string(dim) + "]";
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

namespace {
/// An argument of the function while arguments are collected.
struct Argument {
  std::string name;
  DType dtype;
  SmallVector<int64_t> shape;
  /// Empty where a size is static or nameless.
  SmallVector<std::string> symbols;
};
} // namespace

/// The argument for a tensor of this type. `names` collects the symbols seen.
static FailureOr<Argument>
readArgument(const std::string &name, const onnx::TypeProto &type,
             const ImportOptions &options, MLIRContext *context,
             llvm::StringSet<> &names, std::string &error) {
  std::string subject = "input '" + name + "' ";
  if (!type.has_tensor_type()) {
    error = subject + "is neither a tensor nor made of tensors, which is not "
                      "supported";
    return failure();
  }
  const auto &tensor = type.tensor_type();
  if (!tensor.has_shape()) {
    error = subject + "has no shape, so that its rank is not known";
    return failure();
  }
  Argument argument{name, static_cast<DType>(tensor.elem_type()), {}, {}};
  if (!elementType(context, argument.dtype)) {
    error = subject + "has type " + dtypeName(argument.dtype) +
            ", which is not supported";
    return failure();
  }
  for (const auto &dim : tensor.shape().dim()) {
    std::string symbol = isSymbol(dim.dim_param()) ? dim.dim_param() : "";
    int64_t size = ShapedType::kDynamic;
    if (dim.has_dim_value() && dim.dim_value() >= 0) {
      size = dim.dim_value();
    } else {
      std::string key =
          symbol.empty() ? place(name, argument.shape.size()) : symbol;
      names.insert(key);
      if (auto it = options.dims.find(key); it != options.dims.end()) {
        size = it->second;
        symbol.clear();
      }
    }
    argument.shape.push_back(size);
    argument.symbols.push_back(symbol);
  }
  if (!isAddressable(argument.shape, elementType(context, argument.dtype))) {
    error = subject + "is larger than any memory";
    return failure();
  }
  return argument;
}

/// The value of an input, made of arguments that are appended to `arguments`;
/// its tensors' names are set, the rest is not. How long a sequence is and
/// whether an optional holds a value, --dim says by the input's name.
static FailureOr<ValueRef>
readInput(const std::string &name, const onnx::TypeProto &type,
          const ImportOptions &options, MLIRContext *context,
          llvm::StringSet<> &names, std::vector<Argument> &arguments,
          std::string &error) {
  auto value = std::make_shared<NamedValue>();
  value->name = name;
  bool isSequence = type.has_sequence_type();
  if (!isSequence && !type.has_optional_type()) {
    auto argument = readArgument(name, type, options, context, names, error);
    if (failed(argument))
      return failure();
    value->dtype = argument->dtype;
    arguments.push_back(std::move(*argument));
    return value;
  }
  const onnx::TypeProto &element = isSequence
                                       ? type.sequence_type().elem_type()
                                       : type.optional_type().elem_type();
  value->kind =
      isSequence ? NamedValue::Kind::Sequence : NamedValue::Kind::Optional;
  names.insert(name);
  auto given = options.dims.find(name);
  if (given == options.dims.end()) {
    error = "input '" + name + "' is " +
            (isSequence ? "a sequence, whose length must be given: --dim " +
                              name + "=LENGTH"
                        : "an optional; say whether it will hold a value: "
                          "--dim " +
                              name + "=1 or --dim " + name + "=0");
    return failure();
  }
  // An optional sequence that is given has the length given.
  bool nested = !isSequence && element.has_sequence_type();
  int64_t count = isSequence ? given->second : given->second != 0 || nested;
  value->dtype = static_cast<DType>(
      (nested ? element.sequence_type().elem_type() : element)
          .tensor_type()
          .elem_type());
  for (int64_t i = 0; i < count; ++i) {
    auto part = readInput(isSequence ? name + "." + std::to_string(i) : name,
                          element, options, context, names, arguments, error);
    if (failed(part))
      return failure();
    value->elements.push_back(*part);
  }
  // Elements of a sequence share the names of their sizes, not the sizes.
  if (isSequence)
    for (auto argument = arguments.end() - count; argument != arguments.end();
         ++argument)
      argument->symbols.assign(argument->symbols.size(), "");
  return value;
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
  llvm::StringSet<> initialized, names;
  for (const auto &tensor : graph.initializer())
    initialized.insert(tensor.name());
  for (const auto &name : options.overridable)
    if (!initialized.contains(name.getKey()))
      return fail("has no initializer '" + name.getKey() + "'");

  Block &block = function.front();
  std::vector<Argument> arguments;
  for (const auto &input : graph.input()) {
    if (initialized.contains(input.name()) &&
        !options.overridable.contains(input.name()))
      continue;
    auto value = readInput(input.name(), input.type(), options,
                           builder.getContext(), names, arguments, error);
    if (failed(value))
      return failure();
    scope.values[input.name()] = *value;
  }
  if (record)
    for (const Argument &argument : arguments)
      for (auto [dim, size] : llvm::enumerate(argument.shape))
        if (ShapedType::isDynamic(size)) {
          std::string where = place(argument.name, dim);
          const std::string &symbol = argument.symbols[dim];
          record->dims[symbol.empty() ? where : symbol].push_back(where);
        }
  for (const auto &[name, size] : options.dims)
    if (!names.contains(name)) {
      auto known = llvm::to_vector(names.keys());
      llvm::sort(known);
      return fail("has no dimension '" + name + "'; its dimensions are: " +
                  (known.empty() ? "none" : llvm::join(known, ", ")));
    }

  for (const Argument &argument : arguments)
    block.addArgument(
        RankedTensorType::get(
            argument.shape, elementType(builder.getContext(), argument.dtype)),
        function.getLoc());
  unsigned next = 0;
  auto bind = [&](auto &bind, NamedValue &value) -> void {
    for (const ValueRef &element : value.elements)
      bind(bind, *element);
    if (!value.isTensor())
      return;
    const Argument &argument = arguments[next];
    value.tensor = block.getArgument(next++);
    for (auto [dim, size] : llvm::enumerate(argument.shape)) {
      StringRef symbol = argument.symbols[dim];
      if (!ShapedType::isDynamic(size)) {
        value.dims.push_back(scalars.index(size));
        continue;
      }
      auto it = symbols.find(symbol);
      Scalar scalar = !symbol.empty() && it != symbols.end()
                          ? it->second
                          : Scalar(builder
                                       .create<tensor::DimOp>(
                                           function.getLoc(), value.tensor,
                                           scalars.value(scalars.index(dim)))
                                       .getResult());
      if (!symbol.empty())
        symbols[symbol] = scalar;
      value.dims.push_back(scalar);
    }
    value.tensor = withUnusedBits(value.tensor, argument.dtype);
  };
  for (const auto &input : graph.input())
    if (auto it = scope.values.find(input.name()); it != scope.values.end())
      bind(bind, *it->second);
  // The types must be set before attributes of arguments can be.
  function.setType(builder.getFunctionType(block.getArgumentTypes(), {}));
  for (auto [index, argument] : llvm::enumerate(arguments))
    setAttributes(function, false, index, argument.name, argument.dtype,
                  llvm::to_vector_of<StringRef>(argument.symbols));
  return success();
}

namespace {
/// A tensor among the model's outputs.
struct Result {
  std::string name;
  NamedValue *value;
  /// Null for an element of a sequence.
  const onnx::TensorShapeProto *shape;
};
} // namespace

/// The tensors of an output: element `i` of sequence `y` is `y.i`, an optional
/// is what it holds.
static void collectResults(const std::string &name, NamedValue &value,
                           const onnx::TensorShapeProto *shape,
                           std::vector<Result> &results) {
  if (value.isTensor()) {
    results.push_back({name, &value, shape});
    return;
  }
  bool isSequence = value.kind == NamedValue::Kind::Sequence;
  for (auto [i, element] : llvm::enumerate(value.elements))
    collectResults(isSequence ? name + "." + std::to_string(i) : name, *element,
                   nullptr, results);
}

LogicalResult Importer::setResults(const Scope &scope) {
  const onnx::GraphProto &graph = model.graph();
  scalars.setLoc(function.getLoc());
  std::vector<Result> results;
  for (const auto &output : graph.output()) {
    const ValueRef *value = scope.find(output.name());
    if (!value || !*value)
      return fail("output '" + Twine(output.name()) +
                  "' is defined by no node");
    // Declared sizes may be stale; the element type is the interface.
    auto declared = static_cast<DType>(output.type().tensor_type().elem_type());
    if ((*value)->isTensor() && declared != DType::Undefined &&
        declared != (*value)->dtype)
      return fail("output '" + Twine(output.name()) + "' is declared as " +
                  dtypeName(declared) + ", but is " +
                  dtypeName((*value)->dtype));
    forms.refresh(**value);
    collectResults(output.name(), **value, &output.type().tensor_type().shape(),
                   results);
  }
  SmallVector<Value> values;
  for (const Result &result : results)
    values.push_back(forms.tensor(*result.value, function.getLoc()).value);
  builder.create<func::ReturnOp>(function.getLoc(), values);
  function.setType(builder.getFunctionType(function.getArgumentTypes(),
                                           ValueRange(values).getTypes()));
  for (auto [index, result] : llvm::enumerate(results)) {
    SmallVector<StringRef> names;
    for (auto [i, dim] : llvm::enumerate(result.value->dims)) {
      StringRef name;
      if (!constantInt(dim)) {
        // An input's symbol only where the sizes are one value.
        for (const auto &entry : symbols)
          if (entry.second == dim)
            name = entry.getKey();
        if (name.empty() && result.shape &&
            i < size_t(result.shape->dim_size()) &&
            isSymbol(result.shape->dim(i).dim_param()) &&
            !symbols.count(result.shape->dim(i).dim_param()))
          name = result.shape->dim(i).dim_param();
      }
      names.push_back(name);
    }
    setAttributes(function, true, index, result.name, result.value->dtype,
                  names);
  }
  return success();
}

} // namespace ampc::onnx_import
