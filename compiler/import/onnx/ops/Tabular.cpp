//===- Tabular.cpp - Columns of numbers, domain ai.onnx.ml ----------------===//

#include "compiler/import/onnx/Expr.h"
#include "compiler/import/onnx/OpTable.h"

using namespace mlir;

namespace ampc::onnx_import {

/// Columns of the last dimension by index. A vector is one row.
static LogicalResult buildArrayFeatureExtractor(NodeBuilder &b) {
  Tensor x = b.tensor(0), indices = b.tensor(1);
  if (x.rank() == 0)
    return b.fail("needs rank 1 at least");
  indices = b.reshape(indices, {b.scalars.product(indices.dims)});
  Tensor columns = b.gather(x, indices, x.rank() - 1);
  if (failed(b.requireReadable(x.dims.back(), columns.dims)))
    return failure();
  return b.output(0, x.rank() == 1 ? b.unsqueeze(columns, {0}) : columns);
}

static LogicalResult buildBinarizer(NodeBuilder &b) {
  Expr x(b, b.tensor(0));
  DType wide = isFloat(x.dtype()) ? x.dtype() : DType::Double;
  Expr above = x.to(wide) > b.floatAttr("threshold", 0);
  return b.output(0, above.to(x.dtype()));
}

static Expr floatRow(NodeBuilder &b, ArrayRef<double> values) {
  SmallVector<float> row(values.begin(), values.end());
  auto type =
      RankedTensorType::get({int64_t(row.size())}, b.builder().getF32Type());
  return {b, b.constant(DenseElementsAttr::get(type, ArrayRef(row)),
                        DType::Float, "")};
}

/// (x - offset) * scale, each one number or one a column.
static LogicalResult buildScaler(NodeBuilder &b) {
  Expr x = Expr(b, b.tensor(0)).to(DType::Float);
  auto attribute = [&](StringRef name, double missing) -> FailureOr<Expr> {
    auto values = b.node.floatsAttr(name);
    Expr row = floatRow(b, values ? *values : SmallVector<double>{missing});
    auto dims = b.broadcastDims({x.dims(), row.dims()});
    if (failed(dims))
      return failure();
    if (!b.scalars.same(*dims, x.dims()))
      return b.fail("has a " + name + " that does not fit the columns");
    return row.broadcast(x.dims());
  };
  auto offset = attribute("offset", 0), scale = attribute("scale", 1);
  if (failed(offset) || failed(scale))
    return failure();
  return b.output(0, (x - *offset) * *scale);
}

/// Rows divided by their norm; rows of zeros stay.
static LogicalResult buildNormalizer(NodeBuilder &b) {
  Expr x = Expr(b, b.tensor(0)).to(DType::Float);
  std::string kind = b.stringAttr("norm", "MAX");
  int64_t last = x.tensor.rank() - 1;
  if (last < 0)
    return b.fail("needs rank 1 at least");
  auto over = [&](amp::ReduceKind how, const Expr &terms) {
    return Expr(b, b.reduce(how, terms, {last}, /*keepDims=*/true));
  };
  std::optional<Expr> norm;
  if (kind == "MAX")
    norm = over(amp::ReduceKind::Max, abs(x));
  else if (kind == "L1")
    norm = over(amp::ReduceKind::Sum, abs(x));
  else if (kind == "L2")
    norm = sqrt(over(amp::ReduceKind::Sum, x * x));
  else
    return b.fail("has norm '" + kind + "'; it is MAX, L1 or L2");
  Expr divisor = select(*norm == 0, 1, *norm);
  return b.output(0, x / divisor.broadcast(x.dims()));
}

/// Keys or values of a LabelEncoder, [count].
static FailureOr<Tensor> labels(NodeBuilder &b, StringRef what) {
  if (onnx::TensorProto *given = b.node.tensorAttr((what + "_tensor").str())) {
    ValueRef value = b.importer.importConstant(*given, "");
    if (!value)
      return failure();
    return b.importer.forms.tensor(*value, b.loc());
  }
  if (auto ints = b.node.intsAttr((what + "_int64s").str()))
    return b.constant(*ints, DType::Int64, int64_t(ints->size()));
  if (auto numbers = b.node.floatsAttr((what + "_floats").str()))
    return floatRow(b, *numbers).tensor;
  return b.fail("maps strings, which is not supported");
}

/// The value whose key an element equals, else the default.
static LogicalResult buildLabelEncoder(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  auto keys = labels(b, "keys"), values = labels(b, "values");
  if (failed(keys) || failed(values))
    return failure();
  if (keys->rank() != 1 || values->rank() != 1 ||
      keys->dims[0] != values->dims[0] || keys->dtype != x.dtype)
    return b.fail("needs as many keys, of the input's type, as values");
  Tensor other;
  if (onnx::TensorProto *given = b.node.tensorAttr("default_tensor")) {
    ValueRef value = b.importer.importConstant(*given, "");
    if (!value)
      return failure();
    other = b.reshape(b.importer.forms.tensor(*value, b.loc()), {});
  } else {
    double number = isFloat(values->dtype) ? b.floatAttr("default_float", 0)
                                           : b.intAttr("default_int64", -1);
    other = b.splat(number, values->dtype, {});
  }
  Dims pairs = x.dims;
  pairs.push_back(keys->dims[0]);
  int64_t last = x.rank();
  Expr hit = Expr(b, b.unsqueeze(x, {last})).broadcast(pairs) ==
             Expr(b, *keys).broadcast(pairs);
  Expr found = hit.to(DType::UInt8);
  Tensor which{b.create<amp::ArgReduceOp>(
                   b.type(DType::Int64, x.dims), amp::ReduceKind::Max,
                   found.tensor.value, last, /*last=*/false,
                   /*unsigned_source=*/true),
               DType::Int64,
               x.dims,
               {}};
  Expr any(b, b.reduce(amp::ReduceKind::Max, found, {last}, false));
  Expr mapped(b, b.gather(*values, which, 0));
  if (failed(b.requireReadable(values->dims, x.dims)))
    return failure();
  return b.output(0,
                  select(any != 0, mapped, Expr(b, other).broadcast(x.dims)));
}

void registerTabularOps(OpTable &t) {
  constexpr const char *domain = "ai.onnx.ml";
  t.add("ArrayFeatureExtractor", 1, 1, buildArrayFeatureExtractor, domain);
  t.add("Binarizer", 1, 1, buildBinarizer, domain);
  t.add("Scaler", 1, 1, buildScaler, domain);
  t.add("Normalizer", 1, 1, buildNormalizer, domain);
  t.add("LabelEncoder", 2, 4, buildLabelEncoder, domain);
}

} // namespace ampc::onnx_import
