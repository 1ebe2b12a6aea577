//===- DotProductTest.cpp - Contractions by AMX's tiles -------------------===//
//
// Small integers have to come out exactly, whatever the order of the sum: that
// finds every wrong index. Other numbers have to within the rounding of K
// additions.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "runtime/CpuFeatures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace ampc::test;

namespace {

bool machineHasTiles() {
  return ampc::rt::cpuSupports("amx-bf16", 8) == ampc::rt::CpuSupport::yes;
}

ampc::cpu::CpuTarget tiles() {
  auto target = ampc::cpu::CpuTarget::withVectorBytes(64);
  target.hasTiles = true;
  return target;
}

/// Of a number that bf16 has.
uint16_t toBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  EXPECT_EQ(bits & 0xffff, 0u);
  return uint16_t(bits >> 16);
}
float toFloat(uint16_t value) {
  uint32_t bits = uint32_t(value) << 16;
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

uint32_t scramble(size_t i) {
  uint32_t x = uint32_t(i) * 2654435761u;
  x ^= x >> 15;
  x *= 2246822519u;
  return x ^ x >> 13;
}
/// -3 to 3: sums of thousands of products are exact in f32.
uint16_t integer(size_t i) { return toBF16(float(scramble(i) % 7) - 3); }
/// Between 2^-8 and 2^8, both signs.
uint16_t noise(size_t i) {
  uint32_t x = scramble(i);
  return uint16_t((x & 0x8000) | ((119 + x % 16) << 7) | (x >> 16 & 0x7f));
}

const char *const algorithm =
    "pairs, panels, algorithm = #amp.algorithm<multiply = bf16, accumulate = "
    "f32, passes = 1>";

std::string sizes(const std::vector<int64_t> &shape, size_t dynamic = 0) {
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i < dynamic ? std::string("?") : std::to_string(shape[i])) + "x";
  return text;
}

int64_t roundUp(int64_t value, int64_t to) {
  return (value + to - 1) / to * to;
}

/// An image or a matrix (h = 1, filter of 1 x 1) over N H W C.
struct Case {
  int64_t n, h, w, c, o, kh = 1, kw = 1, stride = 1, dilation = 1;
  int64_t chunk = 1000; ///< Of the parallel range.

  int64_t outH() const { return (h - dilation * (kh - 1) - 1) / stride + 1; }
  int64_t outW() const { return (w - dilation * (kw - 1) - 1) / stride + 1; }
  int64_t channels() const { return roundUp(c, 32); }
  int64_t panels() const { return (o + 15) / 16; }
};

/// The filter's element, or zero for channels that do not exist.
size_t packedIndex(const Case &p, int64_t kh, int64_t kw, int64_t c,
                   int64_t o) {
  size_t pairs = p.channels() / 2;
  size_t at = ((o / 16 * p.kh + kh) * p.kw + kw) * pairs + c / 2;
  return (at * 16 + o % 16) * 2 + c % 2;
}

