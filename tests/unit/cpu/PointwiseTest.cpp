//===- PointwiseTest.cpp - Kernels without a root -------------------------===//

#include "Jit.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

using namespace ampc::test;

namespace {

class Pointwise : public testing::TestWithParam<ampc::cpu::CpuTarget> {
protected:
  Jit compile(const std::string &source) {
    Jit jit(source, GetParam());
    EXPECT_TRUE(jit) << jit.diagnostics;
    return jit;
  }
};

INSTANTIATE_TEST_SUITE_P(Targets, Pointwise, testing::ValuesIn(allTargets()),
                         [](const auto &info) {
                           return "Bytes" +
                                  std::to_string(info.param.vectorBytes);
                         });

float wave(size_t i) { return float(int(i * 7 % 31) - 15) * 0.25f; }

TEST_P(Pointwise, ChainOverAnyLength) {
  Jit jit = compile(R"(
    func.func @f(%x: memref<?xf32>, %y: memref<?xf32>, %r: memref<?xf32>) {
      amp.kernel ins(%a = %x, %b = %y : memref<?xf32>, memref<?xf32>)
                 outs(%r : memref<?xf32>) args(tensor<?xf32>, tensor<?xf32>) {
        %s = arith.addf %a, %b : tensor<?xf32>
        %m = arith.mulf %s, %a : tensor<?xf32>
        amp.yield %m : tensor<?xf32>
      }
      return
    })");
  for (int64_t n : {0, 1, 2, 7, 8, 33, 2047, 2048, 10001}) {
    auto x = Buffer<float>::make({n}, wave);
    auto y = Buffer<float>::make({n}, [](size_t i) { return float(i); });
    Buffer<float> r({n}, -1);
    jit.run("f", x, y, r);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(r.data[i], (x.data[i] + y.data[i]) * x.data[i]) << i;
  }
}

/// [n, c, 1, 1] against [n, c, h, w]: the image's dimensions merge.
TEST_P(Pointwise, BroadcastOverImages) {
  Jit jit = compile(R"(
    func.func @f(%x: memref<?x3x?x?xf32>, %y: memref<?x3x1x1xf32>,
                 %r: memref<?x3x?x?xf32>) {
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?x3x?x?xf32>
      %h = memref.dim %x, %c2 : memref<?x3x?x?xf32>
      %w = memref.dim %x, %c3 : memref<?x3x?x?xf32>
      amp.kernel ins(%a = %x, %b = %y, %dn = %n, %dh = %h, %dw = %w
                     : memref<?x3x?x?xf32>, memref<?x3x1x1xf32>, index, index, index)
                 outs(%r : memref<?x3x?x?xf32>)
                 args(tensor<?x3x?x?xf32>, tensor<?x3x1x1xf32>, index, index, index) {
        %bb = amp.broadcast %b to [%dn, %dh, %dw] : tensor<?x3x1x1xf32> to tensor<?x3x?x?xf32>
        %m = arith.mulf %a, %bb : tensor<?x3x?x?xf32>
        amp.yield %m : tensor<?x3x?x?xf32>
      }
      return
    })");
  for (auto [n, h, w] :
       {std::tuple(1, 1, 1), {2, 5, 7}, {0, 4, 4}, {3, 16, 9}}) {
    auto x = Buffer<float>::make({n, 3, h, w}, wave);
    auto y =
        Buffer<float>::make({n, 3, 1, 1}, [](size_t i) { return i + 1.f; });
    Buffer<float> r(x.shape, -1);
    jit.run("f", x, y, r);
    for (size_t i = 0; i < x.data.size(); ++i)
      ASSERT_EQ(r.data[i], x.data[i] * y.data[i / (h * w)]);
  }
}

/// Results whose innermost size is 1 still have lanes once they are merged;
/// what is one element for all of them is not read beyond it.
TEST_P(Pointwise, BroadcastToUnitInnermost) {
  Jit jit = compile(R"(
    func.func @f(%x: memref<2x9x1x1xf32>, %y: memref<1x1xf32>, %z: memref<f32>,
                 %w: memref<9x1x1xf32>, %r: memref<2x9x1x1xf32>) {
      amp.kernel ins(%a = %x, %b = %y, %c = %z, %d = %w
                     : memref<2x9x1x1xf32>, memref<1x1xf32>, memref<f32>, memref<9x1x1xf32>)
                 outs(%r : memref<2x9x1x1xf32>)
                 args(tensor<2x9x1x1xf32>, tensor<1x1xf32>, tensor<f32>, tensor<9x1x1xf32>) {
        %bb = amp.broadcast %b to [] : tensor<1x1xf32> to tensor<2x9x1x1xf32>
        %cc = amp.broadcast %c to [] : tensor<f32> to tensor<2x9x1x1xf32>
        %dd = amp.broadcast %d to [] : tensor<9x1x1xf32> to tensor<2x9x1x1xf32>
        %s = arith.mulf %a, %bb : tensor<2x9x1x1xf32>
        %t = arith.addf %s, %cc : tensor<2x9x1x1xf32>
        %u = arith.subf %t, %dd : tensor<2x9x1x1xf32>
        amp.yield %u : tensor<2x9x1x1xf32>
      }
      return
    })");
  auto x = Buffer<float>::make({2, 9, 1, 1}, wave),
       w = Buffer<float>::make({9, 1, 1}, wave);
  Buffer<float> y({1, 1}, 3), z({}, 5), r(x.shape);
  jit.run("f", x, y, z, w, r);
  for (int i = 0; i < 18; ++i)
    ASSERT_EQ(r.data[i], x.data[i] * 3 + 5 - w.data[i % 9]);
}

TEST_P(Pointwise, RowAndColumnBroadcast) {
  Jit jit = compile(R"(
    func.func @f(%x: memref<5xf32>, %y: memref<4x1xf32>, %r: memref<4x5xf32>) {
      amp.kernel ins(%a = %x, %b = %y : memref<5xf32>, memref<4x1xf32>)
                 outs(%r : memref<4x5xf32>) args(tensor<5xf32>, tensor<4x1xf32>) {
        %aa = amp.broadcast %a to [] : tensor<5xf32> to tensor<4x5xf32>
        %bb = amp.broadcast %b to [] : tensor<4x1xf32> to tensor<4x5xf32>
        %s = arith.subf %aa, %bb : tensor<4x5xf32>
        amp.yield %s : tensor<4x5xf32>
      }
      return
    })");
  auto x = Buffer<float>::make({5}, wave),
       y = Buffer<float>::make({4, 1}, wave);
  Buffer<float> r({4, 5});
  jit.run("f", x, y, r);
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(r.data[i], x.data[i % 5] - y.data[i / 5]);
}

/// Two results in one loop, of booleans (bytes in memory) and floats.
TEST_P(Pointwise, BooleansAreBytes) {
  Jit jit = compile(R"(
    func.func @f(%x: memref<?xf32>, %m: memref<?xi8>, %r: memref<?xi8>, %s: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %dim = memref.dim %x, %c0 : memref<?xf32>
      amp.kernel ins(%a = %x, %b = %m, %n = %dim : memref<?xf32>, memref<?xi8>, index)
                 outs(%r, %s : memref<?xi8>, memref<?xf32>)
                 args(tensor<?xf32>, tensor<?xi1>, index) {
        %z = arith.constant 0.0 : f32
        %zero = amp.splat %z to [%n] : f32 to tensor<?xf32>
        %p = arith.cmpf ogt, %a, %zero : tensor<?xf32>
        %q = arith.andi %p, %b : tensor<?xi1>
        %t = arith.select %q, %a, %zero : tensor<?xi1>, tensor<?xf32>
        amp.yield %q, %t : tensor<?xi1>, tensor<?xf32>
      }
      return
    })");
  for (int64_t n : {0, 1, 17, 100}) {
    auto x = Buffer<float>::make({n}, wave);
    auto m = Buffer<int8_t>::make({n}, [](size_t i) { return i % 3 != 0; });
    Buffer<int8_t> r({n}, 7);
    Buffer<float> s({n}, -1);
    jit.run("f", x, m, r, s);
    for (int64_t i = 0; i < n; ++i) {
      bool both = x.data[i] > 0 && m.data[i];
      ASSERT_EQ(r.data[i], int8_t(both)) << i;
      ASSERT_EQ(s.data[i], both ? x.data[i] : 0) << i;
    }
  }
}

/// A kernel whose outputs differ in shape has a loop nest for each.
TEST_P(Pointwise, TwoShapes) {
  Jit jit = compile(R"(
    func.func @f(%x: memref<?xf32>, %y: memref<3x4xf32>, %r: memref<?xf32>, %s: memref<3x4xf32>) {
      amp.kernel ins(%a = %x, %b = %y : memref<?xf32>, memref<3x4xf32>)
                 outs(%r, %s : memref<?xf32>, memref<3x4xf32>)
                 args(tensor<?xf32>, tensor<3x4xf32>) {
        %p = arith.negf %a : tensor<?xf32>
        %q = arith.addf %b, %b : tensor<3x4xf32>
        amp.yield %p, %q : tensor<?xf32>, tensor<3x4xf32>
      }
      return
    })");
  auto x = Buffer<float>::make({19}, wave),
       y = Buffer<float>::make({3, 4}, wave);
  Buffer<float> r({19}), s({3, 4});
  jit.run("f", x, y, r, s);
  for (int i = 0; i < 19; ++i)
    ASSERT_EQ(r.data[i], -x.data[i]);
  for (int i = 0; i < 12; ++i)
    ASSERT_EQ(s.data[i], y.data[i] * 2);
}

/// Views with any strides, in and out: a slice of columns, every second row.
TEST_P(Pointwise, StridedViews) {
  Jit jit = compile(R"(
    func.func @f(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>,
                 %r: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
      amp.kernel ins(%a = %x : memref<?x?xf32, strided<[?, ?], offset: ?>>)
                 outs(%r : memref<?x?xf32, strided<[?, 1], offset: ?>>)
                 args(tensor<?x?xf32>) {
        %p = arith.addf %a, %a : tensor<?x?xf32>
        amp.yield %p : tensor<?x?xf32>
      }
      return
    })");
  auto x = Buffer<float>::make({20, 50}, wave);
  x.shape = {9, 21};
  x.strides = {100, 2};
  x.offset = 55;
  Buffer<float> r({9, 40}, -1);
  r.shape = {9, 21};
  r.offset = 13;
  jit.run("f", x, r);
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 40; ++j) {
      bool inside = j >= 13 && j < 34;
      ASSERT_EQ(r.data[i * 40 + j],
                inside ? 2 * x.data[55 + i * 100 + (j - 13) * 2] : -1);
    }
}

