//===- ContractionTest.cpp - Matrix products and convolutions -------------===//
//
// Against plain loops that fuse each multiplication with its addition in the
// order that DESIGN gives: results have to be equal, bit for bit, for all
// targets, with static and with dynamic sizes, however the range is cut.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace ampc::test;

namespace {

float noise(size_t i) {
  uint32_t x = uint32_t(i) * 2654435761u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return float(int(x % 20001) - 10000) / 7919.0f;
}

std::string shape(const std::vector<int64_t> &sizes, bool dynamic) {
  std::string text;
  for (int64_t size : sizes)
    text += (dynamic ? std::string("?") : std::to_string(size)) + "x";
  return text;
}

struct Product {
  int64_t m, n, k;
  bool transposeLhs = false, transposeRhs = false, bias = false;
};

class Contraction : public testing::TestWithParam<ampc::cpu::CpuTarget> {};

INSTANTIATE_TEST_SUITE_P(Targets, Contraction, testing::ValuesIn(allTargets()),
                         [](const auto &info) {
                           return "Bytes" +
                                  std::to_string(info.param.vectorBytes);
                         });

TEST_P(Contraction, MatrixProducts) {
  const Product products[] = {{1, 1, 1},
                              {7, 33, 5},
                              {33, 7, 64},
                              {1, 100, 37},
                              {100, 1, 37},
                              {0, 5, 5},
                              {5, 0, 5},
                              {5, 5, 0},
                              {64, 64, 64},
                              {200, 40, 9},
                              {13, 50, 800},
                              {6, 16, 4},
                              {12, 70, 400, true},
                              {31, 45, 60, false, true},
                              {3, 20, 19, true, true, true},
                              {200, 33, 500, false, false, true},
                              {1, 70, 130, false, true, true},
                              {2, 16, 385, false, false, true}};
  for (const Product &p : products)
    for (bool dynamic : {false, true}) {
      std::vector<int64_t> as =
          p.transposeLhs ? std::vector{p.k, p.m} : std::vector{p.m, p.k};
      std::vector<int64_t> bs =
          p.transposeRhs ? std::vector{p.n, p.k} : std::vector{p.k, p.n};
      auto in = [&](const char *kind, std::vector<int64_t> sizes) {
        return std::string(kind) + "<" + shape(sizes, dynamic) + "f32>";
      };
      std::string A = in("memref", as), B = in("memref", bs),
                  C = in("memref", {p.m, p.n}), D = in("memref", {p.n});
      std::string tA = in("tensor", as), tB = in("tensor", bs),
                  tC = in("tensor", {p.m, p.n}), tD = in("tensor", {p.n});
      std::string flags = p.transposeLhs && p.transposeRhs
                              ? "{transpose_lhs, transpose_rhs} "
                          : p.transposeLhs ? "{transpose_lhs} "
                          : p.transposeRhs ? "{transpose_rhs} "
                                           : "";
      std::string bias = p.bias ? " bias %d" : "",
                  biasType = p.bias ? ", " + tD : "";
      Jit jit(
          "func.func @f(%p: " + A + ", %q: " + B + ", %o: " + D + ", %c: " + C +
              ") {\n amp.kernel ins(%x = %p, %y = %q, %d = %o : " + A + ", " +
              B + ", " + D + ") outs(%c : " + C + ") args(" + tA + ", " + tB +
              ", " + tD + ") {\n %r = amp.matmul %x, %y" + bias + " " + flags +
              ": (" + tA + ", " + tB + biasType + ") -> " + tC +
              "\n %z = arith.constant dense<0.0> : tensor<f32>\n" +
              " %s = arith.negf %r : " + tC + "\n amp.yield %s : " + tC +
              "\n }\n return\n}",
          GetParam());
      ASSERT_TRUE(jit) << jit.diagnostics;
      auto a = Buffer<float>::make(as, noise),
           b = Buffer<float>::make(bs,
                                   [](size_t i) { return noise(i + 77777); });
      auto d = Buffer<float>::make({p.n}, noise);
      Buffer<float> c({p.m, p.n}, -99);
      jit.run("f", a, b, d, c);
      for (int64_t i = 0; i < p.m; ++i)
        for (int64_t j = 0; j < p.n; ++j) {
          float sum = p.bias ? d.data[j] : 0;
          for (int64_t k = 0; k < p.k; ++k)
            sum = std::fma(a.data[p.transposeLhs ? k * p.m + i : i * p.k + k],
                           b.data[p.transposeRhs ? j * p.k + k : k * p.n + j],
                           sum);
          ASSERT_EQ(c.data[i * p.n + j], -sum)
              << p.m << "x" << p.n << "x" << p.k << " at " << i << ", " << j
              << (dynamic ? " dynamic" : " static");
        }
    }
}

/// Right operands in panels: of few rows, which take several panels in step,
/// and of many, in a batch; columns of whole panels and others.
TEST_P(Contraction, ProductsByPanels) {
  const int64_t vector = GetParam().lanes(32);
  struct Case {
    int64_t width, n, k;
    std::vector<int64_t> rows; ///< More than one: of dynamic number.
  };
  const Case cases[] = {{vector / 2, vector / 2, 37, {0, 1, 3, 17}},
                        {vector, 7 * vector - 3, 37, {1, 2, 3, 4, 200}},
                        {vector, 7 * vector - 3, 900, {1}},
                        {2 * vector, 6 * vector, 37, {3}},
                        {2 * vector, 9 * vector + 1, 900, {17}},
                        {3 * vector, 6 * vector, 37, {2}},
                        {3 * vector, 3 * vector, 900, {1, 33}}};
  for (const Case &p : cases) {
    const int64_t batch = 2, panels = (p.n + p.width - 1) / p.width;
    auto sizes = [&](int64_t columns) {
      return std::to_string(batch) + "x" +
             (p.rows.size() > 1 ? "?" : std::to_string(p.rows[0])) + "x" +
             std::to_string(columns) + "xf32>";
    };
    std::string a = sizes(p.k), c = sizes(p.n);
    std::string b = shape({batch, panels, p.k, p.width}, false) + "f32>";
    Jit jit("func.func @f(%p: memref<" + a + ", %q: memref<" + b +
                ", %c: memref<" + c +
                ") {\n amp.kernel ins(%x = %p, %y = %q : memref<" + a +
                ", memref<" + b + ") outs(%c : memref<" + c + ") args(tensor<" +
                a + ", tensor<" + b +
                ") {\n %r = amp.matmul %x, %y {panels} : (tensor<" + a +
                ", tensor<" + b + ") -> tensor<" + c +
                "\n amp.yield %r : tensor<" + c + "\n }\n return\n}",
            GetParam());
    ASSERT_TRUE(jit) << jit.diagnostics;
    auto bs = Buffer<float>::make({batch, panels, p.k, p.width},
                                  [](size_t i) { return noise(i + 77777); });
    for (int64_t m : p.rows) {
      auto as = Buffer<float>::make({batch, m, p.k}, noise);
      Buffer<float> cs({batch, m, p.n}, -99);
      jit.run("f", as, bs, cs);
      for (int64_t g = 0; g < batch; ++g)
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < p.n; ++j) {
            int64_t panel = g * panels + j / p.width;
            float sum = 0;
            for (int64_t l = 0; l < p.k; ++l)
              sum = std::fma(as.data[(g * m + i) * p.k + l],
                             bs.data[(panel * p.k + l) * p.width + j % p.width],
                             sum);
            ASSERT_EQ(cs.data[(g * m + i) * p.n + j], sum)
                << m << "x" << p.n << "x" << p.k << " by panels of " << p.width
                << " at " << i << ", " << j;
          }
    }
  }
}

