//===- ConversionsTest.cpp - Every amp.cast against arbitrary precision ---===//
//
// Compares conversions bit for bit with LLVM's APFloat and APInt, which round
// once by definition: all values of 8- and 16-bit formats, and of wider ones
// the neighbourhoods of everything that the result can hold.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace ampc::test;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

namespace {

using Bits = std::vector<uint64_t>;

struct Format {
  const char *name;
  unsigned width;
  const llvm::fltSemantics *semantics = nullptr; // null: an integer
  bool isUnsigned = false;
  const char *byteFormat = nullptr; // what the low `width` bits of an i8 are
  unsigned storage() const { return byteFormat ? 8 : width; }
};

const Format kF64{"f64", 64, &APFloat::IEEEdouble()};
const Format kF32{"f32", 32, &APFloat::IEEEsingle()};
const Format kF16{"f16", 16, &APFloat::IEEEhalf()};
const Format kBF16{"bf16", 16, &APFloat::BFloat()};
const Format kE4M3{"f8E4M3FN", 8, &APFloat::Float8E4M3FN()};
const Format kE5M2{"f8E5M2", 8, &APFloat::Float8E5M2()};
const Format kE4M3Z{"f8E4M3FNUZ", 8, &APFloat::Float8E4M3FNUZ()};
const Format kE5M2Z{"f8E5M2FNUZ", 8, &APFloat::Float8E5M2FNUZ()};
const std::vector<Format> kFloats{kF64,  kF32,  kF16,   kBF16,
                                  kE4M3, kE5M2, kE4M3Z, kE5M2Z};
const std::vector<Format> kIntegers{{"i8", 8},   {"i8", 8, nullptr, true},
                                    {"i16", 16}, {"i16", 16, nullptr, true},
                                    {"i32", 32}, {"i32", 32, nullptr, true},
                                    {"i64", 64}, {"i64", 64, nullptr, true}};

const std::vector<Format> kMiniFloats{
    {"i8", 4, &APFloat::Float4E2M1FN(), false, "f4e2m1"},
    {"i8", 6, &APFloat::Float6E2M3FN(), false, "f6e2m3"},
    {"i8", 6, &APFloat::Float6E3M2FN(), false, "f6e3m2"}};
const std::vector<Format> kNarrowIntegers{{"i8", 2, nullptr, true, "u2"},
                                          {"i8", 2, nullptr, false, "i2"},
                                          {"i8", 4, nullptr, true, "u4"},
                                          {"i8", 4, nullptr, false, "i4"}};

APFloat asFloat(const Format &format, uint64_t bits) {
  return APFloat(*format.semantics, APInt(format.width, bits));
}
uint64_t bitsOf(const APFloat &x) { return x.bitcastToAPInt().getZExtValue(); }

/// Values that tell right from wrong roundings into `to`: its values, the
/// midpoints between them, and their neighbours in `from`.
void addNeighbourhoods(const Format &from, const Format &to, Bits &samples) {
  auto add = [&](APFloat x) {
    bool lossy;
    x.convert(*from.semantics, APFloat::rmNearestTiesToEven, &lossy);
    samples.push_back(bitsOf(x));
    for (bool down : {false, true}) {
      APFloat next = x;
      next.next(down);
      samples.push_back(bitsOf(next));
    }
  };
  uint64_t count = uint64_t(1) << std::min(to.width, 16u);
  for (uint64_t i = 0; i < count; ++i) {
    // Of 32-bit formats, values with few digits.
    APFloat x = asFloat(to, i << (to.width - std::min(to.width, 16u)));
    if (!x.isFinite())
      continue;
    add(x);
    APFloat next = x;
    next.next(false);
    if (!next.isFinite())
      continue;
    bool lossy;
    x.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &lossy);
    next.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &lossy);
    APFloat half(APFloat::IEEEquad(), "0.5");
    x.add(next, APFloat::rmNearestTiesToEven);
    x.multiply(half, APFloat::rmNearestTiesToEven);
    add(x);
  }
}

