//===- Random.cpp - Random numbers from a counter -------------------------===//

#include "compiler/import/onnx/ops/Random.h"

#include "compiler/import/onnx/OpTable.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/xxhash.h"

#include <onnx/onnx_pb.h>

using namespace mlir;

namespace ampc::onnx_import {

/// The bits of the seed, an integer or a float by the op.
static uint64_t keyOf(const NodeBuilder &b) {
  if (const onnx::AttributeProto *seed = b.node.find("seed"))
    return seed->type() == onnx::AttributeProto::INT
               ? static_cast<uint64_t>(seed->i())
               : llvm::bit_cast<uint32_t>(seed->f());
  std::string name = b.node.description + '\0' + b.node.inBody + '\0';
  for (const std::string &output : b.node.outputNames)
    name += output + '\0';
  return llvm::xxh3_64bits(name);
}

Random::Random(NodeBuilder &b, const Dims &dims)
    : b(b), dims(dims), key(keyOf(b)) {}

Expr Random::word(unsigned i) {
  // The element's row-major index is the counter.
  Expr index(b, b.splat(0, DType::Int64, dims));
  for (auto [d, size] : llvm::enumerate(dims))
    index = index * Expr::ofScalar(b, size, DType::Int64, dims) +
            Expr::position(b, d, dims);
  constexpr double mask = 0xFFFFFFFF;
  SmallVector<Expr> x{index & mask, index >> 32, index.number(0),
                      index.number(0)};
  uint32_t low = static_cast<uint32_t>(key),
           high = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    // Products of 32-bit numbers, whose 64 bits int64 holds.
    Expr even = x[0] * double(0xD2511F53), odd = x[2] * double(0xCD9E8D57);
    x = {(odd >> 32) ^ x[1] ^ double(low), odd & mask,
         (even >> 32) ^ x[3] ^ double(high), even & mask};
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return x[i];
}

/// The upper 24 bits: what f32 holds exactly.
static Expr upperBits(const Expr &word) { return (word >> 8).to(DType::Float); }

Expr Random::uniform() { return upperBits(word(0)) * 0x1p-24; }

Expr Random::normal() {
  constexpr double pi = 3.14159265358979323846;
  // In (0, 1], so that the logarithm is finite.
  Expr radius = sqrt(log((upperBits(word(0)) + 1) * 0x1p-24) * -2);
  return radius * cos(upperBits(word(1)) * (0x1p-24 * 2 * pi));
}

namespace {
enum class Law { Uniform, Normal };
} // namespace

static LogicalResult draw(NodeBuilder &b, Law law, DType dtype,
                          const Dims &dims) {
  if (!isFloat(dtype))
    return b.fail("has type " + dtypeName(dtype) +
                  "; random numbers are "
                  "floats");
  Random random(b, dims);
  if (law == Law::Normal) {
    Expr x = random.normal() * b.floatAttr("scale", 1) + b.floatAttr("mean", 0);
    return b.output(0, x.to(dtype));
  }
  double low = b.floatAttr("low", 0), high = b.floatAttr("high", 1);
  return b.output(0, (random.uniform() * (high - low) + low).to(dtype));
}

template <Law law> static LogicalResult buildRandom(NodeBuilder &b) {
  auto shape = b.node.intsAttr("shape");
  if (!shape)
    return b.fail("has no shape");
  Dims dims;
  for (int64_t size : *shape) {
    if (size < 0)
      return b.fail("has size " + Twine(size));
    dims.push_back(b.scalars.index(size));
  }
  return draw(b, law, static_cast<DType>(b.intAttr("dtype", 1)), dims);
}

/// The type that `dtype` says, else the input's.
static DType typeLike(NodeBuilder &b) {
  return b.node.hasAttr("dtype") ? static_cast<DType>(b.intAttr("dtype"))
                                 : b.dtype(0);
}

template <Law law> static LogicalResult buildRandomLike(NodeBuilder &b) {
  return draw(b, law, typeLike(b), b.dims(0));
}

/// One with the probability that the input says, else zero.
static LogicalResult buildBernoulli(NodeBuilder &b) {
  Tensor p = b.tensor(0);
  DType dtype = typeLike(b);
  if (!elementType(b.context(), dtype))
    return b.fail("has type " + dtypeName(dtype) + ", which is not supported");
  Expr wide(b, b.cast(p, formulaType(p.dtype)));
  Expr hit = Random(b, p.dims).uniform().to(wide.dtype()) < wide;
  return b.output(0, hit.to(dtype));
}

/// Classes drawn from unnormalized log-probabilities [batch, classes]: the
/// number of cumulated probabilities that a uniform number is not below.
static LogicalResult buildMultinomial(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0);
  int64_t samples = b.intAttr("sample_size", 1);
  auto dtype = static_cast<DType>(b.intAttr("dtype", 6));
  if (x.rank() != 2 || samples < 0 || !isIndex(dtype))
    return b.fail("needs rank 2, a sample_size that is not negative and a "
                  "dtype of int32 or int64");
  Scalar classes = x.dims[1];
  Tensor wide = b.cast(x, formulaType(x.dtype));
  Value p = b.create<amp::SoftmaxOp>(wide.type(), wide.value, 1, false);
  Value sums = b.create<amp::ScanOp>(wide.type(), amp::ReduceKind::Sum, p, 1,
                                     false, false);
  Dims drawn{x.dims[0], s.index(samples)};
  Dims all{drawn[0], drawn[1], classes};
  Expr below = Expr(b, Tensor{sums, wide.dtype, x.dims, {}})
                   .reshape({x.dims[0], s.index(1), classes})
                   .broadcast(all);
  Expr u = Random(b, drawn).uniform().to(wide.dtype);
  u = u.reshape({drawn[0], drawn[1], s.index(1)}).broadcast(all);
  Expr count(b, b.reduce(amp::ReduceKind::Sum, (below <= u).to(DType::Int64),
                         {2}, /*keepDims=*/false));
  // Rounding may leave the last sum below one.
  Expr last = Expr::ofScalar(b, classes, DType::Int64, drawn) - 1;
  return b.output(0, max(min(count, last), 0).to(dtype));
}