/// Batch dimensions broadcast; those that only the left operand has become
/// rows.
TEST_P(Contraction, Batches) {
  Jit jit(R"(
    func.func @f(%a: memref<?x3x5x7xf32>, %b: memref<3x7x9xf32>, %c: memref<?x3x5x9xf32>,
                 %w: memref<7x9xf32>, %d: memref<?x3x5x9xf32>) {
      amp.kernel ins(%x = %a, %y = %b : memref<?x3x5x7xf32>, memref<3x7x9xf32>)
                 outs(%c : memref<?x3x5x9xf32>) args(tensor<?x3x5x7xf32>, tensor<3x7x9xf32>) {
        %r = amp.matmul %x, %y : (tensor<?x3x5x7xf32>, tensor<3x7x9xf32>) -> tensor<?x3x5x9xf32>
        amp.yield %r : tensor<?x3x5x9xf32>
      }
      amp.kernel ins(%x = %a, %y = %w : memref<?x3x5x7xf32>, memref<7x9xf32>)
                 outs(%d : memref<?x3x5x9xf32>) args(tensor<?x3x5x7xf32>, tensor<7x9xf32>) {
        %r = amp.matmul %x, %y : (tensor<?x3x5x7xf32>, tensor<7x9xf32>) -> tensor<?x3x5x9xf32>
        amp.yield %r : tensor<?x3x5x9xf32>
      }
      return
    })",
          GetParam());
  ASSERT_TRUE(jit) << jit.diagnostics;
  for (int64_t n : {0, 1, 4}) {
    auto a = Buffer<float>::make({n, 3, 5, 7}, noise);
    auto b =
        Buffer<float>::make({3, 7, 9}, [](size_t i) { return noise(i + 5); });
    auto w = Buffer<float>::make({7, 9}, [](size_t i) { return noise(i + 9); });
    Buffer<float> c({n, 3, 5, 9}), d(c.shape);
    jit.run("f", a, b, c, w, d);
    for (int64_t i = 0; i < n * 3 * 5; ++i)
      for (int64_t j = 0; j < 9; ++j) {
        float x = 0, y = 0;
        for (int64_t k = 0; k < 7; ++k) {
          x = std::fma(a.data[i * 7 + k], b.data[(i / 5 % 3 * 7 + k) * 9 + j],
                       x);
          y = std::fma(a.data[i * 7 + k], w.data[k * 9 + j], y);
        }
        ASSERT_EQ(c.data[i * 9 + j], x);
        ASSERT_EQ(d.data[i * 9 + j], y);
      }
  }
}

