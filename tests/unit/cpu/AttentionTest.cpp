//===- AttentionTest.cpp - Attention --------------------------------------===//
//
// Against the definition in f64, within the rounding of f32; and the bits are
// the same for all targets, with static and with dynamic sizes, however the
// range is cut.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

using namespace ampc::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

float noise(size_t i) {
  uint32_t x = uint32_t(i) * 2654435761u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return float(int(x % 20001) - 10000) / 7919.0f;
}

struct Case {
  int64_t heads, shared, m, n, d, e;
  std::vector<int64_t> mask = {}; ///< Its shape; empty: none.
  bool causal = false, inner = false;
};
constexpr int64_t kBatch = 2;

using Sizes = std::vector<int64_t>;

Sizes order(const Case &c, int64_t heads, int64_t positions, int64_t size) {
  return c.inner ? Sizes{kBatch, positions, heads, size}
                 : Sizes{kBatch, heads, positions, size};
}

/// Sizes but for the last are dynamic if wanted, and so are those of masks that
/// are not 1.
std::string type(const char *kind, const Sizes &sizes, bool dynamic,
                 bool isMask, const char *element) {
  std::string text = std::string(kind) + "<";
  for (size_t i = 0; i < sizes.size(); ++i) {
    bool fixed = !dynamic || (isMask ? sizes[i] == 1 : i + 1 == sizes.size());
    text += (fixed ? std::to_string(sizes[i]) : std::string("?")) + "x";
  }
  return text + element + ">";
}

std::string source(const Case &c, bool dynamic, const char *element = "f32") {
  struct Operand {
    const char *name;
    Sizes sizes;
    bool isMask = false;
  };
  std::vector<Operand> operands{{"q", order(c, c.heads, c.m, c.d)},
                                {"k", order(c, c.shared, c.n, c.d)},
                                {"v", order(c, c.shared, c.n, c.e)}};
  if (!c.mask.empty())
    operands.push_back({"mask", c.mask, true});
  std::string arguments, ins, buffers, tensors, values;
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto &[name, sizes, isMask] = operands[i];
    std::string comma = i ? ", " : "",
                buffer = type("memref", sizes, dynamic, isMask, element);
    arguments += comma + "%" + name + "_: " + buffer;
    ins += comma + "%" + name + " = %" + name + "_";
    buffers += comma + buffer;
    tensors += comma + type("tensor", sizes, dynamic, isMask, element);
    values += (!i ? "" : isMask ? " mask " : ", ") + ("%" + std::string(name));
  }
  Sizes out = order(c, c.heads, c.m, c.e);
  std::string result = type("memref", out, dynamic, false, element),
              tensor = type("tensor", out, dynamic, false, element);
  std::string flags = std::string(c.causal ? "causal, " : "") +
                      (c.inner ? "heads_inner, " : "");
  return "func.func @f(" + arguments + ", %r: " + result +
         ") {\n amp.kernel ins(" + ins + " : " + buffers +
         ") outs(%r : " + result + ") args(" + tensors +
         ") {\n %y = amp.attention " + values + " {" + flags +
         "scale = 0.75 : f32} : (" + tensors + ") -> " + tensor +
         "\n %z = arith.negf %y : " + tensor + "\n amp.yield %z : " + tensor +
         "\n }\n return\n}";
}