Bits samplesOf(const Format &from, const Format &to) {
  Bits samples;
  if (from.storage() <= 16) {
    for (uint64_t i = 0; i < uint64_t(1) << from.storage(); ++i)
      samples.push_back(i);
    return samples;
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 5000; ++i)
    samples.push_back(random() >> (64 - from.width));
  if (!from.semantics) {
    // All magnitudes, and what is next to ties between short floats.
    for (unsigned shift = 0; shift < from.width; ++shift)
      for (uint64_t top = 0; top < 1024; ++top)
        for (int64_t beyond : {-1, 0, 1})
          samples.push_back(((top << shift) + beyond) << (64 - from.width) >>
                            (64 - from.width));
    return samples;
  }
  for (const char *text : {"0", "-0", "inf", "-inf", "nan", "1e-45", "3.5e38",
                           "65519.99", "65520", "2147483648", "-2147483648",
                           "9.3e18", "-9.3e18", "1.9e19", "0.99", "-0.99"}) {
    bool lossy;
    APFloat x(APFloat::IEEEquad(), text);
    x.convert(*from.semantics, APFloat::rmNearestTiesToEven, &lossy);
    samples.push_back(bitsOf(x));
  }
  if (to.semantics)
    addNeighbourhoods(from, to, samples);
  else
    for (int exponent = -2; exponent < 70; ++exponent)
      for (int mantissa = 0; mantissa < 16; ++mantissa)
        for (double sign : {1.0, -1.0}) {
          bool lossy;
          APFloat x(std::ldexp(sign * (1 + mantissa / 16.0), exponent));
          x.convert(*from.semantics, APFloat::rmNearestTiesToEven, &lossy);
          samples.push_back(bitsOf(x));
        }
  return samples;
}

/// The low bits of an integer in the byte that amp.cast gives.
uint64_t narrowed(const APInt &x, const Format &to) {
  return APSInt(x.trunc(to.width), to.isUnsigned).extend(8).getZExtValue();
}

uint64_t expected(const Format &from, const Format &to, uint64_t bits,
                  bool saturate) {
  bool lossy;
  if (from.byteFormat) // Other bits of the byte are not looked at.
    bits &= (1u << from.width) - 1;
  if (!from.semantics) {
    APSInt x(APInt(from.width, bits), from.isUnsigned);
    if (!to.semantics)
      return to.byteFormat ? narrowed(x.extOrTrunc(64), to)
                           : x.extOrTrunc(to.width).getZExtValue();
    APFloat y(*to.semantics);
    auto status =
        y.convertFromAPInt(x, !from.isUnsigned, APFloat::rmNearestTiesToEven);
    if (saturate && (status & APFloat::opOverflow))
      y = APFloat::getLargest(*to.semantics, x.isNegative());
    return bitsOf(y);
  }
  APFloat x = asFloat(from, bits);
  if (to.semantics) {
    if (to.byteFormat && !x.isFinite())
      return (x.isNaN() ? 0 : bitsOf(APFloat::getLargest(*to.semantics))) |
             uint64_t(x.isNegative()) << (to.width - 1);
    APFloat y = x;
    y.convert(*to.semantics, APFloat::rmNearestTiesToEven, &lossy);
    if (saturate && !x.isNaN() && !y.isFinite())
      y = APFloat::getLargest(*to.semantics, x.isNegative());
    return bitsOf(y);
  }
  if (x.isNaN())
    return 0;
  APSInt y(to.byteFormat ? 32 : to.width, to.isUnsigned && !to.byteFormat);
  x.convertToInteger(y, APFloat::rmTowardZero, &lossy); // saturates
  return to.byteFormat ? narrowed(y, to) : y.getZExtValue();
}

template <typename In, typename Out> Bits runAs(Jit &jit, const Bits &in) {
  auto x = Buffer<In>::make({int64_t(in.size())},
                            [&](size_t i) { return In(in[i]); });
  Buffer<Out> y(x.shape);
  jit.run("f", x, y);
  return Bits(y.data.begin(), y.data.end());
}

template <typename In> Bits runFrom(Jit &jit, const Bits &in, unsigned width) {
  switch (width) {
  case 8:
    return runAs<In, uint8_t>(jit, in);
  case 16:
    return runAs<In, uint16_t>(jit, in);
  case 32:
    return runAs<In, uint32_t>(jit, in);
  default:
    return runAs<In, uint64_t>(jit, in);
  }
}

Bits run(Jit &jit, const Bits &in, const Format &from, const Format &to) {
  switch (from.storage()) {
  case 8:
    return runFrom<uint8_t>(jit, in, to.storage());
  case 16:
    return runFrom<uint16_t>(jit, in, to.storage());
  case 32:
    return runFrom<uint32_t>(jit, in, to.storage());
  default:
    return runFrom<uint64_t>(jit, in, to.storage());
  }
}