/// u8 times i8 in i32, as quantized models have it.
TEST_P(Contraction, Integers) {
  Jit jit(R"(
    func.func @f(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %c: memref<?x?xi32>) {
      amp.kernel ins(%x = %a, %y = %b : memref<?x?xi8>, memref<?x?xi8>)
                 outs(%c : memref<?x?xi32>) args(tensor<?x?xi8>, tensor<?x?xi8>) {
        %r = amp.matmul %x, %y {unsigned_lhs} : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32>
        amp.yield %r : tensor<?x?xi32>
      }
      return
    })",
          GetParam());
  ASSERT_TRUE(jit) << jit.diagnostics;
  auto a =
      Buffer<uint8_t>::make({9, 33}, [](size_t i) { return uint8_t(i * 37); });
  auto b =
      Buffer<int8_t>::make({33, 21}, [](size_t i) { return int8_t(i * 91); });
  Buffer<int32_t> c({9, 21});
  jit.run("f", a, b, c);
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 21; ++j) {
      int32_t sum = 0;
      for (int k = 0; k < 33; ++k)
        sum += int32_t(a.data[i * 33 + k]) * b.data[k * 21 + j];
      ASSERT_EQ(c.data[i * 21 + j], sum);
    }
}

/// 16-bit operands: products are exact in f32, sums are f32, one rounding at
/// the end. Small integers come out exact.
TEST_P(Contraction, HalfPrecision) {
  for (const char *format : {"f16", "bf16"})
    for (bool transpose : {false, true}) {
      std::string e = format, flag = transpose ? "{transpose_rhs} " : "";
      std::string B = transpose ? "<?x40x" + e + ">" : "<40x?x" + e + ">";
      Jit jit("func.func @f(%a: memref<?x40x" + e + ">, %b: memref" + B +
                  ", %c: memref<?x?x" + e +
                  ">) {\n amp.kernel ins(%x = %a, %y = %b : "
                  "memref<?x40x" +
                  e + ">, memref" + B + ") outs(%c : memref<?x?x" + e +
                  ">) args(tensor<?x40x" + e + ">, tensor" + B +
                  ") {\n %r = amp.matmul "
                  "%x, %y " +
                  flag + ": (tensor<?x40x" + e + ">, tensor" + B +
                  ") -> tensor<?x?x" + e + ">\n amp.yield %r : tensor<?x?x" +
                  e + ">\n }\n return\n}",
              GetParam());
      ASSERT_TRUE(jit) << jit.diagnostics;
      // The numbers -2 to 2.
      const uint16_t f16[] = {0xc000, 0xbc00, 0, 0x3c00, 0x4000},
                     bf16[] = {0xc000, 0xbf80, 0, 0x3f80, 0x4000};
      const uint16_t *codes = e == "f16" ? f16 : bf16;
      auto pick = [](size_t i) { return i * i % 13 % 5; };
      auto a = Buffer<uint16_t>::make({9, 40},
                                      [&](size_t i) { return codes[pick(i)]; });
      auto b =
          Buffer<uint16_t>::make(transpose ? std::vector<int64_t>{21, 40}
                                           : std::vector<int64_t>{40, 21},
                                 [&](size_t i) { return codes[pick(i + 3)]; });
      Buffer<uint16_t> c({9, 21});
      jit.run("f", a, b, c);
      for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 21; ++j) {
          int sum = 0;
          for (int k = 0; k < 40; ++k)
            sum += (int(pick(i * 40 + k)) - 2) *
                   (int(pick((transpose ? j * 40 + k : k * 21 + j) + 3)) - 2);
          float exact = sum;
          uint32_t bits;
          std::memcpy(&bits, &exact, 4);
          // Few bits: both formats hold the sum exactly.
          uint16_t code = bits >> 16;
          if (e == "f16")
            code = sum == 0
                       ? 0
                       : (bits >> 16 & 0x8000) |
                             uint16_t(((bits >> 23 & 0xff) - 127 + 15) << 10) |
                             (bits >> 13 & 0x3ff);
          ASSERT_EQ(c.data[i * 21 + j], code) << format << " " << sum;
        }
    }
}

