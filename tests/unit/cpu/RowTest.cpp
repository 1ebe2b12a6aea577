//===- RowTest.cpp - Reductions, norms, pooling, sorting, scattering ------===//

#include "Jit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace ampc::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

float noise(size_t i) {
  uint32_t x = uint32_t(i) * 2654435761u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return float(int(x % 20001) - 10000) / 7919.0f;
}

/// The one order of sums: 16 lanes, then a tree.
template <typename Get> float laneSum(int64_t n, Get get) {
  float lanes[16] = {};
  for (int64_t i = 0; i < n; ++i)
    lanes[i % 16] += get(i);
  for (int half = 8; half; half /= 2)
    for (int lane = 0; lane < half; ++lane)
      lanes[lane] += lanes[lane + half];
  return lanes[0];
}

std::string tensorType(const char *kind, const std::vector<int64_t> &sizes,
                       bool dynamic, const char *element = "f32") {
  std::string text = std::string(kind) + "<";
  for (int64_t size : sizes)
    text += (dynamic ? std::string("?") : std::to_string(size)) + "x";
  return text + element + ">";
}

/// A function f(source, result) around a kernel with `body`, which computes %r
/// from %x.
std::string kernelOf(const std::vector<int64_t> &in,
                     const std::vector<int64_t> &out, bool dynamic,
                     const std::string &body, const char *outElement = "f32",
                     const char *inElement = "f32") {
  std::string X = tensorType("memref", in, dynamic, inElement),
              Y = tensorType("memref", out, dynamic, outElement);
  return "func.func @f(%p: " + X + ", %q: " + Y +
         ") {\n amp.kernel ins(%x = %p : " + X + ") outs(%q : " + Y +
         ") args(" + tensorType("tensor", in, dynamic, inElement) + ") {\n" +
         body +
         "\n amp.yield %r : " + tensorType("tensor", out, dynamic, outElement) +
         "\n }\n return\n}";
}

class Rows : public testing::TestWithParam<ampc::cpu::CpuTarget> {};

INSTANTIATE_TEST_SUITE_P(Targets, Rows, testing::ValuesIn(allTargets()),
                         [](const auto &info) {
                           return "Bytes" +
                                  std::to_string(info.param.vectorBytes);
                         });

/// Calls visit(kept row-major index, offsets of the row's elements in order).
template <typename Visit>
void forEachRow(const std::vector<int64_t> &shape,
                const std::vector<int64_t> &axes, Visit visit) {
  auto strides = Buffer<float>::rowMajor(shape);
  std::vector<int64_t> keptSizes, keptStrides, sizes, rowStrides;
  for (size_t d = 0; d < shape.size(); ++d) {
    bool reduced = std::count(axes.begin(), axes.end(), int64_t(d));
    (reduced ? sizes : keptSizes).push_back(shape[d]);
    (reduced ? rowStrides : keptStrides).push_back(strides[d]);
  }
  auto offset = [](int64_t i, const std::vector<int64_t> &sizes,
                   const std::vector<int64_t> &strides) {
    int64_t result = 0;
    for (size_t d = sizes.size(); d-- > 0; i /= sizes[d])
      result += i % sizes[d] * strides[d];
    return result;
  };
  for (int64_t k = 0; k < Buffer<float>::count(keptSizes); ++k) {
    std::vector<int64_t> row;
    for (int64_t i = 0; i < Buffer<float>::count(sizes); ++i)
      row.push_back(offset(k, keptSizes, keptStrides) +
                    offset(i, sizes, rowStrides));
    visit(k, row);
  }
}

struct Reduction {
  std::vector<int64_t> shape, axes;
};

const Reduction kReductions[] = {{{1}, {0}},
                                 {{7}, {0}},
                                 {{33}, {0}},
                                 {{64}, {0}},
                                 {{0}, {0}},
                                 {{5, 0}, {1}},
                                 {{5, 37}, {1}},
                                 {{5, 37}, {0}},
                                 {{40, 3}, {0}},
                                 {{2, 3, 4}, {1}},
                                 {{3, 5, 7, 2}, {2, 3}},
                                 {{3, 5, 7, 2}, {0, 2}},
                                 {{3, 4, 9}, {0, 2}},
                                 {{2, 19, 21}, {0, 1, 2}},
                                 {{4, 6}, {}},
                                 {{3, 4, 1, 1}, {1}},
                                 {{200, 5}, {1}}};