/// Dimensions of size 1 between others do not make those adjacent.
TEST_P(Pointwise, UnitDimensionsBetween) {
  Jit jit = compile(R"(
    func.func @f(%x: memref<?x1x21xf32>, %y: memref<1x1x21xf32>,
                 %r: memref<?x1x21xf32, strided<[30, 30, 1], offset: 4>>,
                 %s: memref<3x1x21xf32>) {
      amp.kernel ins(%a = %x : memref<?x1x21xf32>)
                 outs(%r : memref<?x1x21xf32, strided<[30, 30, 1], offset: 4>>)
                 args(tensor<?x1x21xf32>) {
        amp.yield %a : tensor<?x1x21xf32>
      }
      amp.kernel ins(%b = %y : memref<1x1x21xf32>) outs(%s : memref<3x1x21xf32>)
                 args(tensor<1x1x21xf32>) {
        %bb = amp.broadcast %b to [] : tensor<1x1x21xf32> to tensor<3x1x21xf32>
        amp.yield %bb : tensor<3x1x21xf32>
      }
      return
    })");
  auto x = Buffer<float>::make({3, 1, 21}, wave),
       y = Buffer<float>::make({1, 1, 21}, wave);
  Buffer<float> r({3, 30}, -1), s({3, 1, 21});
  r.shape = {3, 1, 21};
  r.strides = {30, 30, 1};
  r.offset = 4;
  jit.run("f", x, y, r, s);
  for (int i = 0; i < 90; ++i) {
    bool inside = i % 30 >= 4 && i % 30 < 25;
    ASSERT_EQ(r.data[i], inside ? x.data[i / 30 * 21 + i % 30 - 4] : -1) << i;
  }
  for (int i = 0; i < 63; ++i)
    ASSERT_EQ(s.data[i], y.data[i % 21]) << i;
}