float widened(uint16_t code, const llvm::fltSemantics &format) {
  bool lossy;
  llvm::APFloat x(format, llvm::APInt(16, code));
  x.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven,
            &lossy);
  return x.convertToFloat();
}

uint16_t rounded(float value, const llvm::fltSemantics &format) {
  bool lossy;
  llvm::APFloat x(value);
  x.convert(format, llvm::APFloat::rmNearestTiesToEven, &lossy);
  return uint16_t(x.bitcastToAPInt().getZExtValue());
}

/// Sums that 16 bits could not hold on the way: f32 from the bias on, rounded
/// when they are stored.
TEST_P(Contraction, HalfPrecisionRoundsOnce) {
  for (const char *name : {"f16", "bf16"}) {
    std::string e = name;
    const llvm::fltSemantics &format =
        e == "f16" ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
    std::string a = "<?x300x" + e + ">", b = "<300x?x" + e + ">",
                d = "<?x" + e + ">", c = "<?x?x" + e + ">";
    Jit jit("func.func @f(%p: memref" + a + ", %q: memref" + b +
                ", %o: memref" + d + ", %c: memref" + c +
                ") {\n amp.kernel ins(%x = %p, %y = %q, %d = %o : memref" + a +
                ", memref" + b + ", memref" + d + ") outs(%c : memref" + c +
                ") args(tensor" + a + ", tensor" + b + ", tensor" + d +
                ") {\n %r = amp.matmul %x, %y bias %d : (tensor" + a +
                ", tensor" + b + ", tensor" + d + ") -> tensor" + c +
                "\n amp.yield %r : tensor" + c + "\n }\n return\n}",
            GetParam());
    ASSERT_TRUE(jit) << jit.diagnostics;
    auto make = [&](std::vector<int64_t> sizes, size_t seed) {
      return Buffer<uint16_t>::make(
          sizes, [&](size_t i) { return rounded(noise(i + seed), format); });
    };
    auto x = make({9, 300}, 0), y = make({300, 21}, 77777), z = make({21}, 5);
    Buffer<uint16_t> r({9, 21});
    jit.run("f", x, y, z, r);
    for (int i = 0; i < 9; ++i)
      for (int j = 0; j < 21; ++j) {
        float sum = widened(z.data[j], format);
        for (int k = 0; k < 300; ++k)
          sum = std::fma(widened(x.data[i * 300 + k], format),
                         widened(y.data[k * 21 + j], format), sum);
        ASSERT_EQ(r.data[i * 21 + j], rounded(sum, format)) << name;
      }
  }
}