/// The negative of what the op is defined to be.
Buffer<float> expected(const Case &c, const Buffer<float> &q,
                       const Buffer<float> &k, const Buffer<float> &v,
                       const Buffer<float> &mask) {
  Buffer<float> result(order(c, c.heads, c.m, c.e));
  auto at = [&](const Buffer<float> &x, int64_t b, int64_t h, int64_t p,
                int64_t i) {
    return (c.inner ? b * x.strides[0] + p * x.strides[1] + h * x.strides[2]
                    : b * x.strides[0] + h * x.strides[1] + p * x.strides[2]) +
           i;
  };
  for (int64_t b = 0; b < kBatch; ++b)
    for (int64_t h = 0; h < c.heads; ++h)
      for (int64_t i = 0; i < c.m; ++i) {
        int64_t from = h / (c.heads / c.shared);
        std::vector<double> scores;
        double largest = -kInf, sum = 0;
        for (int64_t j = 0; j < c.n; ++j) {
          double score = 0;
          for (int64_t x = 0; x < c.d; ++x)
            score += double(q.data[at(q, b, h, i, x)]) *
                     k.data[at(k, b, from, j, x)];
          score *= 0.75;
          if (!c.mask.empty()) {
            int64_t where[] = {b, h, i, j}, offset = 0;
            for (size_t dim = 0, rank = c.mask.size(); dim < rank; ++dim)
              if (c.mask[dim] != 1)
                offset += where[4 - rank + dim] * mask.strides[dim];
            score += mask.data[offset];
          }
          if (c.causal && j > i)
            score = -kInf;
          scores.push_back(score);
          largest = std::isnan(score) ? score : std::max(largest, score);
        }
        for (double &score : scores)
          sum += score = std::exp(score - largest);
        for (int64_t x = 0; x < c.e; ++x) {
          double value = 0;
          for (int64_t j = 0; j < c.n; ++j)
            value += scores[j] / sum * v.data[at(v, b, from, j, x)];
          result.data[at(result, b, h, i, x)] = float(-value);
        }
      }
  return result;
}

struct Operands {
  Buffer<float> q, k, v, mask;
  explicit Operands(const Case &c)
      : q(Buffer<float>::make(order(c, c.heads, c.m, c.d), noise)),
        k(Buffer<float>::make(order(c, c.shared, c.n, c.d),
                              [](size_t i) { return noise(i + 7777); })),
        v(Buffer<float>::make(order(c, c.shared, c.n, c.e),
                              [](size_t i) { return noise(i + 99999); })),
        mask(Buffer<float>::make(c.mask.empty() ? Sizes{1} : c.mask,
                                 [](size_t i) {
                                   float x = noise(i + 31);
                                   return x > 0.4f ? -kInf : x;
                                 })) {}
};

/// Compiles and runs the case in all ways that there are.
void check(const Case &c, Operands operands) {
  auto &[q, k, v, mask] = operands;
  Buffer<float> wanted = expected(c, q, k, v, mask);
  std::optional<std::vector<float>> first;
  for (const ampc::cpu::CpuTarget &target : allTargets())
    for (bool dynamic : {false, true}) {
      std::string where =
          "heads " + std::to_string(c.heads) + ", " + std::to_string(c.m) +
          " x " + std::to_string(c.n) + " of " + std::to_string(c.d) + ", " +
          std::to_string(c.e) + (dynamic ? ", dynamic, " : ", static, ") +
          std::to_string(target.vectorBytes) + " bytes";
      Jit jit(source(c, dynamic), target, dynamic ? 1 : 3);
      ASSERT_TRUE(jit) << where << jit.diagnostics;
      Buffer<float> result(order(c, c.heads, c.m, c.e), -99);
      if (c.mask.empty())
        jit.run("f", q, k, v, result);
      else
        jit.run("f", q, k, v, mask, result);
      for (size_t i = 0; i < result.data.size(); ++i) {
        float x = result.data[i], y = wanted.data[i];
        ASSERT_TRUE(std::isnan(y) ? std::isnan(x) : std::abs(x - y) < 2e-5f)
            << where << " at " << i << ": " << x << ", not " << y;
      }
      if (!first)
        first = result.data;
      for (size_t i = 0; i < result.data.size(); ++i)
        ASSERT_TRUE(std::isnan(wanted.data[i]) ||
                    !std::memcmp(&(*first)[i], &result.data[i], 4))
            << where << " at " << i << ": other bits";
    }
}

TEST(Attention, Sizes) {
  const Case cases[] = {{1, 1, 1, 1, 1, 1},       {2, 2, 7, 2, 3, 5},
                        {1, 1, 0, 7, 4, 4},       {1, 1, 7, 0, 4, 4},
                        {2, 2, 197, 197, 64, 64}, {1, 1, 2, 197, 64, 64},
                        {1, 1, 130, 64, 17, 33},  {1, 1, 3, 5, 0, 4},
                        {1, 1, 3, 5, 4, 0},       {1, 1, 20, 70, 256, 256},
                        {0, 1, 3, 5, 4, 4}};
  for (const Case &c : cases)
    check(c, Operands(c));
}

