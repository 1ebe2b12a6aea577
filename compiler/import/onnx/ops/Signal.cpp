//===- Signal.cpp - Fourier transforms and mel weights --------------------===//

#include "compiler/import/onnx/Expr.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Axes.h"
#include "compiler/import/onnx/ops/Ranks.h"

#include <cmath>

using namespace mlir;

namespace ampc::onnx_import {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// Complex numbers as two tensors of one shape; real if there is no `im`.
struct Complex {
  Expr re;
  std::optional<Expr> im;

  template <typename Fn> Complex map(Fn fn) const {
    Complex result{fn(re), std::nullopt};
    if (im)
      result.im = fn(*im);
    return result;
  }
};

Complex operator*(const Complex &x, const Complex &y) {
  return {x.re * y.re - *x.im * *y.im, x.re * *y.im + *x.im * y.re};
}

/// Discrete Fourier transforms along the middle dimension of
/// [before, size, after].
class Fourier {
public:
  Fourier(NodeBuilder &b, DType dtype, bool inverse)
      : b(b), s(b.scalars), dtype(dtype), sign(inverse ? 1 : -1) {}

  /// The first `count` of `size` sums, not scaled:
  /// y[k] = sum of x[j] e^(sign 2 pi i j k / size).
  Complex transform(const Complex &x, Scalar size, Scalar count) {
    auto known = constantInt(size);
    int64_t rows = known ? divisor(*known) : 1;
    if (rows == 1)
      return direct(x, size, count);
    // Cooley and Tukey (1965): columns, a rotation, then rows.
    int64_t columns = *known / rows;
    Dims dims = x.re.dims();
    Scalar n1 = s.index(rows), n2 = s.index(columns);
    Dims wide{dims[0], n1, s.mul(n2, dims[2])};
    Dims apart{dims[0], n1, n2, dims[2]};
    Complex y = transform(view(x, wide), n1, n1);
    y = view(y, apart);
    Dims matrix{s.index(1), n1, n2, s.index(1)};
    Complex rotation = roots(matrix, 1, 2, size);
    y = y * rotation.map([&](const Expr &e) { return e.broadcast(apart); });
    y = transform(view(y, {s.mul(dims[0], n1), n2, dims[2]}), n2, n2);
    y = view(y, apart).map(
        [&](const Expr &e) { return Expr(b, b.transpose(e, {0, 2, 1, 3})); });
    y = view(y, dims);
    return y.map([&](const Expr &e) {
      return Expr(b, b.sliceAxis(e, 1, s.index(0), count));
    });
  }

private:
  /// The largest divisor not above the square root; 1 for small sizes, where
  /// one product is as good.
  static int64_t divisor(int64_t size) {
    constexpr int64_t kSmall = 32;
    if (size <= kSmall)
      return 1;
    int64_t best = 1;
    for (int64_t d = 2; d * d <= size; ++d)
      if (size % d == 0)
        best = d;
    return best;
  }

  static Complex view(const Complex &x, const Dims &dims) {
    return x.map([&](const Expr &e) { return e.reshape(dims); });
  }

  /// e^(sign 2 pi i j k / size), j and k the positions along two dimensions.
  Complex roots(const Dims &dims, int64_t first, int64_t second, Scalar size) {
    Expr n = max(Expr::ofScalar(b, size, DType::Int64, dims), 1);
    Expr jk = Expr::position(b, first, dims) * Expr::position(b, second, dims);
    // In quarter turns, so that what is 0 or 1 comes out so.
    Expr turns = jk % n * 4;
    Expr quarter = turns / n;
    Expr angle = (turns - quarter * n).to(dtype) * (kPi / 2) / n.to(dtype);
    Expr c = cos(angle), d = sin(angle);
    Expr isOdd = quarter % 2 == 1;
    Expr x = select(isOdd, d, c), y = select(isOdd, c, d);
    return {select((quarter == 1) | (quarter == 2), -x, x),
            select(quarter >= 2, -y, y) * sign};
  }