/// Centered quantised images: i16 times i16 in i32.
TEST_P(Contraction, IntegerConvolutions) {
  Jit jit(R"(
    func.func @f(%p: memref<?x3x?x?xi16>, %q: memref<5x3x3x3xi16>, %o: memref<5xi32>,
                 %r: memref<?x5x?x?xi32>) {
      amp.kernel ins(%x = %p, %w = %q, %d = %o : memref<?x3x?x?xi16>, memref<5x3x3x3xi16>, memref<5xi32>)
                 outs(%r : memref<?x5x?x?xi32>)
                 args(tensor<?x3x?x?xi16>, tensor<5x3x3x3xi16>, tensor<5xi32>) {
        %y = amp.conv %x, %w bias %d {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
               pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64}
             : (tensor<?x3x?x?xi16>, tensor<5x3x3x3xi16>, tensor<5xi32>) -> tensor<?x5x?x?xi32>
        amp.yield %y : tensor<?x5x?x?xi32>
      }
      return
    })",
          GetParam());
  ASSERT_TRUE(jit) << jit.diagnostics;
  auto make = [](size_t i) {
    return int16_t(int(i * 2654435761u >> 7) % 511 - 255);
  };
  auto x = Buffer<int16_t>::make({2, 3, 9, 21}, make);
  auto w = Buffer<int16_t>::make({5, 3, 3, 3},
                                 [&](size_t i) { return make(i + 99); });
  auto d =
      Buffer<int32_t>::make({5}, [](size_t i) { return int32_t(i * 1000); });
  Buffer<int32_t> r({2, 5, 7, 19});
  jit.run("f", x, w, d, r);
  for (int n = 0; n < 2; ++n)
    for (int o = 0; o < 5; ++o)
      for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 19; ++j) {
          int32_t sum = d.data[o];
          for (int c = 0; c < 3; ++c)
            for (int u = 0; u < 3; ++u)
              for (int v = 0; v < 3; ++v)
                sum += w.data[((o * 3 + c) * 3 + u) * 3 + v] *
                       x.data[((n * 3 + c) * 9 + i + u) * 21 + j + v];
          ASSERT_EQ(r.data[((n * 5 + o) * 7 + i) * 19 + j], sum);
        }
}

struct Image {
  int64_t n, c, h, w, oc, kh, kw, stride, dilation, groups;