TEST(Attention, SharedKeys) {
  check({6, 2, 9, 70, 8, 12}, Operands({6, 2, 9, 70, 8, 12}));
  Case inner{6, 3, 50, 70, 8, 12, {}, false, /*inner=*/true};
  check(inner, Operands(inner));
}

/// Masks with -inf, which leaves some rows without a key to see.
TEST(Attention, Masks) {
  bool inner = false;
  for (const Sizes &mask :
       {Sizes{2, 1, 1, 131}, Sizes{50, 131}, Sizes{2, 3, 50, 131},
        Sizes{1, 3, 1, 131}, Sizes{50, 1}, Sizes{3, 1, 1}}) {
    inner = !inner;
    Case c{3, 3, 50, 131, 8, 6, mask, /*causal=*/false, inner};
    check(c, Operands(c));
  }
}

TEST(Attention, FirstKeysMasked) {
  Case c{1, 1, 20, 200, 8, 8, {200}};
  Operands operands(c);
  for (int64_t j = 0; j < 200; ++j)
    operands.mask.data[j] = j < 140 ? -kInf : 0;
  check(c, operands);
}

TEST(Attention, Causal) {
  for (auto [m, n] : {std::pair(100, 100), {7, 150}, {150, 7}}) {
    Case c{2, 2, m, n, 8, 8, {}, /*causal=*/true};
    check(c, Operands(c));
  }
}

/// Scores that grow along the keys, so that sums are scaled again and again;
/// and some that are not finite.
TEST(Attention, LargeScores) {
  Case c{1, 1, 30, 200, 4, 8};
  Operands operands(c);
  for (int64_t j = 0; j < 200; ++j)
    for (int64_t x = 0; x < 4; ++x)
      operands.k.data[j * 4 + x] = j * (x + 1) * 0.3f;
  check(c, operands);
  Operands odd(c);
  odd.q.data[4 * 3] = kNaN;
  odd.q.data[4 * 20 + 1] = kInf;
  odd.q.data[4 * 21 + 2] = -kInf;
  check(c, odd);
}

/// Operands of 16 bits are widened as they are read, results rounded at the
/// end.
TEST(Attention, HalfPrecision) {
  Case c{2, 2, 60, 100, 16, 20, {60, 100}};
  for (const char *name : {"f16", "bf16"}) {
    const llvm::fltSemantics &format =
        name[0] == 'f' ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
    auto rounded = [&](float value) {
      llvm::APFloat x(value);
      bool loses;
      x.convert(format, llvm::APFloat::rmNearestTiesToEven, &loses);
      return uint16_t(x.bitcastToAPInt().getZExtValue());
    };
    auto widened = [&](uint16_t code) {
      llvm::APFloat x(format, llvm::APInt(16, code));
      bool loses;
      x.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven,
                &loses);
      return x.convertToFloat();
    };
    Operands wide(c);
    auto narrowed = [&](Buffer<float> &x) {
      auto codes = Buffer<uint16_t>::make(
          x.shape, [&](size_t i) { return rounded(x.data[i]); });
      for (size_t i = 0; i < x.data.size(); ++i)
        x.data[i] = widened(codes.data[i]);
      return codes;
    };
    Buffer<uint16_t> q = narrowed(wide.q), k = narrowed(wide.k),
                     v = narrowed(wide.v), mask = narrowed(wide.mask);
    Buffer<float> wanted = expected(c, wide.q, wide.k, wide.v, wide.mask);
    const float epsilon = name[0] == 'f' ? 0x1p-10f : 0x1p-7f;
    for (const ampc::cpu::CpuTarget &target : allTargets()) {
      Jit jit(source(c, true, name), target);
      ASSERT_TRUE(jit) << jit.diagnostics;
      Buffer<uint16_t> result(wanted.shape);
      jit.run("f", q, k, v, mask, result);
      for (size_t i = 0; i < wanted.data.size(); ++i) {
        float x = widened(result.data[i]), y = wanted.data[i];
        ASSERT_TRUE(std::isnan(y)
                        ? std::isnan(x)
                        : std::abs(x - y) <= epsilon * std::abs(y) + 1e-4f)
            << name << " at " << i << ": " << x << ", not " << y;
      }
    }
  }
}

} // namespace
