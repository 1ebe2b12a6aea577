//===- ResizeTest.cpp - amp.resize against the ONNX formulas --------------===//
//
// The other side is a plain f64 transcription of the Resize operator's
// reference evaluator: the coordinate, the filter's coefficients over the
// nearest elements, one dimension at a time.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>

using namespace ampc::test;

namespace {

struct Case {
  std::string mode, coordinate, nearest = "floor";
  int64_t in = 4, out = 7;
  float scale = 0; // 0: out / in
  bool antialias = false, excludeOutside = false;
  float roiStart = 0, roiEnd = 1;
};

double scaleOf(const Case &c) {
  return c.scale ? double(c.scale) : double(c.out) / double(c.in);
}

double coordinateOf(const Case &c, int64_t i) {
  double scale = scaleOf(c), x = double(i), in = double(c.in);
  double width = c.scale ? scale * in : double(c.out);
  if (c.coordinate == "half_pixel")
    return (x + 0.5) / scale - 0.5;
  if (c.coordinate == "half_pixel_symmetric")
    return in / 2 * (1 - double(c.out) / width) + (x + 0.5) / scale - 0.5;
  if (c.coordinate == "pytorch_half_pixel")
    return width == 1 ? -0.5 : (x + 0.5) / scale - 0.5;
  if (c.coordinate == "align_corners")
    return width == 1 ? 0 : x * (in - 1) / (width - 1);
  if (c.coordinate == "asymmetric")
    return x / scale;
  if (c.coordinate == "tf_half_pixel_for_nn")
    return (x + 0.5) / scale;
  double span = (double(c.roiEnd) - c.roiStart) * (in - 1);
  return (width == 1 ? span / 2 : x * span / (width - 1)) +
         c.roiStart * (in - 1);
}

double cubic(double t) {
  const double a = -0.75;
  t = std::fabs(t);
  if (t <= 1)
    return (a + 2) * t * t * t - (a + 3) * t * t + 1;
  return t < 2 ? a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a : 0;
}

/// Element `i` of the resized vector.
double resized(const Case &c, const std::vector<double> &data, int64_t i) {
  double x = coordinateOf(c, i);
  auto clamp = [&](int64_t at) {
    return data[std::min(std::max<int64_t>(at, 0), c.in - 1)];
  };
  if (c.coordinate == "tf_crop_and_resize" && (x < 0 || x > double(c.in - 1)))
    return 10; // extrapolation
  if (c.mode == "nearest") {
    if (c.nearest == "floor")
      return clamp(int64_t(std::floor(x)));
    if (c.nearest == "ceil")
      return clamp(int64_t(std::ceil(x)));
    return clamp(int64_t(c.nearest == "round_prefer_floor"
                             ? std::ceil(x - 0.5)
                             : std::floor(x + 0.5)));
  }
  // The reference prefers the pixel at the left: ratio is in (0, 1].
  int64_t base = int64_t(std::ceil(x)) - 1;
  double ratio = x - double(base);
  double shrink = c.antialias ? std::min(scaleOf(c), 1.0) : 1.0;
  int64_t support = c.mode == "linear" ? 1 : 2;
  int64_t start = int64_t(std::floor(-double(support) / shrink)) + 1;
  double sum = 0, total = 0;
  for (int64_t k = start; k < 2 - start; ++k) {
    double t = shrink * (double(k) - ratio);
    double weight =
        c.mode == "linear" ? std::max(0.0, 1 - std::fabs(t)) : cubic(t);
    if (c.excludeOutside && (base + k < 0 || base + k >= c.in))
      weight = 0;
    sum += weight * clamp(base + k);
    total += weight;
  }
  return c.antialias || c.excludeOutside ? sum / total : sum;
}

class Resize : public testing::TestWithParam<ampc::cpu::CpuTarget> {
protected:
  /// Resizes both dimensions of a square image alike.
  void check(const Case &c) {
    SCOPED_TRACE(c.mode + " " + c.coordinate + " " + c.nearest + " from " +
                 std::to_string(c.in) + " to " + std::to_string(c.out));
    bool crop = c.coordinate == "tf_crop_and_resize";
    std::string attributes = "{extrapolation = 10.0 : f32";
    attributes += c.antialias ? ", antialias" : "";
    attributes += c.excludeOutside ? ", exclude_outside" : "";
    std::string in = std::to_string(c.in) + "x" + std::to_string(c.in) + "xf32";
    auto literal = [](float value) {
      char text[64];
      uint32_t bits;
      std::memcpy(&bits, &value, 4);
      std::snprintf(text, sizeof text, "arith.constant 0x%08X : f32\n", bits);
      return std::string(text);
    };
    // Sizes are dynamic: taps and widths must not need constants.
    Jit jit(
        "func.func @f(%x: memref<" + in +
            ">, %r: memref<?x?xf32>) {\n"
            "  %c0 = arith.constant 0 : index\n"
            "  %h = memref.dim %r, %c0 : memref<?x?xf32>\n"
            "  %s = " +
            literal(float(scaleOf(c))) + "  %lo = " + literal(c.roiStart) +
            "  %hi = " + literal(c.roiEnd) +
            "  amp.kernel ins(%a = %x, %n = %h, %f = %s, %l = %lo, %u = %hi : "
            "memref<" +
            in +
            ">, index, f32, f32, f32) outs(%r : "
            "memref<?x?xf32>) args(tensor<" +
            in +
            ">, index, f32, f32, f32) {\n"
            "    %y = amp.resize %a axes [0, 1] scales (%f, %f) " +
            (crop ? "roi (%l, %l, %u, %u) " : "") + c.mode + " " +
            c.coordinate + " " + c.nearest + " to [%n, %n] " + attributes +
            "} : tensor<" + in +
            "> to tensor<?x?xf32>\n"
            "    amp.yield %y : tensor<?x?xf32>\n  }\n  return\n}\n",
        GetParam());
    ASSERT_TRUE(jit) << jit.diagnostics;
    auto x = Buffer<float>::make({c.in, c.in}, [](size_t i) {
      return float(int(i * 37 % 101) - 50) * 0.125f;
    });
    Buffer<float> r({c.out, c.out}, -1);
    jit.run("f", x, r);
    for (int64_t i = 0; i < c.out; ++i) {
      // Rows first, then the column of what they give.
      for (int64_t j = 0; j < c.out; ++j) {
        std::vector<double> column;
        for (int64_t k = 0; k < c.in; ++k)
          column.push_back(
              resized(c,
                      std::vector<double>(x.data.begin() + k * c.in,
                                          x.data.begin() + (k + 1) * c.in),
                      j));
        double want = resized(c, column, i);
        // A whole crop outside of the image in one direction is outside.
        if (crop && column[0] == 10)
          want = 10;
        double error = c.mode == "nearest" ? 0 : 2e-5;
        ASSERT_NEAR(r.data[i * c.out + j], want, error) << i << ", " << j;
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Targets, Resize, testing::ValuesIn(allTargets()),
                         [](const auto &info) {
                           return "Bytes" +
                                  std::to_string(info.param.vectorBytes);
                         });

const char *const kCoordinates[] = {
    "half_pixel",    "half_pixel_symmetric", "pytorch_half_pixel",
    "align_corners", "asymmetric",           "tf_crop_and_resize"};

TEST_P(Resize, Nearest) {
  for (std::string coordinate : kCoordinates)
    for (std::string nearest :
         {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}) {
      check({"nearest", coordinate, nearest, 4, 8});
      check({"nearest", coordinate, nearest, 8, 4});
      check({"nearest", coordinate, nearest, 5, 1});
    }
  check({"nearest", "tf_half_pixel_for_nn", "floor", 4, 8});
}

TEST_P(Resize, LinearAndCubic) {
  for (std::string mode : {"linear", "cubic"})
    for (std::string coordinate : kCoordinates) {
      check({mode, coordinate, "floor", 4, 7});
      check({mode, coordinate, "floor", 9, 5});
      check({mode, coordinate, "floor", 49, 1});
      // A scale that gives no whole width.
      check({mode, coordinate, "floor", 4, 2, 0.6f});
      check({mode, coordinate, "floor", 1, 3});
    }
}

TEST_P(Resize, CropsOutside) {
  for (std::string mode : {"nearest", "linear", "cubic"}) {
    Case c{mode, "tf_crop_and_resize", "floor", 5, 8};
    c.roiStart = 0.4f;
    c.roiEnd = 1.3f;
    check(c);
    c.roiStart = -0.3f;
    c.roiEnd = 0.5f;
    check(c);
  }
}

TEST_P(Resize, ExcludesOutside) {
  for (std::string mode : {"linear", "cubic"})
    check({mode, "half_pixel", "floor", 4, 9, 0, false, true});
}

TEST_P(Resize, Antialiases) {
  for (std::string mode : {"linear", "cubic"})
    for (std::string coordinate : kCoordinates) {
      check({mode, coordinate, "floor", 12, 5, 0, true});
      check({mode, coordinate, "floor", 4, 2, 0.6f, true});
      check({mode, coordinate, "floor", 5, 9, 0, true});
      check({mode, coordinate, "floor", 12, 5, 0, true, true});
    }
}

} // namespace