  int64_t height() const { return (h - dilation * (kh - 1) - 1) / stride + 1; }
  int64_t width() const { return (w - dilation * (kw - 1) - 1) / stride + 1; }
  std::string attributes() const {
    std::string s = std::to_string(stride), d = std::to_string(dilation);
    return "strides = array<i64: " + s + ", " + s +
           ">, dilations = array<i64: " + d + ", " + d +
           ">, pads = array<i64: 0, 0, 0, 0>, groups = " +
           std::to_string(groups) + " : i64";
  }
};

const Image images[] = {
    {1, 3, 9, 11, 8, 3, 3, 1, 1, 1},    {2, 4, 12, 40, 6, 3, 3, 2, 1, 1},
    {1, 16, 7, 7, 20, 1, 1, 1, 1, 1},   {1, 6, 10, 23, 6, 3, 3, 1, 1, 6},
    {1, 6, 11, 35, 12, 5, 5, 2, 1, 6},  {1, 8, 9, 9, 8, 3, 3, 1, 2, 2},
    {3, 5, 6, 6, 7, 1, 1, 2, 1, 1},     {1, 24, 20, 20, 40, 3, 3, 1, 1, 1},
    {1, 120, 1, 1, 30, 1, 1, 1, 1, 1},  {1, 2, 3, 3, 3, 3, 3, 1, 1, 1},
    {1, 60, 17, 19, 33, 3, 3, 2, 1, 1}, {0, 3, 9, 9, 4, 3, 3, 1, 1, 1},
    {1, 3, 30, 30, 16, 3, 3, 3, 1, 1},  {1, 200, 5, 21, 70, 3, 3, 1, 1, 1},
    {2, 19, 9, 13, 19, 3, 3, 1, 1, 19}, {1, 8, 12, 30, 8, 2, 9, 2, 1, 8},
    {1, 9, 9, 9, 9, 3, 3, 1, 2, 9}};

/// Element (n, o, i, j) of a convolution of NC... by a filter OI...: one chain
/// over filter positions, then channels.
float convolve(const Image &p, const float *x, const float *f, float bias,
               int64_t n, int64_t o, int64_t i, int64_t j) {
  int64_t ic = p.c / p.groups, ocs = p.oc / p.groups;
  float sum = bias;
  for (int64_t u = 0; u < p.kh; ++u)
    for (int64_t v = 0; v < p.kw; ++v)
      for (int64_t c = 0; c < ic; ++c)
        sum = std::fma(f[((o * ic + c) * p.kh + u) * p.kw + v],
                       x[((n * p.c + o / ocs * ic + c) * p.h + i * p.stride +
                          u * p.dilation) *
                             p.w +
                         j * p.stride + v * p.dilation],
                       sum);
  return sum;
}

/// A tensor of shape [n, h, w, c] from one of shape [n, c, h, w].
std::vector<float> toChannelsLast(const std::vector<float> &x, int64_t n,
                                  int64_t c, int64_t pixels) {
  std::vector<float> result(x.size());
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < c; ++k)
      for (int64_t p = 0; p < pixels; ++p)
        result[(i * pixels + p) * c + k] = x[(i * c + k) * pixels + p];
  return result;
}