  /// One matrix product with the cosines above the sines.
  Complex direct(const Complex &x, Scalar size, Scalar count) {
    Complex w = roots({count, size}, 0, 1, size);
    Tensor matrix = b.concat({w.re, *w.im}, 0);
    Scalar zero = s.index(0);
    auto product = [&](const Expr &rhs) {
      Dims dims = rhs.dims();
      dims[1] = matrix.dims[0];
      Expr y(b, {b.create<amp::MatmulOp>(
                     b.type(dtype, dims), matrix.value, rhs.tensor.value,
                     Value(), false, false, false, false, amp::AlgorithmAttr()),
                 dtype,
                 dims,
                 {}});
      return Complex{Expr(b, b.sliceAxis(y, 1, zero, count)),
                     Expr(b, b.sliceAxis(y, 1, count, count))};
    };
    Complex y = product(x.re);
    if (x.im) {
      Complex z = product(*x.im);
      y = {y.re - *z.im, *y.im + z.re};
    }
    return y;
  }

  NodeBuilder &b;
  ScalarBuilder &s;
  DType dtype;
  double sign;
};

} // namespace

/// The complex numbers in a tensor whose last dimension, 1 or 2, holds real and
/// imaginary parts, seen as `dims`.
static FailureOr<Complex> complexOf(NodeBuilder &b, const Tensor &x,
                                    const Dims &dims) {
  ScalarBuilder &s = b.scalars;
  auto parts = constantInt(x.dims.back());
  if (!parts || (*parts != 1 && *parts != 2))
    return b.fail("needs a last dimension of 1 or 2, for real or complex "
                  "numbers");
  Expr wide(b, b.cast(x, formulaType(x.dtype)));
  auto part = [&](int64_t i) {
    Tensor own = b.sliceAxis(wide, x.rank() - 1, s.index(i), s.index(1));
    return Expr(b, own).reshape(dims);
  };
  Complex result{part(0), std::nullopt};
  if (*parts == 2)
    result.im = part(1);
  return result;
}

/// Real and imaginary parts side by side, as `dims` and 2.
static Tensor interleave(NodeBuilder &b, const Complex &x, const Dims &dims,
                         DType dtype) {
  auto part = [&](const Expr &e) {
    return b.unsqueeze(e.to(dtype).reshape(dims), {int64_t(dims.size())});
  };
  return b.concat({part(x.re), part(*x.im)}, dims.size());
}

/// The middle dimension cut or filled up with zeros.
static Complex resized(NodeBuilder &b, const Complex &x, Scalar size) {
  ScalarBuilder &s = b.scalars;
  return x.map([&](const Expr &e) {
    SmallVector<Scalar> low(3, s.index(0)), high = low;
    high[1] = s.sub(size, e.dims()[1]);
    Tensor y = b.pad(e, 0, low, high);
    y.dims[1] = size;
    return Expr(b, y);
  });
}

static FailureOr<Scalar> oneSize(NodeBuilder &b, unsigned i, StringRef name) {
  auto list = b.list(i);
  if (failed(list))
    return failure();
  if (list->size() != 1)
    return b.fail("has " + Twine(list->size()) + " values for " + name);
  if (failed(b.require(b.scalars.compare(arith::CmpIPredicate::sgt,
                                         list->front(), b.scalars.index(0)),
                       "has a " + name + " that is not positive")))
    return failure();
  // Transforms look for the factors of their size.
  if (auto known = constantInt(list->front()); known && *known > INT32_MAX)
    return b.reject("has a " + name + " above 2^31 - 1");
  return list->front();
}

/// size / 2 + 1: the sums that decide the others when the signal is real.
static Scalar half(ScalarBuilder &s, Scalar size) {
  return s.add(s.div(size, s.index(2)), s.index(1));
}