TEST_P(Pointwise, TransposeThenAdd) {
  Jit jit = compile(R"(
    func.func @f(%x: memref<?x?x3xf32>, %r: memref<3x?x?xf32>) {
      amp.kernel ins(%a = %x : memref<?x?x3xf32>) outs(%r : memref<3x?x?xf32>)
                 args(tensor<?x?x3xf32>) {
        %t = amp.transpose %a [2, 1, 0] : tensor<?x?x3xf32> to tensor<3x?x?xf32>
        %p = arith.addf %t, %t : tensor<3x?x?xf32>
        amp.yield %p : tensor<3x?x?xf32>
      }
      return
    })");
  auto x = Buffer<float>::make({4, 5, 3}, wave);
  Buffer<float> r({3, 5, 4});
  jit.run("f", x, r);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 4; ++k)
        ASSERT_EQ(r.data[(i * 5 + j) * 4 + k], 2 * x.data[(k * 5 + j) * 3 + i]);
}

/// Squares that are turned in registers, what is left beside them, an outer
/// dimension between both, and another operand in the results' order.
template <typename T>
static void checkTurned(const ampc::cpu::CpuTarget &target, const char *type,
                        const char *add) {
  std::string t(type);
  Jit jit("func.func @f(%x: memref<?x?x?x" + t + ">, %y: memref<?x?x?x" + t +
              ">, %r: memref<?x?x?x" + t + ">, %s: memref<?x?x?x" + t +
              ">) {\n amp.kernel ins(%a = %x, %b = %y : memref<?x?x?x" + t +
              ">, memref<?x?x?x" + t + ">) outs(%r, %s : memref<?x?x?x" + t +
              ">, memref<?x?x?x" + t + ">) args(tensor<?x?x?x" + t +
              ">, tensor<?x?x?x" + t +
              ">) {\n %t = amp.transpose %a [2, 0, 1] : tensor<?x?x?x" + t +
              "> to tensor<?x?x?x" + t + ">\n %p = " + add +
              " %t, %b : tensor<?x?x?x" + t +
              ">\n amp.yield %p, %t : tensor<?x?x?x" + t + ">, tensor<?x?x?x" +
              t + ">\n }\n return\n}",
          target);
  ASSERT_TRUE(jit) << jit.diagnostics;
  const std::array<int64_t, 3> shapes[] = {{2, 8, 16},  {1, 3, 5},   {3, 17, 8},
                                           {1, 24, 35}, {2, 300, 9}, {1, 0, 9},
                                           {1, 9, 1}};
  for (auto [i, j, k] : shapes) {
    auto x =
        Buffer<T>::make({i, j, k}, [](size_t n) { return T(n * 7 % 251); });
    auto y = Buffer<T>::make({k, i, j}, [](size_t n) { return T(n % 83); });
    Buffer<T> r({k, i, j}), s({k, i, j});
    jit.run("f", x, y, r, s);
    for (int64_t a = 0; a < k; ++a)
      for (int64_t b = 0; b < i; ++b)
        for (int64_t c = 0; c < j; ++c) {
          size_t at = (a * i + b) * j + c;
          T moved = x.data[(b * j + c) * k + a];
          ASSERT_EQ(s.data[at], moved) << i << "x" << j << "x" << k;
          ASSERT_EQ(r.data[at], T(moved + y.data[at]));
        }
  }
}