TEST_P(Contraction, Convolutions) {
  for (const Image &p : images)
    for (bool dynamic : {false, true}) {
      int64_t oh = p.height(), ow = p.width();
      auto type = [&](const char *kind, int64_t c, int64_t h, int64_t w) {
        return std::string(kind) + "<" + shape({p.n}, dynamic) +
               shape({c}, false) + shape({h, w}, dynamic) + "f32>";
      };
      std::string w =
          "<" + shape({p.oc, p.c / p.groups, p.kh, p.kw}, false) + "f32>";
      std::string d = "<" + shape({p.oc}, false) + "f32>";
      std::string X = type("memref", p.c, p.h, p.w),
                  R = type("memref", p.oc, oh, ow);
      std::string tX = type("tensor", p.c, p.h, p.w),
                  tR = type("tensor", p.oc, oh, ow);
      Jit jit("func.func @f(%p: " + X + ", %q: memref" + w + ", %o: memref" +
                  d + ", %r: " + R +
                  ") {\n amp.kernel ins(%x = %p, %w = %q, %d = %o : " + X +
                  ", memref" + w + ", memref" + d + ") outs(%r : " + R +
                  ") args(" + tX + ", tensor" + w + ", tensor" + d +
                  ") {\n %y = amp.conv %x, %w bias %d {" + p.attributes() +
                  "} : (" + tX + ", tensor" + w + ", tensor" + d + ") -> " +
                  tR + "\n %t = arith.addf %y, %y : " + tR +
                  "\n amp.yield %t : " + tR + "\n }\n return\n}",
              GetParam());
      ASSERT_TRUE(jit) << jit.diagnostics;
      auto x = Buffer<float>::make({p.n, p.c, p.h, p.w}, noise);
      auto f = Buffer<float>::make({p.oc, p.c / p.groups, p.kh, p.kw},
                                   [](size_t i) { return noise(i + 4711); });
      auto b = Buffer<float>::make({p.oc}, noise);
      Buffer<float> r({p.n, p.oc, oh, ow}, -99);
      jit.run("f", x, f, b, r);
      for (int64_t n = 0; n < p.n; ++n)
        for (int64_t o = 0; o < p.oc; ++o)
          for (int64_t i = 0; i < oh; ++i)
            for (int64_t j = 0; j < ow; ++j) {
              float sum = convolve(p, x.data.data(), f.data.data(), b.data[o],
                                   n, o, i, j);
              ASSERT_EQ(r.data[((n * p.oc + o) * oh + i) * ow + j], sum + sum)
                  << "image " << &p - images << " at " << o << ", " << i << ", "
                  << j << (dynamic ? " dynamic" : " static");
            }
    }
}