/// The axis of DFT: an attribute up to opset 19, an input after. It is not the
/// last, which holds real and imaginary parts.
static FailureOr<Scalar> signalAxis(NodeBuilder &b, int64_t rank) {
  ScalarBuilder &s = b.scalars;
  Scalar axis = s.index(b.node.version < 20 ? b.intAttr("axis", 1) : -2);
  if (b.node.version >= 20 && b.has(2)) {
    auto given = b.list(2);
    if (failed(given))
      return failure();
    if (given->size() != 1)
      return b.fail("has " + Twine(given->size()) + " axes");
    axis = given->front();
  }
  Scalar isOne = Attribute(b.builder().getBoolAttr(false));
  for (int64_t i = 0; i < rank - 1; ++i)
    isOne = s.logicalOr(isOne, isAxis(s, axis, i, rank));
  if (failed(b.require(isOne, "has an axis that is none of the signal's")))
    return failure();
  return axis;
}

static LogicalResult buildDFT(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0);
  bool inverse = b.intAttr("inverse", 0), onesided = b.intAttr("onesided", 0);
  auto axis = signalAxis(b, x.rank());
  if (failed(axis) || x.rank() < 2)
    return failure();
  ArrayRef<Scalar> dims = x.dims;
  Dims view = aroundAxis(b, dims, *axis);
  view[2] = s.div(view[2], dims.back());
  auto signal = complexOf(b, x, view);
  if (failed(signal))
    return failure();
  bool toReal = inverse && onesided;
  Scalar size =
      toReal ? s.max(s.mul(s.sub(view[1], s.index(1)), s.index(2)), s.index(0))
             : view[1];
  if (b.has(1)) {
    auto length = oneSize(b, 1, "dft_length");
    if (failed(length))
      return failure();
    size = *length;
  }
  Fourier fourier(b, signal->re.dtype(), inverse);
  Complex in = resized(b, *signal, toReal ? half(s, size) : size);
  if (toReal) {
    // The other half is the conjugate, mirrored.
    Dims full{view[0], size, view[2]};
    Expr k = Expr::position(b, 0, {size});
    Expr mirrored = Expr::ofScalar(b, size, DType::Int64, {size}) - k;
    Expr isMirrored = mirrored < k;
    Expr from = select(isMirrored, mirrored, k);
    auto expand = [&](const Expr &e) { return Expr(b, b.gather(e, from, 1)); };
    if (failed(b.requireReadable(in.re.dims()[1], size)))
      return failure();
    in = in.map(expand);
    if (in.im) {
      Expr flips =
          isMirrored.reshape({s.index(1), size, s.index(1)}).broadcast(full);
      in.im = select(flips, -*in.im, *in.im);
    }
  }
  Scalar count = onesided && !inverse ? half(s, size) : size;
  Complex out = fourier.transform(in, size, count);
  if (inverse)
    out = out.map([&](const Expr &e) {
      return e / Expr::ofScalar(b, size, e.dtype(), e.dims());
    });
  Dims result(dims.begin(), dims.end() - 1);
  for (auto [i, size] : llvm::enumerate(result))
    size = s.select(isAxis(s, *axis, i, x.rank()), count, size);
  if (toReal) {
    result.push_back(s.index(1));
    return b.output(0, out.re.to(x.dtype).reshape(result));
  }
  return b.output(0, interleave(b, out, result, x.dtype));
}

