//===- MathFunctionsTest.cpp - Accuracy of the elementary functions -------===//
//
// Compares every f32 function with the C library's f64 function over arguments
// of all magnitudes, and vectors with scalars bit for bit.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace ampc::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

float fromBits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

/// Every 1021st float of all bit patterns, and what is easily got wrong.
std::vector<float> samples(unsigned step = 1021) {
  std::vector<float> x{
      0.0f,       -0.0f,           1.0f,          -1.0f,
      0.5f,       -0.5f,           2.0f,          -2.0f,
      kInf,       -kInf,           kNaN,          1e-45f,
      -1e-45f,    1.17549435e-38f, 3.4028235e38f, -3.4028235e38f,
      88.72283f,  88.72284f,       -103.97f,      -103.98f,
      -87.33655f, 16777216.0f,     1073741824.0f, 0.99999994f,
      1.0000001f, -0.99999994f};
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += step)
    x.push_back(fromBits(bits));
  // Where networks compute: dense around zero.
  for (int i = -20000; i <= 20000; ++i)
    x.push_back(i * 0.00073f);
  while (x.size() % 16)
    x.push_back(0.25f);
  return x;
}

/// Distance of `got` from the exact value in units in the last place of f32.
double ulps(float got, double exact) {
  float rounded = float(exact);
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : 1e9;
  if (std::isinf(rounded) || std::isinf(got)) {
    if (rounded == got)
      return 0;
    // Overflow to infinity where the exact value is just below, or the reverse.
    float largest = std::numeric_limits<float>::max();
    bool near = std::fabs(exact) > double(largest) * (1 - 1e-7) &&
                std::fabs(exact) < double(largest) * (1 + 2e-7) &&
                std::signbit(got) == (exact < 0);
    return near ? 1 : 1e9;
  }
  int exponent = std::max(std::ilogb(exact == 0 ? 0x1p-149 : exact), -126);
  return std::fabs(got - exact) / std::ldexp(1.0, exponent - 23);
}

/// A module that applies `op` to vectors of `lanes`, or to scalars, of its
/// operands' elements.
std::string moduleFor(const std::string &op, unsigned operands, int lanes) {
  std::string buffers, loads, names;
  std::string type =
      lanes == 1 ? "f32" : "vector<" + std::to_string(lanes) + "xf32>";
  for (unsigned i = 0; i < operands; ++i) {
    std::string n = std::to_string(i);
    buffers += "%x" + n + ": memref<?xf32>, ";
    loads += "  %v" + n + " = " +
             (lanes == 1 ? "memref.load %x" + n + "[%i] : memref<?xf32>\n"
                         : "vector.load %x" + n + "[%i] : memref<?xf32>, " +
                               type + "\n");
    names += (i ? ", %v" : "%v") + n;
  }
  return "func.func @f(" + buffers + "%y: memref<?xf32>) {\n" +
         "  %c0 = arith.constant 0 : index\n  %step = arith.constant " +
         std::to_string(lanes) + " : index\n" +
         "  %n = memref.dim %y, %c0 : memref<?xf32>\n" +
         "  scf.for %i = %c0 to %n step %step {\n" + loads + "  %r = " + op +
         " " + names + " : " + type + "\n" +
         (lanes == 1
              ? "  memref.store %r, %y[%i] : memref<?xf32>\n"
              : "  vector.store %r, %y[%i] : memref<?xf32>, " + type + "\n") +
         "  }\n  return\n}\n";
}

struct Unary {
  const char *op;
  double (*exact)(double);
  double bound;
};

void PrintTo(const Unary &f, std::ostream *out) { *out << f.op; }

class UnaryFunction : public testing::TestWithParam<Unary> {};