/// The bits are those of channels first, into the inside of a larger buffer,
/// for panels of 1, 2 and 3 vectors.
TEST_P(Contraction, ChannelsLast) {
  for (const Image &p : images)
    for (int64_t columns : {8, 16, 24})
      for (bool dynamic : {false, true}) {
        const bool depthwise = p.groups == p.c && p.oc == p.c && p.c > 1;
        if (depthwise && columns > 8)
          continue;
        int64_t oh = p.height(), ow = p.width(), ic = p.c / p.groups,
                ocs = p.oc / p.groups;
        int64_t panels = (ocs + columns - 1) / columns;
        auto sizes = [&](int64_t h, int64_t w, int64_t c) {
          return shape({p.n, h, w}, dynamic) + std::to_string(c) + "xf32";
        };
        std::vector<int64_t> ws{p.groups * panels, p.kh, p.kw, ic, columns};
        if (depthwise)
          ws = {p.kh, p.kw, 1, p.oc};
        std::string W = "<" + shape(ws, false) + "f32>",
                    D = "<" + std::to_string(p.oc) + "xf32>",
                    X = "<" + sizes(p.h, p.w, p.c) + ">",
                    R = "<" + sizes(oh, ow, p.oc) + ">",
                    O = "<" + sizes(oh + 3, ow + 2, p.oc) + ">";
        std::string m = "memref", t = "tensor", dims = "";
        // The result is a slice of a buffer with a border.
        std::string S = "memref<" + sizes(oh, ow, p.oc) + ", strided<[" +
                        (dynamic ? "?, ?"
                                 : std::to_string((oh + 3) * (ow + 2) * p.oc) +
                                       ", " + std::to_string((ow + 2) * p.oc)) +
                        ", " + std::to_string(p.oc) + ", 1], offset: " +
                        (dynamic ? "?" : std::to_string((ow + 2 + 1) * p.oc)) +
                        ">>";
        std::string n = dynamic ? "%n" : std::to_string(p.n),
                    h = dynamic ? "%h" : std::to_string(oh),
                    w = dynamic ? "%w" : std::to_string(ow);
        std::string slice =
            dynamic
                ? "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : "
                  "index\n%c2 = arith.constant 2 : index\n%c3 = "
                  "arith.constant 3 : index\n%n = memref.dim %o, %c0 : "
                  "memref" +
                      O + "\n%oh = memref.dim %o, %c1 : memref" + O +
                      "\n%ow = memref.dim %o, %c2 : memref" + O +
                      "\n%h = arith.subi %oh, %c3 : index\n%w = "
                      "arith.subi %ow, %c2 : index\n"
                : "";
        Jit jit("func.func @f(%a: memref" + X + ", %b: memref" + W +
                    ", %c: memref" + D + ", %o: memref" + O + ") {\n" + slice +
                    "%r = memref.subview %o[0, 1, 1, 0] [" + n + ", " + h +
                    ", " + w + ", " + std::to_string(p.oc) +
                    "] [1, 1, 1, 1] : memref" + O + " to " + S +
                    "\namp.kernel ins(%x = %a, %f = %b, %d = %c : memref" + X +
                    ", memref" + W + ", memref" + D + ") outs(%r : " + S +
                    ") args(tensor" + X + ", tensor" + W + ", tensor" + D +
                    ") {\n %y = amp.conv %x, %f bias %d {channels_last, " +
                    (depthwise ? "" : "panels, ") + p.attributes() +
                    "} : (tensor" + X + ", tensor" + W + ", tensor" + D +
                    ") -> tensor" + R + "\n %t = arith.addf %y, %y : tensor" +
                    R + "\n amp.yield %t : tensor" + R + "\n }\n return\n}",
                GetParam());
        ASSERT_TRUE(jit) << jit.diagnostics;
        auto first = Buffer<float>::make({p.n, p.c, p.h, p.w}, noise);
        auto f = Buffer<float>::make({p.oc, ic, p.kh, p.kw},
                                     [](size_t i) { return noise(i + 4711); });
        auto b = Buffer<float>::make({p.oc}, noise);
        Buffer<float> x({p.n, p.h, p.w, p.c}), packed(ws, 0),
            o({p.n, oh + 3, ow + 2, p.oc}, -99);
        x.data = toChannelsLast(first.data, p.n, p.c, p.h * p.w);
        for (int64_t k = 0; k < p.oc; ++k)
          for (int64_t c = 0; c < ic; ++c)
            for (int64_t u = 0; u < p.kh * p.kw; ++u) {
              int64_t panel = k / ocs * panels + k % ocs / columns;
              size_t at = depthwise
                              ? u * p.oc + k
                              : ((panel * p.kh * p.kw + u) * ic + c) * columns +
                                    k % ocs % columns;
              packed.data[at] = f.data[(k * ic + c) * p.kh * p.kw + u];
            }
        jit.run("f", x, packed, b, o);
        for (int64_t n = 0; n < p.n; ++n)
          for (int64_t i = 0; i < oh + 3; ++i)
            for (int64_t j = 0; j < ow + 2; ++j)
              for (int64_t k = 0; k < p.oc; ++k) {
                bool inside = i >= 1 && i <= oh && j >= 1 && j <= ow;
                float sum = inside
                                ? convolve(p, first.data.data(), f.data.data(),
                                           b.data[k], n, k, i - 1, j - 1)
                                : 0;
                ASSERT_EQ(
                    o.data[((n * (oh + 3) + i) * (ow + 2) + j) * p.oc + k],
                    inside ? sum + sum : -99)
                    << "image " << &p - images << " panels of " << columns
                    << " at " << k << ", " << i << ", " << j
                    << (dynamic ? " dynamic" : " static");
              }
      }
}

} // namespace