std::string list(const std::vector<int64_t> &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

std::vector<int64_t> kept(const Reduction &r) {
  std::vector<int64_t> result;
  for (size_t d = 0; d < r.shape.size(); ++d)
    if (!std::count(r.axes.begin(), r.axes.end(), int64_t(d)))
      result.push_back(r.shape[d]);
  return result;
}

TEST_P(Rows, SumsAreBitEqual) {
  for (const Reduction &r : kReductions)
    for (bool dynamic : {false, true}) {
      std::string X = tensorType("tensor", r.shape, dynamic),
                  Y = tensorType("tensor", kept(r), dynamic);
      Jit jit(kernelOf(r.shape, kept(r), dynamic,
                       "%d = arith.addf %x, %x : " + X +
                           "\n%s = amp.reduce sum %d [" + list(r.axes) +
                           "] : " + X + " to " + Y +
                           "\n%r = arith.negf %s : " + Y),
              GetParam());
      ASSERT_TRUE(jit) << jit.diagnostics;
      auto x = Buffer<float>::make(r.shape, noise);
      Buffer<float> y(kept(r), -99);
      jit.run("f", x, y);
      forEachRow(r.shape, r.axes, [&](int64_t k, std::vector<int64_t> row) {
        float sum = laneSum(row.size(), [&](int64_t i) {
          return x.data[row[i]] + x.data[row[i]];
        });
        ASSERT_EQ(y.data[k], -sum)
            << "shape " << list(r.shape) << " axes " << list(r.axes);
      });
    }
}

TEST_P(Rows, MaximaPropagateNaN) {
  for (const Reduction &r : kReductions) {
    std::string X = tensorType("tensor", r.shape, true),
                Y = tensorType("tensor", kept(r), true);
    Jit jit(kernelOf(r.shape, kept(r), true,
                     "%r = amp.reduce max %x [" + list(r.axes) + "] : " + X +
                         " to " + Y),
            GetParam());
    ASSERT_TRUE(jit) << jit.diagnostics;
    auto x = Buffer<float>::make(r.shape, noise);
    if (x.data.size() > 3)
      x.data[3] = std::nanf("");
    Buffer<float> y(kept(r), -99);
    jit.run("f", x, y);
    forEachRow(r.shape, r.axes, [&](int64_t k, std::vector<int64_t> row) {
      float max = -kInf;
      bool nan = false;
      for (int64_t i : row) {
        nan |= std::isnan(x.data[i]);
        max = std::max(max, x.data[i]);
      }
      if (nan)
        ASSERT_TRUE(std::isnan(y.data[k]));
      else
        ASSERT_EQ(y.data[k], max);
    });
  }
}

TEST_P(Rows, IntegersAndBooleans) {
  Jit ints(
      kernelOf({5, 37}, {5}, true,
               "%r = amp.reduce min %x [1] : tensor<?x?xi8> to tensor<?xi8>",
               "i8", "i8"),
      GetParam());
  ASSERT_TRUE(ints) << ints.diagnostics;
  auto x =
      Buffer<int8_t>::make({5, 37}, [](size_t i) { return int8_t(i * 73); });
  Buffer<int8_t> y({5});
  ints.run("f", x, y);
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(y.data[i],
              *std::min_element(&x.data[i * 37], &x.data[i * 37] + 37));

  Jit any("func.func @f(%p: memref<?x?xi8>, %q: memref<?xi8>) {\n"
          "amp.kernel ins(%x = %p : memref<?x?xi8>) outs(%q : memref<?xi8>) "
          "args(tensor<?x?xi1>) {\n"
          "%r = amp.reduce max %x [0] : tensor<?x?xi1> to tensor<?xi1>\n"
          "amp.yield %r : tensor<?xi1>\n}\nreturn\n}",
          GetParam());
  ASSERT_TRUE(any) << any.diagnostics;
  auto b = Buffer<int8_t>::make({4, 35}, [](size_t i) { return i % 11 == 3; });
  Buffer<int8_t> z({35});
  any.run("f", b, z);
  for (int i = 0; i < 35; ++i)
    ASSERT_EQ(z.data[i],
              b.data[i] | b.data[35 + i] | b.data[70 + i] | b.data[105 + i]);
}

TEST_P(Rows, ArgumentsOfMaxima) {
  for (bool last : {false, true})
    for (int axis : {0, 1}) {
      std::vector<int64_t> out{axis ? 9 : 40};
      Jit jit(kernelOf({9, 40}, out, true,
                       "%r = amp.arg_reduce max %x " + std::to_string(axis) +
                           (last ? " {last}" : "") +
                           " : tensor<?x?xf32> to tensor<?xi64>",
                       "i64"),
              GetParam());
      ASSERT_TRUE(jit) << jit.diagnostics;
      auto x = Buffer<float>::make(
          {9, 40}, [](size_t i) { return std::round(noise(i)); });
      x.data[5] = x.data[5 * 40] = std::nanf("");
      Buffer<int64_t> y(out, -1);
      jit.run("f", x, y);
      forEachRow(x.shape, {axis}, [&](int64_t k, std::vector<int64_t> row) {
        int64_t best = 0;
        auto wins = [&](float a, float b) {
          if (std::isnan(a) || std::isnan(b))
            return std::isnan(a) && (last || !std::isnan(b));
          return last ? a >= b : a > b;
        };
        for (size_t i = 1; i < row.size(); ++i)
          if (wins(x.data[row[i]], x.data[row[best]]))
            best = i;
        ASSERT_EQ(y.data[k], best) << "row " << k << " axis " << axis;
      });
    }
}

TEST_P(Rows, Scans) {
  for (int axis : {0, 1, 2})
    for (bool exclusive : {false, true})
      for (bool reverse : {false, true}) {
        std::string X = "tensor<?x?x?xf32>";
        std::string flags = std::string(" {") + (exclusive ? "exclusive" : "") +
                            (exclusive && reverse ? ", " : "") +
                            (reverse ? "reverse" : "") + "}";
        Jit jit(kernelOf({3, 5, 17}, {3, 5, 17}, true,
                         "%r = amp.scan sum %x " + std::to_string(axis) +
                             (exclusive || reverse ? flags : "") + " : " + X),
                GetParam());
        ASSERT_TRUE(jit) << jit.diagnostics;
        auto x = Buffer<float>::make({3, 5, 17}, noise);
        Buffer<float> y(x.shape, -99);
        jit.run("f", x, y);
        forEachRow(x.shape, {axis}, [&](int64_t, std::vector<int64_t> row) {
          if (reverse)
            std::reverse(row.begin(), row.end());
          float sum = 0;
          for (int64_t i : row) {
            float next = sum + x.data[i];
            ASSERT_EQ(y.data[i], exclusive ? sum : next);
            sum = next;
          }
        });
      }
}

TEST_P(Rows, Softmax) {
  for (int axis : {0, 1, 2})
    for (bool log : {false, true}) {
      Jit jit(kernelOf({3, 20, 33}, {3, 20, 33}, true,
                       "%r = amp.softmax %x " + std::to_string(axis) +
                           (log ? " {log}" : "") + " : tensor<?x?x?xf32>"),
              GetParam());
      ASSERT_TRUE(jit) << jit.diagnostics;
      auto x = Buffer<float>::make({3, 20, 33},
                                   [](size_t i) { return noise(i) * 20; });
      Buffer<float> y(x.shape, -99);
      jit.run("f", x, y);
      forEachRow(x.shape, {axis}, [&](int64_t, std::vector<int64_t> row) {
        double max = -kInf, sum = 0;
        for (int64_t i : row)
          max = std::max<double>(max, x.data[i]);
        for (int64_t i : row)
          sum += std::exp(x.data[i] - max);
        for (int64_t i : row) {
          double exact = log ? x.data[i] - max - std::log(sum)
                             : std::exp(x.data[i] - max) / sum;
          ASSERT_NEAR(y.data[i], exact, 1e-6 * std::max(1.0, std::fabs(exact)));
        }
      });
    }
}

/// All targets give the same bits, with a result that cannot hold exponentials.
TEST(RowBits, SoftmaxIsTheSameForAllTargets) {
  for (const char *axis : {"0", "1"}) {
    std::vector<std::vector<uint16_t>> all;
    std::vector<std::vector<float>> wide;
    for (const ampc::cpu::CpuTarget &target : allTargets()) {
      Jit half(kernelOf({19, 45}, {19, 45}, true,
                        std::string("%s = amp.softmax %x ") + axis +
                            " : tensor<?x?xf32>\n%r = amp.cast %s ampc : "
                            "tensor<?x?xf32> to tensor<?x?xf16>",
                        "f16"),
               target);
      Jit full(kernelOf({19, 45}, {19, 45}, false,
                        std::string("%r = amp.softmax %x ") + axis +
                            " : tensor<19x45xf32>"),
               target);
      ASSERT_TRUE(half && full) << half.diagnostics << full.diagnostics;
      auto x = Buffer<float>::make({19, 45}, noise);
      Buffer<uint16_t> y({19, 45});
      Buffer<float> z({19, 45});
      half.run("f", x, y);
      full.run("f", x, z);
      all.push_back(y.data);
      wide.push_back(z.data);
    }
    for (size_t i = 1; i < all.size(); ++i) {
      ASSERT_EQ(all[0], all[i]);
      ASSERT_EQ(wide[0], wide[i]);
    }
  }
}

TEST_P(Rows, LayerNorms) {
  for (bool rms : {false, true})
    for (int axis : {1, 2}) {
      std::string S = axis == 1 ? "tensor<7x33xf32>" : "tensor<33xf32>";
      std::string M = axis == 1 ? "memref<7x33xf32>" : "memref<33xf32>";
      std::string X = "tensor<?x7x33xf32>", XM = "memref<?x7x33xf32>";
      Jit jit("func.func @f(%p: " + XM + ", %g: " + M + ", %o: " + M +
                  ", %q: " + XM +
                  ") {\n amp.kernel ins(%x = %p, %s = %g, %b = %o : " + XM +
                  ", " + M + ", " + M + ") outs(%q : " + XM + ") args(" + X +
                  ", " + S + ", " + S + ") {\n %r = amp.layer_norm " +
                  (rms ? "rms" : "layer") + " %x scale %s bias %b {axis = " +
                  std::to_string(axis) + " : i64, epsilon = 1.0e-5 : f32} : (" +
                  X + ", " + S + ", " + S + ") -> " + X +
                  "\n amp.yield %r : " + X + "\n}\n return\n}",
              GetParam());
      ASSERT_TRUE(jit) << jit.diagnostics;
      std::vector<int64_t> inner =
          axis == 1 ? std::vector<int64_t>{7, 33} : std::vector<int64_t>{33};
      std::vector<int64_t> axes =
          axis == 1 ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{2};
      auto x = Buffer<float>::make({4, 7, 33}, noise);
      auto s =
          Buffer<float>::make(inner, [](size_t i) { return noise(i + 3); });
      auto o =
          Buffer<float>::make(inner, [](size_t i) { return noise(i + 9); });
      Buffer<float> y(x.shape, -99);
      jit.run("f", x, s, o, y);
      forEachRow(x.shape, axes, [&](int64_t, std::vector<int64_t> row) {
        float n = row.size();
        float mean = rms ? 0 : laneSum(row.size(), [&](int64_t i) {
                                 return x.data[row[i]];
                               }) / n;
        float var = laneSum(row.size(),
                            [&](int64_t i) {
                              float d = x.data[row[i]] - mean;
                              return d * d;
                            }) /
                    n;
        float deviation = std::sqrt(var + 1.0e-5f);
        for (size_t i = 0; i < row.size(); ++i) {
          float product = (x.data[row[i]] - mean) / deviation * s.data[i];
          volatile float rounded = product; // No fusing here.
          ASSERT_EQ(y.data[row[i]], rounded + o.data[i]);
        }
      });
    }
}

struct Window {
  const char *kind;
  int64_t h, w, k, stride, dilation, pad;
  bool ceil, includePad;
};

TEST_P(Rows, Pooling) {
  const Window windows[] = {{"max", 9, 40, 3, 1, 1, 1, false, false},
                            {"max", 12, 37, 2, 2, 1, 0, false, false},
                            {"max", 13, 41, 3, 2, 1, 1, true, false},
                            {"sum", 10, 50, 3, 3, 2, 2, false, false},
                            {"average", 7, 33, 3, 2, 1, 1, false, false},
                            {"average", 8, 70, 3, 1, 1, 1, false, true},
                            {"average", 8, 21, 3, 2, 1, 1, true, true},
                            {"average", 5, 5, 5, 1, 1, 0, false, false}};
  for (const Window &p : windows)
    for (auto [dynamic, last] : {std::pair(false, false),
                                 {true, false},
                                 {false, true},
                                 {true, true}}) {
      const int64_t channels = last ? 21 : 3;
      auto size = [&](int64_t in) {
        int64_t span = in + 2 * p.pad - p.dilation * (p.k - 1) - 1;
        int64_t n =
            (p.ceil ? (span + p.stride - 1) / p.stride : span / p.stride) + 1;
        return p.ceil && (n - 1) * p.stride >= in + p.pad ? n - 1 : n;
      };
      int64_t oh = size(p.h), ow = size(p.w);
      auto pair = [](int64_t x) {
        return std::to_string(x) + ", " + std::to_string(x);
      };
      std::string pads = pair(p.pad);
      std::vector<int64_t> in{2, channels, p.h, p.w}, out{2, channels, oh, ow};
      if (last) {
        in = {2, p.h, p.w, channels};
        out = {2, oh, ow, channels};
      }
      auto offset = [&, last = last](int64_t c, int64_t i, int64_t j, int64_t h,
                                     int64_t w) {
        return last ? ((c / channels * h + i) * w + j) * channels + c % channels
                    : (c * h + i) * w + j;
      };
      Jit jit(kernelOf(in, out, dynamic,
                       std::string("%r = amp.pool ") + p.kind +
                           " %x {kernel = array<i64: " + pair(p.k) +
                           ">, strides = array<i64: " + pair(p.stride) +
                           ">, dilations = array<i64: " + pair(p.dilation) +
                           ">, pads = array<i64: " + pads + ", " + pads + ">" +
                           (p.ceil ? ", ceil_mode" : "") +
                           (last ? ", channels_last" : "") +
                           (p.includePad ? ", count_include_pad" : "") +
                           "} : " + tensorType("tensor", in, dynamic) + " to " +
                           tensorType("tensor", out, dynamic)),
              GetParam());
      ASSERT_TRUE(jit) << jit.diagnostics;
      auto x = Buffer<float>::make(in, noise);
      Buffer<float> y(out, -99);
      jit.run("f", x, y);
      for (int64_t c = 0; c < 2 * channels; ++c)
        for (int64_t i = 0; i < oh; ++i)
          for (int64_t j = 0; j < ow; ++j) {
            float max = -kInf, sum = 0;
            int64_t count = 0;
            for (int64_t u = 0; u < p.k; ++u)
              for (int64_t v = 0; v < p.k; ++v) {
                int64_t a = i * p.stride - p.pad + u * p.dilation,
                        b = j * p.stride - p.pad + v * p.dilation;
                count += p.includePad && a < p.h + p.pad && b < p.w + p.pad;
                if (a < 0 || b < 0 || a >= p.h || b >= p.w)
                  continue;
                count += !p.includePad;
                float element = x.data[offset(c, a, b, p.h, p.w)];
                max = std::max(max, element);
                sum += element;
              }
            float expected = *p.kind == 'm'   ? max
                             : *p.kind == 's' ? sum
                                              : sum / count;
            ASSERT_EQ(y.data[offset(c, i, j, oh, ow)], expected)
                << "window " << &p - windows << " at " << i << ", " << j
                << (last ? " channels last" : "");
          }
    }
}

TEST_P(Rows, PoolingArguments) {
  Jit jit(kernelOf({2, 2, 7, 9}, {2, 2, 3, 4}, true,
                   "%r = amp.pool_arg %x {kernel = array<i64: 3, 3>, strides = "
                   "array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = "
                   "array<i64: 0, 0, 0, 0>} : tensor<?x?x?x?xf32> to "
                   "tensor<?x?x?x?xi64>",
                   "i64"),
          GetParam());
  ASSERT_TRUE(jit) << jit.diagnostics;
  auto x = Buffer<float>::make({2, 2, 7, 9},
                               [](size_t i) { return std::round(noise(i)); });
  Buffer<int64_t> y({2, 2, 3, 4});
  jit.run("f", x, y);
  for (int64_t c = 0; c < 4; ++c)
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 4; ++j) {
        int64_t best = -1;
        for (int64_t u = 0; u < 3; ++u)
          for (int64_t v = 0; v < 3; ++v) {
            int64_t at = (c * 7 + i * 2 + u) * 9 + j * 2 + v;
            if (best < 0 || x.data[at] > x.data[best])
              best = at;
          }
        ASSERT_EQ(y.data[(c * 3 + i) * 4 + j], best);
      }
}

