//===- MovementTest.cpp - The elements of ops that move data --------------===//

#include "Jit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace ampc::test;

namespace {

using Index = std::vector<int64_t>;

class Movement : public testing::TestWithParam<ampc::cpu::CpuTarget> {
protected:
  /// Runs a kernel that computes %y of type `out` from %a of type `in` (and %b
  /// of `more`, if any) and compares each element with `expected`.
  template <typename T>
  void check(const std::string &body, const std::string &in,
             const std::string &out, Buffer<float> x, Buffer<T> result,
             const std::function<T(const Index &)> &expected,
             const std::string &more = "", Buffer<int64_t> b = {{0}}) {
    std::string second = more.empty() ? "" : ", %z: memref<" + more + ">";
    std::string bound = more.empty() ? "" : ", %b = %z";
    std::string moreBuffer = more.empty() ? "" : ", memref<" + more + ">";
    std::string moreTensor = more.empty() ? "" : ", tensor<" + more + ">";
    Jit jit("func.func @f(%x: memref<" + in + ">, %r: memref<" + out + ">" +
                second + ") {\n  amp.kernel ins(%a = %x" + bound +
                " : memref<" + in + ">" + moreBuffer + ") outs(%r : memref<" +
                out + ">) args(tensor<" + in + ">" + moreTensor + ") {\n" +
                body + "\n    amp.yield %y : tensor<" + out +
                ">\n  }\n  return\n}\n",
            GetParam());
    ASSERT_TRUE(jit) << jit.diagnostics;
    if (more.empty())
      jit.run("f", x, result);
    else
      jit.run("f", x, result, b);
    Index at(result.shape.size());
    for (size_t i = 0; i < result.data.size(); ++i) {
      size_t rest = i;
      for (size_t d = at.size(); d-- > 0; rest /= result.shape[d])
        at[d] = int64_t(rest % result.shape[d]);
      ASSERT_EQ(result.data[i], expected(at)) << "element " << i;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Targets, Movement, testing::ValuesIn(allTargets()),
                         [](const auto &info) {
                           return "Bytes" +
                                  std::to_string(info.param.vectorBytes);
                         });

Buffer<float> counted(Index shape) {
  return Buffer<float>::make(shape, [](size_t i) { return float(i) + 0.5f; });
}

TEST_P(Movement, Iota) {
  Buffer<float> x({3, 21});
  check<int32_t>("%y = amp.iota 1 to [] : tensor<3x21xi32>", "3x21xf32",
                 "3x21xi32", x, {{3, 21}},
                 [](const Index &at) { return int32_t(at[1]); });
  check<float>("%y = amp.iota 0 to [] : tensor<3x21xf32>", "3x21xf32",
               "3x21xf32", x, {{3, 21}},
               [](const Index &at) { return float(at[0]); });
}

TEST_P(Movement, Transpose) {
  auto x = counted({5, 3, 17});
  check<float>("%y = amp.transpose %a [2, 0, 1] : tensor<5x3x17xf32> to "
               "tensor<17x5x3xf32>",
               "5x3x17xf32", "17x5x3xf32", x, {{17, 5, 3}},
               [&](const Index &at) {
                 return x.data[(at[1] * 3 + at[2]) * 17 + at[0]];
               });
  check<float>("%y = amp.transpose %a [1, 0, 2] : tensor<5x3x17xf32> to "
               "tensor<3x5x17xf32>",
               "5x3x17xf32", "3x5x17xf32", x, {{3, 5, 17}},
               [&](const Index &at) {
                 return x.data[(at[1] * 3 + at[0]) * 17 + at[2]];
               });
}

TEST_P(Movement, Slice) {
  auto x = counted({5, 40});
  check<float>(
      "%c = arith.constant 2 : index\n"
      "%y = amp.slice %a [4, %c] step [-2, 1] to [] : tensor<5x40xf32> to "
      "tensor<3x33xf32>",
      "5x40xf32", "3x33xf32", x, {{3, 33}}, [&](const Index &at) {
        return x.data[(4 - 2 * at[0]) * 40 + at[1] + 2];
      });
  check<float>(
      "%c = arith.constant -3 : index\n"
      "%y = amp.slice %a [0, 39] step [1, %c] to [] : tensor<5x40xf32> to "
      "tensor<5x14xf32>",
      "5x40xf32", "5x14xf32", x, {{5, 14}},
      [&](const Index &at) { return x.data[at[0] * 40 + 39 - 3 * at[1]]; });
}

TEST_P(Movement, PadConstant) {
  auto x = counted({4, 9});
  // Crops a row, adds columns, spreads columns.
  check<float>(
      "%v = arith.constant -1.0 : f32\n"
      "%y = amp.pad %a, %v low [-1, 2] interior [0, 1] constant to [] : "
      "tensor<4x9xf32>, f32 to tensor<5x22xf32>",
      "4x9xf32", "5x22xf32", x, {{5, 22}}, [&](const Index &at) {
        int64_t i = at[0] + 1, j = at[1] - 2;
        bool inside = i < 4 && j >= 0 && j % 2 == 0 && j / 2 < 9;
        return inside ? x.data[i * 9 + j / 2] : -1.0f;
      });
  // The innermost dimension stays: rows are whole vectors.
  check<float>(
      "%v = arith.constant -1.0 : f32\n"
      "%y = amp.pad %a, %v low [1, 0] interior [0, 0] constant to [] : "
      "tensor<4x9xf32>, f32 to tensor<7x9xf32>",
      "4x9xf32", "7x9xf32", x, {{7, 9}}, [&](const Index &at) {
        bool inside = at[0] >= 1 && at[0] < 5;
        return inside ? x.data[(at[0] - 1) * 9 + at[1]] : -1.0f;
      });
}

/// numpy.pad of a vector, by following the walk.
int64_t mirrored(const std::string &mode, int64_t i, int64_t size) {
  if (mode == "edge")
    return std::min(std::max<int64_t>(i, 0), size - 1);
  if (mode == "wrap")
    return ((i % size) + size) % size;
  while (size > 1 && (i < 0 || i >= size))
    i = i < 0 ? -i : 2 * (size - 1) - i;
  return size > 1 ? i : 0;
}

TEST_P(Movement, PadMirrored) {
  for (std::string mode : {"edge", "reflect", "wrap"})
    for (int64_t size : {1, 2, 5}) {
      auto x = counted({size});
      std::string in = std::to_string(size) + "xf32";
      check<float>("%v = arith.constant 0.0 : f32\n"
                   "%y = amp.pad %a, %v low [13] interior [0] " +
                       mode + " to [] : tensor<" + in +
                       ">, f32 to tensor<37xf32>",
                   in, "37xf32", x, {{37}}, [&](const Index &at) {
                     return x.data[mirrored(mode, at[0] - 13, size)];
                   });
    }
}

TEST_P(Movement, Tile) {
  auto x = counted({2, 9});
  check<float>("%y = amp.tile %a to [] : tensor<2x9xf32> to tensor<6x27xf32>",
               "2x9xf32", "6x27xf32", x, {{6, 27}}, [&](const Index &at) {
                 return x.data[at[0] % 2 * 9 + at[1] % 9];
               });
  check<float>("%y = amp.tile %a to [] : tensor<2x9xf32> to tensor<6x9xf32>",
               "2x9xf32", "6x9xf32", x, {{6, 9}},
               [&](const Index &at) { return x.data[at[0] % 2 * 9 + at[1]]; });
}

TEST_P(Movement, BroadcastMaybeOne) {
  for (int64_t rows : {1, 3}) {
    auto x = counted({rows, 19});
    check<float>("%n = arith.constant 3 : index\n"
                 "%y = amp.broadcast %a to [] {maybe_one = array<i64: 0>} : "
                 "tensor<?x19xf32> to tensor<2x3x19xf32>",
                 "?x19xf32", "2x3x19xf32", x, {{2, 3, 19}},
                 [&](const Index &at) {
                   return x.data[(rows == 1 ? 0 : at[1]) * 19 + at[2]];
                 });
  }
}

/// An index as gathers read it: from the end if negative, then into bounds.
int64_t wrapped(int64_t i, int64_t size) {
  return std::min(std::max<int64_t>(i < 0 ? i + size : i, 0), size - 1);
}

Buffer<int64_t> someIndices(Index shape) {
  return Buffer<int64_t>::make(
      shape, [](size_t i) { return int64_t(i * 5 % 17) - 8; });
}

TEST_P(Movement, Gather) {
  auto x = counted({5, 18});
  auto ids = someIndices({7});
  check<float>(
      "%y = amp.gather 0 %a[%b] : tensor<5x18xf32>, tensor<7xi64> -> "
      "tensor<7x18xf32>",
      "5x18xf32", "7x18xf32", x, {{7, 18}},
      [&](const Index &at) {
        return x.data[wrapped(ids.data[at[0]], 5) * 18 + at[1]];
      },
      "7xi64", ids);
  check<float>(
      "%y = amp.gather 1 %a[%b] : tensor<5x18xf32>, tensor<7xi64> -> "
      "tensor<5x7xf32>",
      "5x18xf32", "5x7xf32", x, {{5, 7}},
      [&](const Index &at) {
        return x.data[at[0] * 18 + wrapped(ids.data[at[1]], 18)];
      },
      "7xi64", ids);
}

TEST_P(Movement, GatherElements) {
  auto x = counted({5, 18});
  auto ids = someIndices({4, 18});
  check<float>(
      "%y = amp.gather_elements 0 %a[%b] : tensor<5x18xf32>, tensor<4x18xi64> "
      "-> tensor<4x18xf32>",
      "5x18xf32", "4x18xf32", x, {{4, 18}},
      [&](const Index &at) {
        return x.data[wrapped(ids.data[at[0] * 18 + at[1]], 5) * 18 + at[1]];
      },
      "4x18xi64", ids);
}

TEST_P(Movement, GatherND) {
  auto x = counted({2, 3, 4, 9});
  auto ids = someIndices({2, 6, 2});
  check<float>(
      "%y = amp.gather_nd 1 %a[%b] : tensor<2x3x4x9xf32>, tensor<2x6x2xi64> "
      "-> tensor<2x6x9xf32>",
      "2x3x4x9xf32", "2x6x9xf32", x, {{2, 6, 9}},
      [&](const Index &at) {
        int64_t tuple = (at[0] * 6 + at[1]) * 2;
        int64_t i = wrapped(ids.data[tuple], 3),
                j = wrapped(ids.data[tuple + 1], 4);
        return x.data[((at[0] * 3 + i) * 4 + j) * 9 + at[2]];
      },
      "2x6x2xi64", ids);
}

} // namespace