TEST_P(UnaryFunction, IsAccurate) {
  Unary f = GetParam();
  auto x = samples();
  Buffer<float> in({int64_t(x.size())}), scalar(in.shape), vector8(in.shape),
      vector16(in.shape);
  in.data = x;
  for (auto [lanes, out] :
       {std::pair(1, &scalar), {8, &vector8}, {16, &vector16}}) {
    Jit jit(moduleFor(f.op, 1, lanes), ampc::cpu::CpuTarget());
    ASSERT_TRUE(jit) << jit.diagnostics;
    jit.run("f", in, *out);
  }
  double worst = 0;
  float where = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double error = ulps(scalar.data[i], f.exact(x[i]));
    if (!(error <= worst)) {
      worst = error;
      where = x[i];
    }
    bool bothNaN = std::isnan(scalar.data[i]) && std::isnan(vector8.data[i]) &&
                   std::isnan(vector16.data[i]);
    ASSERT_TRUE(bothNaN ||
                (!std::memcmp(&scalar.data[i], &vector8.data[i], 4) &&
                 !std::memcmp(&scalar.data[i], &vector16.data[i], 4)))
        << f.op << "(" << x[i] << ") is " << scalar.data[i] << " as a scalar, "
        << vector8.data[i] << " and " << vector16.data[i] << " in vectors";
    // Zeros keep C's sign.
    if (scalar.data[i] == 0 && f.exact(x[i]) == 0) {
      ASSERT_EQ(std::signbit(scalar.data[i]), std::signbit(f.exact(x[i])))
          << f.op << "(" << x[i] << ")";
    }
  }
  RecordProperty("worst_ulps", std::to_string(worst));
  EXPECT_LE(worst, f.bound) << f.op << " is worst at " << where;
}

double rsqrt(double x) { return 1 / std::sqrt(x); }

INSTANTIATE_TEST_SUITE_P(
    All, UnaryFunction,
    testing::Values(
        Unary{"math.exp", std::exp, 1.0}, Unary{"math.exp2", std::exp2, 0.51},
        Unary{"math.expm1", std::expm1, 0.51}, Unary{"math.log", std::log, 1.0},
        Unary{"math.log2", std::log2, 0.51},
        Unary{"math.log10", std::log10, 0.51},
        Unary{"math.log1p", std::log1p, 0.51},
        Unary{"math.tanh", std::tanh, 1.5}, Unary{"math.erf", std::erf, 1.5},
        Unary{"math.sin", std::sin, 0.51}, Unary{"math.cos", std::cos, 0.51},
        Unary{"math.tan", std::tan, 0.51}, Unary{"math.asin", std::asin, 0.51},
        Unary{"math.acos", std::acos, 0.51},
        Unary{"math.atan", std::atan, 0.51},
        Unary{"math.sinh", std::sinh, 0.51},
        Unary{"math.cosh", std::cosh, 0.51},
        Unary{"math.asinh", std::asinh, 0.51},
        Unary{"math.acosh", std::acosh, 0.51},
        Unary{"math.atanh", std::atanh, 0.51},
        Unary{"math.cbrt", std::cbrt, 0.51}, Unary{"math.rsqrt", rsqrt, 1.5},
        Unary{"math.sqrt", std::sqrt, 0.5}, Unary{"math.floor", std::floor, 0},
        Unary{"math.ceil", std::ceil, 0}, Unary{"math.trunc", std::trunc, 0},
        Unary{"math.round", std::round, 0},
        Unary{"math.roundeven", std::nearbyint, 0},
        Unary{"math.absf", std::fabs, 0}),
    [](const auto &info) { return std::string(info.param.op).substr(5); });

struct Binary {
  const char *op;
  double (*exact)(double, double);
  double bound;
};

void PrintTo(const Binary &f, std::ostream *out) { *out << f.op; }

class BinaryFunction : public testing::TestWithParam<Binary> {};