TEST_P(Rows, TopK) {
  for (int64_t k : {0, 1, 5, 40})
    for (bool largest : {false, true}) {
      std::string V = "tensor<3x" + std::to_string(k) + "xf32>",
                  I = "tensor<3x" + std::to_string(k) + "xi64>";
      std::string VM = "memref" + V.substr(6), IM = "memref" + I.substr(6);
      Jit jit("func.func @f(%p: memref<3x40xf32>, %v: " + VM + ", %i: " + IM +
                  ") {\n amp.kernel ins(%x = %p : memref<3x40xf32>) outs(%v, "
                  "%i : " +
                  VM + ", " + IM +
                  ") args(tensor<3x40xf32>) {\n %a, %b = amp.top_k %x 1 to []" +
                  (largest ? " {largest}" : "") + " : tensor<3x40xf32> to " +
                  V + ", " + I + "\n amp.yield %a, %b : " + V + ", " + I +
                  "\n }\n return\n}",
              GetParam());
      ASSERT_TRUE(jit) << jit.diagnostics;
      auto x = Buffer<float>::make(
          {3, 40}, [](size_t i) { return std::round(noise(i) * 4); });
      Buffer<float> v({3, k}, -99);
      Buffer<int64_t> order({3, k}, -1);
      jit.run("f", x, v, order);
      for (int row = 0; row < 3; ++row) {
        std::vector<int64_t> sorted(40);
        std::iota(sorted.begin(), sorted.end(), 0);
        std::stable_sort(
            sorted.begin(), sorted.end(), [&](int64_t a, int64_t b) {
              return largest ? x.data[row * 40 + a] > x.data[row * 40 + b]
                             : x.data[row * 40 + a] < x.data[row * 40 + b];
            });
        for (int64_t i = 0; i < k; ++i) {
          ASSERT_EQ(order.data[row * k + i], sorted[i]);
          ASSERT_EQ(v.data[row * k + i], x.data[row * 40 + sorted[i]]);
        }
      }
    }
}