void check(const ampc::cpu::CpuTarget &target, const Format &from,
           const Format &to, bool saturate = false) {
  std::string flags =
      from.isUnsigned && !from.byteFormat ? "unsigned_source, " : "";
  flags += to.isUnsigned && !to.byteFormat ? "unsigned_result, " : "";
  if (from.byteFormat)
    flags += std::string("source_format = #amp<byte_format ") +
             from.byteFormat + ">, ";
  if (to.byteFormat)
    flags += std::string("result_format = #amp<byte_format ") + to.byteFormat +
             ">, ";
  flags += saturate ? "saturate, " : "";
  if (!flags.empty())
    flags = "{" + flags.substr(0, flags.size() - 2) + "} ";
  std::string in = from.name, out = to.name;
  std::string what = in + " to " + out + " " + flags;
  SCOPED_TRACE(what);
  Jit jit("func.func @f(%x: memref<?x" + in + ">, %r: memref<?x" + out +
              ">) {\n  amp.kernel ins(%a = %x : memref<?x" + in +
              ">) outs(%r : memref<?x" + out + ">) args(tensor<?x" + in +
              ">) {\n    %0 = amp.cast %a source " + flags + ": tensor<?x" +
              in + "> to tensor<?x" + out + ">\n    amp.yield %0 : tensor<?x" +
              out + ">\n  }\n  return\n}\n",
          target);
  ASSERT_TRUE(jit) << jit.diagnostics;
  Bits samples = samplesOf(from, to), got = run(jit, samples, from, to);
  unsigned wrong = 0;
  for (size_t i = 0; i < samples.size() && wrong < 5; ++i) {
    uint64_t want = expected(from, to, samples[i], saturate);
    bool bothNaN = to.semantics && !to.byteFormat &&
                   asFloat(to, want).isNaN() && asFloat(to, got[i]).isNaN();
    wrong += !bothNaN && got[i] != want;
    if (!bothNaN) {
      EXPECT_EQ(got[i], want) << "of bits " << std::hex << samples[i];
    }
  }
}

class Conversions : public testing::TestWithParam<ampc::cpu::CpuTarget> {};

INSTANTIATE_TEST_SUITE_P(Targets, Conversions, testing::ValuesIn(allTargets()),
                         [](const auto &info) {
                           return "Bytes" +
                                  std::to_string(info.param.vectorBytes);
                         });

TEST_P(Conversions, FloatToFloat) {
  for (const Format &from : kFloats)
    for (const Format &to : kFloats)
      if (from.semantics != to.semantics)
        check(GetParam(), from, to);
}

TEST_P(Conversions, FloatToFloat8Saturating) {
  for (const Format &from : kFloats)
    for (const Format &to : {kE4M3, kE5M2, kE4M3Z, kE5M2Z})
      if (from.semantics != to.semantics)
        check(GetParam(), from, to, /*saturate=*/true);
}

TEST_P(Conversions, FloatToInteger) {
  for (const Format &from : kFloats)
    for (const Format &to : kIntegers)
      check(GetParam(), from, to);
}

TEST_P(Conversions, IntegerToFloat) {
  for (const Format &from : kIntegers)
    for (const Format &to : kFloats)
      check(GetParam(), from, to);
}

TEST_P(Conversions, FloatsBelowEightBits) {
  for (const Format &mini : kMiniFloats) {
    for (const std::vector<Format> &others :
         {kFloats, kIntegers, kMiniFloats, kNarrowIntegers})
      for (const Format &other : others) {
        check(GetParam(), mini, other);
        check(GetParam(), other, mini);
      }
  }
}

TEST_P(Conversions, IntegersBelowEightBits) {
  for (const Format &narrow : kNarrowIntegers) {
    for (const std::vector<Format> &others :
         {kFloats, kIntegers, kNarrowIntegers})
      for (const Format &other : others) {
        check(GetParam(), narrow, other);
        check(GetParam(), other, narrow);
      }
  }
}

TEST_P(Conversions, IntegerToInteger) {
  for (const Format &from : kIntegers)
    for (const Format &to : kIntegers)
      if (from.width != to.width)
        check(GetParam(), from, to);
}

} // namespace