TEST_P(BinaryFunction, IsAccurate) {
  Binary f = GetParam();
  std::vector<float> few = samples(20000003);
  few.resize(400);
  for (int i = -200; i < 200; ++i)
    few.push_back(i * 0.25f);
  int64_t n = few.size() * few.size() / 8 * 8;
  Buffer<float> a({n}), b({n}), scalar({n}), vector({n});
  for (int64_t i = 0; i < n; ++i) {
    a.data[i] = few[i / few.size()];
    b.data[i] = few[i % few.size()];
  }
  Jit one(moduleFor(f.op, 2, 1), ampc::cpu::CpuTarget());
  Jit many(moduleFor(f.op, 2, 8), ampc::cpu::CpuTarget());
  ASSERT_TRUE(one && many) << one.diagnostics << many.diagnostics;
  one.run("f", a, b, scalar);
  many.run("f", a, b, vector);
  for (int64_t i = 0; i < n; ++i) {
    double exact = f.exact(a.data[i], b.data[i]);
    ASSERT_LE(ulps(scalar.data[i], exact), f.bound)
        << f.op << "(" << a.data[i] << ", " << b.data[i] << ") is "
        << scalar.data[i] << ", not " << exact;
    ASSERT_TRUE((std::isnan(exact) && std::isnan(vector.data[i])) ||
                !std::memcmp(&scalar.data[i], &vector.data[i], 4))
        << f.op << "(" << a.data[i] << ", " << b.data[i] << ")";
    if (exact == 0 && scalar.data[i] == 0) {
      ASSERT_EQ(std::signbit(exact), std::signbit(scalar.data[i]))
          << f.op << "(" << a.data[i] << ", " << b.data[i] << ")";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BinaryFunction,
    testing::Values(Binary{"math.powf", std::pow, 0.51},
                    Binary{"math.atan2", std::atan2, 0.51},
                    Binary{"math.copysign", std::copysign, 0}),
    [](const auto &info) { return std::string(info.param.op).substr(5); });

/// Division by a constant, and bounds of it, as pointwise kernels have them.
std::string quotientKernel(float divisor) {
  char number[32];
  std::snprintf(number, sizeof number, "%.9e", divisor);
  return std::string(R"(
    func.func @f(%x: memref<?xf32>, %r: memref<?xf32>) {
      amp.kernel ins(%a = %x : memref<?xf32>) outs(%r : memref<?xf32>)
                 args(tensor<?xf32>) {
        %c = arith.constant dense<)") +
         number + R"(> : tensor<1xf32>
        %n = arith.constant 0 : index
        %d = tensor.dim %a, %n : tensor<?xf32>
        %cc = amp.broadcast %c to [%d] : tensor<1xf32> to tensor<?xf32>
        %q = arith.divf %a, %cc : tensor<?xf32>
        amp.yield %q : tensor<?xf32>
      }
      return
    })";
}

TEST(ConstantDivisor, GivesTheBitsOfDivision) {
  std::vector<float> x = samples();
  for (float divisor : {6.0f, -6.0f, 3.0f, 7.0f, 10.0f, 255.0f, 0.1f, 8.0f,
                        1.41421354f, -0.00392156886f, 1e-30f, 1e35f, 0.0f}) {
    Jit jit(quotientKernel(divisor), ampc::cpu::CpuTarget());
    ASSERT_TRUE(jit) << jit.diagnostics;
    auto in = Buffer<float>::make({int64_t(x.size())},
                                  [&](size_t i) { return x[i]; });
    Buffer<float> out({int64_t(x.size())}, -1);
    jit.run("f", in, out);
    for (size_t i = 0; i < x.size(); ++i) {
      float want = x[i] / divisor, got = out.data[i];
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(got)) << x[i] << " / " << divisor;
        continue;
      }
      ASSERT_EQ(std::signbit(got), std::signbit(want)) << x[i];
      // Documented: tiny quotients may be off by a bit.
      if (std::fabs(want) < 0x1p-100f)
        ASSERT_LE(std::fabs(got - want),
                  std::nextafter(std::fabs(want), 1.0f) - std::fabs(want))
            << x[i] << " / " << divisor;
      else
        ASSERT_EQ(got, want) << x[i] << " / " << divisor;
    }
  }
}

TEST(ConstantBound, KeepsNaN) {
  const char *source = R"(
    func.func @f(%x: memref<?xf32>, %r: memref<?xf32>) {
      amp.kernel ins(%a = %x : memref<?xf32>) outs(%r : memref<?xf32>)
                 args(tensor<?xf32>) {
        %0 = arith.constant dense<0.0> : tensor<1xf32>
        %6 = arith.constant dense<6.0> : tensor<1xf32>
        %n = arith.constant 0 : index
        %d = tensor.dim %a, %n : tensor<?xf32>
        %zero = amp.broadcast %0 to [%d] : tensor<1xf32> to tensor<?xf32>
        %six = amp.broadcast %6 to [%d] : tensor<1xf32> to tensor<?xf32>
        %low = arith.maximumf %a, %zero : tensor<?xf32>
        %high = arith.minimumf %six, %low : tensor<?xf32>
        amp.yield %high : tensor<?xf32>
      }
      return
    })";
  Jit jit(source, ampc::cpu::CpuTarget());
  ASSERT_TRUE(jit) << jit.diagnostics;
  std::vector<float> x = samples();
  auto in =
      Buffer<float>::make({int64_t(x.size())}, [&](size_t i) { return x[i]; });
  Buffer<float> out({int64_t(x.size())}, -1);
  jit.run("f", in, out);
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]))
      ASSERT_TRUE(std::isnan(out.data[i]));
    else
      ASSERT_EQ(out.data[i], std::min(std::max(x[i], 0.0f), 6.0f)) << x[i];
  }
}

} // namespace