/// Whether an input is known to be one zero.
static bool isFalse(NodeBuilder &b, unsigned i) {
  if (!b.input(i).constant && !b.input(i).scalars)
    return false;
  auto list = b.list(i);
  return succeeded(list) && list->size() == 1 &&
         constantInt(list->front()) == 0;
}

/// At inference nothing is dropped, and the mask is all true. In training, an
/// element is kept with probability 1 - ratio and scaled by its inverse. Up to
/// opset 11 there is inference only.
static LogicalResult buildDropout(NodeBuilder &b) {
  const Dims &dims = b.dims(0);
  auto asIs = [&]() {
    if (b.wants(1))
      (void)b.output(1, b.splat(1, DType::Bool, dims));
    return b.output(0, b.node.inputs[0]);
  };
  if (b.node.version < 12 || !b.has(2) || isFalse(b, 2))
    return asIs();
  Tensor x = b.tensor(0);
  DType wide = formulaType(x.dtype);
  auto single = [&](const Tensor &tensor) {
    return Expr(b, b.reshape(tensor, {})).broadcast(dims);
  };
  Expr ratio(b, b.splat(0.5, wide, dims));
  if (b.has(1))
    ratio = single(b.cast(b.tensor(1), wide));
  Expr training = single(b.tensor(2));
  // At ratio 1 nothing is kept, and the scale does not matter.
  Expr isKept = Random(b, dims).uniform().to(wide) >= ratio;
  Expr scale = 1 / (1 - ratio);
  Expr data(b, x);
  Expr scaled = (data.to(wide) * scale).to(x.dtype);
  Expr dropped = select(isKept, scaled, 0);
  (void)b.output(0, select(training, dropped, data));
  return b.output(1, isKept | !training);
}

void registerRandomOps(OpTable &t) {
  t.add("RandomUniform", 1, 22, buildRandom<Law::Uniform>);
  t.add("RandomNormal", 1, 22, buildRandom<Law::Normal>);
  t.add("RandomUniformLike", 1, 22, buildRandomLike<Law::Uniform>);
  t.add("RandomNormalLike", 1, 22, buildRandomLike<Law::Normal>);
  t.add("Bernoulli", 15, 22, buildBernoulli);
  t.add("Multinomial", 7, 22, buildMultinomial);
  t.add("Dropout", 7, 22, buildDropout);
}

} // namespace ampc::onnx_import