template <typename Make>
void check(const Case &p, bool dynamic, Make make, double roundoff) {
  std::vector<int64_t> xs{p.n, p.h, p.w, p.c}, ys{p.n, p.outH(), p.outW(), p.o},
      ws{p.panels(), p.kh, p.kw, p.channels() / 2, 16, 2};
  std::string x = sizes(xs, 3 * dynamic) + "bf16>";
  std::string y = sizes(ys, 3 * dynamic) + "f32>", w = sizes(ws) + "bf16>",
              d = sizes({p.o}) + "f32>";
  std::string s = std::to_string(p.stride), l = std::to_string(p.dilation);
  Jit jit("func.func @f(%p: memref<" + x + ", %q: memref<" + w +
              ", %d: memref<" + d + ", %c: memref<" + y +
              ") {\n amp.kernel ins(%x = %p, %w = %q, %b = %d : memref<" + x +
              ", memref<" + w + ", memref<" + d + ") outs(%c : memref<" + y +
              ") args(tensor<" + x + ", tensor<" + w + ", tensor<" + d +
              ") {\n %r = amp.conv %x, %w bias %b {channels_last, strides = "
              "array<i64: " +
              s + ", " + s + ">, dilations = array<i64: " + l + ", " + l +
              ">, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, " +
              algorithm + "} : (tensor<" + x + ", tensor<" + w + ", tensor<" +
              d + ") -> tensor<" + y + "\n %s = arith.negf %r : tensor<" + y +
              "\n amp.yield %s : tensor<" + y + "\n }\n return\n}",
          tiles(), p.chunk);
  ASSERT_TRUE(jit) << jit.diagnostics;
  auto image = Buffer<uint16_t>::make(xs, make);
  // What lies beside the channels that exist is never used.
  Buffer<uint16_t> filter(ws, 0);
  for (int64_t kh = 0; kh < p.kh; ++kh)
    for (int64_t kw = 0; kw < p.kw; ++kw)
      for (int64_t c = 0; c < p.c; ++c)
        for (int64_t o = 0; o < p.o; ++o)
          filter.data[packedIndex(p, kh, kw, c, o)] =
              make(100000 + ((kh * p.kw + kw) * p.c + c) * p.o + o);
  auto bias = Buffer<float>::make(
      {p.o}, [&](size_t i) { return toFloat(make(500000 + i)); });
  Buffer<float> result(ys, -99);
  jit.run("f", image, filter, bias, result);
  for (size_t i = 0; i < result.data.size(); ++i) {
    int64_t o = i % p.o, ow = i / p.o % p.outW(),
            oh = i / p.o / p.outW() % p.outH(),
            n = i / p.o / p.outW() / p.outH();
    double sum = bias.data[o], size = std::fabs(sum);
    // Each addition rounds, to numbers no larger than all terms together.
    double tolerance = roundoff * double(p.kh * p.kw * p.c + 1);
    for (int64_t kh = 0; kh < p.kh; ++kh)
      for (int64_t kw = 0; kw < p.kw; ++kw)
        for (int64_t c = 0; c < p.c; ++c) {
          int64_t ih = oh * p.stride + kh * p.dilation,
                  iw = ow * p.stride + kw * p.dilation;
          double product =
              double(
                  toFloat(image.data[((n * p.h + ih) * p.w + iw) * p.c + c])) *
              toFloat(filter.data[packedIndex(p, kh, kw, c, o)]);
          sum += product;
          size += std::fabs(product);
        }
    ASSERT_NEAR(result.data[i], -sum, tolerance * size)
        << p.n << "x" << p.h << "x" << p.w << "x" << p.c << " to " << p.o
        << ", filter " << p.kh << "x" << p.kw << " stride " << p.stride
        << " dilation " << p.dilation << (dynamic ? " dynamic" : " static")
        << " at " << i;
  }
}

const Case cases[] = {
    // One tile, less than one, and more than one in each direction.
    {1, 1, 16, 32, 16},
    {1, 1, 1, 1, 1},
    {1, 1, 33, 33, 17},
    {1, 1, 40, 64, 47},
    // Several blocks, shared out by rows and by columns.
    {1, 1, 300, 320, 33},
    {2, 1, 200, 40, 300, 1, 1, 1, 1, 1},
    // So much to sum over that it goes in runs: of k, of rows of the filter.
    {1, 1, 40, 5000, 20}, {1, 1, 200, 3001, 300},
    {1, 8, 7, 1000, 40, 3, 3}, {2, 6, 6, 300, 17, 5, 5},
    // Nothing to do.
    {0, 1, 16, 32, 16},
    {1, 1, 16, 32, 0},
    // Images: ends of rows, strides, dilations, few channels.
    {2, 9, 7, 16, 20, 3, 3},
    {1, 12, 11, 40, 24, 3, 3, 2},
    {1, 10, 10, 32, 33, 3, 2, 1, 2},
    {1, 8, 8, 3, 16, 5, 5, 2, 1, 1},
    {3, 5, 5, 64, 64}};

TEST(DotProducts, IntegersAreExact) {
  if (!machineHasTiles())
    GTEST_SKIP() << "this machine has no AMX; lit tests look at the code";
  for (const Case &p : cases)
    for (bool dynamic : {false, true})
      check(p, dynamic, integer, 0);
}

TEST(DotProducts, RoundOnlyInSums) {
  if (!machineHasTiles())
    GTEST_SKIP() << "this machine has no AMX; lit tests look at the code";
  for (const Case &p : cases)
    for (bool dynamic : {false, true})
      check(p, dynamic, noise, 0x1p-24);
}

TEST(DotProducts, TargetsWithoutTilesRefuse) {
  Jit jit("func.func @f(%p: memref<4x32xbf16>, %q: memref<1x16x16x2xbf16>, %c: "
          "memref<4x16xf32>) {\n amp.kernel ins(%x = %p, %w = %q : "
          "memref<4x32xbf16>, memref<1x16x16x2xbf16>) outs(%c : "
          "memref<4x16xf32>) args(tensor<4x32xbf16>, tensor<1x16x16x2xbf16>) "
          "{\n %r = amp.matmul %x, %w {" +
              std::string(algorithm) +
              "} : (tensor<4x32xbf16>, tensor<1x16x16x2xbf16>) -> "
              "tensor<4x16xf32>\n amp.yield %r : tensor<4x16xf32>\n }\n "
              "return\n}",
          ampc::cpu::CpuTarget::withVectorBytes(64));
  ASSERT_FALSE(jit);
  EXPECT_NE(jit.diagnostics.find("no dot-product instructions for bf16"),
            std::string::npos)
      << jit.diagnostics;
}

} // namespace