TEST_P(Pointwise, TurnsSquares) {
  checkTurned<float>(GetParam(), "f32", "arith.addf");
  checkTurned<double>(GetParam(), "f64", "arith.addf");
  checkTurned<int32_t>(GetParam(), "i32", "arith.addi");
  checkTurned<uint8_t>(GetParam(), "i8", "arith.addi");
}

/// 16-bit arithmetic is f32 arithmetic rounded once an op: 1 + 2^-11 + 2^-11 in
/// f16 loses both addends.
TEST_P(Pointwise, NarrowFloatsRoundOnceAnOp) {
  Jit jit = compile(R"(
    func.func @f(%x: memref<?xf16>, %y: memref<?xf16>, %r: memref<?xf16>) {
      amp.kernel ins(%a = %x, %b = %y : memref<?xf16>, memref<?xf16>)
                 outs(%r : memref<?xf16>) args(tensor<?xf16>, tensor<?xf16>) {
        %s = arith.addf %a, %b : tensor<?xf16>
        %t = arith.addf %s, %b : tensor<?xf16>
        amp.yield %t : tensor<?xf16>
      }
      return
    })");
  Buffer<uint16_t> x({37}, 0x3c00), y({37}, 0x1000), r({37});
  jit.run("f", x, y, r);
  for (uint16_t bits : r.data)
    ASSERT_EQ(bits, 0x3c00);
}

TEST_P(Pointwise, RankZero) {
  Jit jit = compile(R"(
    func.func @f(%x: memref<f32>, %r: memref<f32>) {
      amp.kernel ins(%a = %x : memref<f32>) outs(%r : memref<f32>) args(tensor<f32>) {
        %s = math.exp %a : tensor<f32>
        amp.yield %s : tensor<f32>
      }
      return
    })");
  Buffer<float> x({}, 1), r({});
  jit.run("f", x, r);
  ASSERT_FLOAT_EQ(r.data[0], std::exp(1.f));
}

/// Constants that are no splat get a buffer of their own.
TEST_P(Pointwise, DenseConstant) {
  Jit jit = compile(R"(
    func.func @f(%x: memref<2x3xf32>, %r: memref<2x3xf32>) {
      amp.kernel ins(%a = %x : memref<2x3xf32>) outs(%r : memref<2x3xf32>) args(tensor<2x3xf32>) {
        %c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
        %b = amp.broadcast %c to [] : tensor<3xf32> to tensor<2x3xf32>
        %s = arith.mulf %a, %b : tensor<2x3xf32>
        amp.yield %s : tensor<2x3xf32>
      }
      return
    })");
  auto x = Buffer<float>::make({2, 3}, wave);
  Buffer<float> r({2, 3});
  jit.run("f", x, r);
  for (int i = 0; i < 6; ++i)
    ASSERT_EQ(r.data[i], x.data[i] * (i % 3 + 1));
}

} // namespace