TEST_P(Rows, Scatter) {
  Jit jit(R"(
    func.func @f(%x: memref<?x?xf32>, %i: memref<?x?xi64>, %u: memref<?x?xf32>,
                 %j: memref<?x1xi64>, %w: memref<?x?xf32>,
                 %r: memref<?x?xf32>, %s: memref<?x?xf32>) {
      amp.kernel ins(%a = %x, %b = %i, %c = %u : memref<?x?xf32>, memref<?x?xi64>, memref<?x?xf32>)
                 outs(%r : memref<?x?xf32>) args(tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>) {
        %y = amp.scatter_elements 0 add %a[%b] = %c
           : tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32> -> tensor<?x?xf32>
        amp.yield %y : tensor<?x?xf32>
      }
      amp.kernel ins(%a = %x, %b = %j, %c = %w : memref<?x?xf32>, memref<?x1xi64>, memref<?x?xf32>)
                 outs(%s : memref<?x?xf32>) args(tensor<?x?xf32>, tensor<?x1xi64>, tensor<?x?xf32>) {
        %y = amp.scatter_nd replace %a[%b] = %c
           : tensor<?x?xf32>, tensor<?x1xi64>, tensor<?x?xf32> -> tensor<?x?xf32>
        amp.yield %y : tensor<?x?xf32>
      }
      return
    })",
          GetParam());
  ASSERT_TRUE(jit) << jit.diagnostics;
  auto x = Buffer<float>::make({4, 3}, noise);
  auto i = Buffer<int64_t>::make(
      {2, 3}, [](size_t i) { return int64_t(i % 2) * -3 + 2; });
  auto u = Buffer<float>::make({2, 3}, [](size_t i) { return float(i + 1); });
  Buffer<int64_t> j({2, 1});
  j.data = {3, -4};
  auto w = Buffer<float>::make({2, 3}, [](size_t i) { return float(i + 10); });
  Buffer<float> r({4, 3}), s({4, 3});
  jit.run("f", x, i, u, j, w, r, s);
  auto expected = x.data;
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 3; ++column) {
      int64_t at = i.data[row * 3 + column];
      expected[(at < 0 ? at + 4 : at) * 3 + column] += u.data[row * 3 + column];
    }
  ASSERT_EQ(r.data, expected);
  expected = x.data;
  std::copy(w.data.begin(), w.data.begin() + 3, expected.begin() + 9);
  std::copy(w.data.begin() + 3, w.data.end(), expected.begin());
  ASSERT_EQ(s.data, expected);
}

} // namespace