/// Fourier transforms of overlapping frames, each weighted by the window.
static LogicalResult buildSTFT(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0);
  if (x.rank() == 2)
    x = b.unsqueeze(x, {2});
  if (x.rank() != 3)
    return b.fail("needs a signal of rank 3, not " + Twine(x.rank()));
  if (failed(requireRank(b, 2, 1)))
    return failure();
  auto step = oneSize(b, 1, "frame_step");
  if (failed(step))
    return failure();
  Scalar length = x.dims[1];
  if (b.has(3)) {
    auto given = oneSize(b, 3, "frame_length");
    if (failed(given))
      return failure();
    length = *given;
  } else if (b.has(2)) {
    length = b.dims(2)[0];
  }
  // Frames that lie wholly inside.
  Scalar room = s.sub(x.dims[1], length);
  Scalar frames = s.add(s.div(s.max(room, s.index(0)), *step), s.index(1));
  Scalar none = s.compare(arith::CmpIPredicate::slt, room, s.index(0));
  frames = s.select(none, s.index(0), frames);

  Dims grid{frames, length};
  Expr at = Expr::position(b, 0, grid) *
                Expr::ofScalar(b, *step, DType::Int64, grid) +
            Expr::position(b, 1, grid);
  if (failed(b.requireReadable(x.dims[1], grid)))
    return failure();
  Tensor cut = b.gather(x, at, 1);
  Dims view{s.mul(x.dims[0], frames), length, s.index(1)};
  auto signal = complexOf(b, cut, view);
  if (failed(signal))
    return failure();
  if (b.has(2)) {
    Tensor window = b.tensor(2);
    if (failed(b.requireEqual(window.dims[0], length,
                              "has a window of another length than a frame")))
      return failure();
    Expr weight = Expr(b, window)
                      .to(signal->re.dtype())
                      .reshape({s.index(1), length, s.index(1)})
                      .broadcast(view);
    signal = signal->map([&](const Expr &e) { return e * weight; });
  }
  Scalar count = b.intAttr("onesided", 1) ? half(s, length) : length;
  Fourier fourier(b, signal->re.dtype(), /*inverse=*/false);
  Complex out = fourier.transform(*signal, length, count);
  return b.output(0, interleave(b, out, {x.dims[0], frames, count}, x.dtype));
}

/// Triangles over the bins of a spectrum, equally far apart on the mel scale:
/// mel = 2595 log10(1 + hertz / 700).
static LogicalResult buildMelWeightMatrix(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  auto bins = oneSize(b, 0, "num_mel_bins");
  auto length = oneSize(b, 1, "dft_length");
  if (failed(bins) || failed(length))
    return failure();
  auto to = static_cast<DType>(b.intAttr("output_datatype", 1));
  if (!elementType(b.context(), to))
    return b.fail("has output_datatype " + dtypeName(to) +
                  ", which is not supported");
  Dims edges{s.add(*bins, s.index(2))};
  SmallVector<Expr> numbers;
  for (unsigned i : {2, 3, 4}) {
    auto x = numberInput(b, i);
    if (failed(x))
      return failure();
    numbers.emplace_back(b, b.broadcast(b.cast(*x, DType::Double), edges));
  }
  // The standard divides by the number of edges, not of steps.
  const double perLog = 2595 / std::log(10.0);
  auto mel = [&](const Expr &hertz) { return log(hertz / 700 + 1) * perLog; };
  Expr low = mel(numbers[1]), high = mel(numbers[2]);
  Expr step = (high - low) / Expr::ofScalar(b, edges[0], DType::Double, edges);
  Expr at = Expr::position(b, 0, edges).to(DType::Double) * step + low;
  Expr hertz = (exp(at / perLog) - 1) * 700;
  Expr scaled =
      Expr::ofScalar(b, s.add(*length, s.index(1)), DType::Double, edges) *
      hertz;
  Expr bin = floor(scaled / numbers[0]).to(DType::Int64);

  Dims dims{half(s, *length), *bins};
  auto edge = [&](int64_t i) {
    Expr own(b, b.sliceAxis(bin, 0, s.index(i), *bins));
    return own.broadcast(dims);
  };
  Expr row = Expr::position(b, 0, dims), left = edge(0), centre = edge(1),
       right = edge(2);
  auto ratio = [&](const Expr &x, const Expr &y) {
    return x.to(DType::Double) / max(y, 1).to(DType::Double);
  };
  Expr rising = select(centre == left, 1, ratio(row - left, centre - left));
  Expr weight = select((row >= left) & (row <= centre), rising, 0);
  weight = select((row >= centre) & (row < right),
                  ratio(right - row, right - centre), weight);
  return b.output(0, weight.to(to));
}

void registerSignalOps(OpTable &t) {
  t.add("DFT", 17, 20, buildDFT);
  t.add("STFT", 17, 17, buildSTFT);
  t.add("MelWeightMatrix", 17, 17, buildMelWeightMatrix);
}

} // namespace ampc::onnx_import
