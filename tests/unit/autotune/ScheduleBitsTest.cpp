//===- ScheduleBitsTest.cpp - Bits do not depend on the schedule ----------===//
//
// All schedules that emitters list for kernels of odd sizes, compiled and run:
// any with other bits than the first, or that touches what is not its own, is
// Wrong or Crashed.
//
//===----------------------------------------------------------------------===//

#include "autotune/KernelTuner.h"
#include "compiler/target/cpu/KernelEmitter.h"
#include "compiler/target/cpu/Pipeline.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace ampc;

namespace {

class ScheduleBits : public testing::TestWithParam<std::string> {
protected:
  ScheduleBits() {
    registry.insert<amp::AmpDialect, mlir::affine::AffineDialect,
                    mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                    mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                    mlir::math::MathDialect, mlir::memref::MemRefDialect,
                    mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
                    mlir::vector::VectorDialect>();
    amp::registerExternalModels(registry);
    cpu::registerCpuKernelEmitters(registry);
    cpu::registerCodeGeneration(registry);
  }

  /// A kernel in the text of a TunableKernel, with `body` from %a and %b (and
  /// %c) to %r.
  void check(const std::vector<std::string> &ins, const std::string &out,
             const std::string &body, size_t least = 5) {
    auto processor = cpu::findProcessor(GetParam());
    ASSERT_TRUE(bool(processor));
    auto native = llvm::cantFail(cpu::findProcessor("native"));
    for (const std::string &feature : processor->features)
      if (!native.has(feature))
        GTEST_SKIP() << "this machine lacks " << feature;
    std::string parameters, pairs, types, tensors;
    for (size_t i = 0; i < ins.size(); ++i) {
      std::string name(1, char('a' + i)), comma = i ? ", " : "";
      parameters += "%p" + name + ": memref<" + ins[i] + ">, ";
      pairs += comma + "%" + name + " = %p" + name;
      types += comma + "memref<" + ins[i] + ">";
      tensors += comma + "tensor<" + ins[i].substr(0, ins[i].find(',')) + ">";
    }
    std::string text = "func.func @main(" + parameters + "%o: memref<" + out +
                       ">) {\n  amp.kernel ins(" + pairs + " : " + types +
                       ") outs(%o : memref<" + out + ">) args(" + tensors +
                       ") {\n" + body + "\n    amp.yield %r : tensor<" +
                       out.substr(0, out.find(',')) + ">\n  }\n  return\n}\n";
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    auto kernel = tune::parseTunable(text, processor->kernelTarget(), &context);
    ASSERT_TRUE(bool(kernel)) << text << llvm::toString(kernel.takeError());
    EXPECT_GE(kernel->schedules.size(), least) << text;
    EXPECT_LE(kernel->schedules.size(), 25u) << text;
    auto measured = tune::measureKernel(*kernel, tune::Effort{25, 1, 1e-6},
                                        registry, *processor);
    ASSERT_TRUE(bool(measured)) << llvm::toString(measured.takeError());
    EXPECT_EQ(measured->size(), kernel->schedules.size());
    for (const tune::Measurement &measurement : *measured)
      EXPECT_EQ(nameOf(measurement.outcome), "measured")
          << measurement.schedule << " of " << text;
  }

  mlir::DialectRegistry registry;
};

INSTANTIATE_TEST_SUITE_P(Targets, ScheduleBits,
                         testing::Values("x86-64-v3", "native"),
                         [](const auto &info) {
                           return info.param == "native" ? "Native" : "AVX2";
                         });

TEST_P(ScheduleBits, Products) {
  check({"37x53xf32", "53x41xf32"}, "37x41xf32",
        "%r = amp.matmul %a, %b : (tensor<37x53xf32>, tensor<53x41xf32>) -> "
        "tensor<37x41xf32>");
  // Long enough for several runs of k, and with a result between others.
  check({"29x1100xf32", "1100x35xf32"},
        "29x35xf32, strided<[50, 1], offset: 61>",
        "%r = amp.matmul %a, %b : (tensor<29x1100xf32>, tensor<1100x35xf32>) "
        "-> tensor<29x35xf32>");
  check({"2x19x31xf32", "2x45x31xf32"}, "2x19x45xf32",
        "%r = amp.matmul %a, %b {transpose_rhs} : (tensor<2x19x31xf32>, "
        "tensor<2x45x31xf32>) -> tensor<2x19x45xf32>");
}

TEST_P(ScheduleBits, FewRows) {
  for (const char *rows : {"1", "3", "7"}) {
    std::string r = rows;
    check({r + "x67xf32", "67x83xf32"}, r + "x83xf32",
          "%r = amp.matmul %a, %b : (tensor<" + r +
              "x67xf32>, tensor<67x83xf32>) -> tensor<" + r + "x83xf32>");
  }
}

/// Of few rows several panels go in step.
TEST_P(ScheduleBits, ProductsInPanels) {
  for (const char *rows : {"1", "2", "3", "5", "40"}) {
    std::string r = rows;
    check({r + "x811xf32", "5x811x32xf32"}, r + "x139xf32",
          "%r = amp.matmul %a, %b {panels} : (tensor<" + r +
              "x811xf32>, tensor<5x811x32xf32>) -> tensor<" + r + "x139xf32>",
          3);
  }
}

TEST_P(ScheduleBits, OtherTypes) {
  check({"17x23xf64", "23x19xf64"}, "17x19xf64",
        "%r = amp.matmul %a, %b : (tensor<17x23xf64>, tensor<23x19xf64>) -> "
        "tensor<17x19xf64>");
  check({"17x23xi8", "23x19xi8"}, "17x19xi32",
        "%r = amp.matmul %a, %b : (tensor<17x23xi8>, tensor<23x19xi8>) -> "
        "tensor<17x19xi32>");
  check({"17x23xf16", "23x19xf16"}, "17x19xf16",
        "%r = amp.matmul %a, %b : (tensor<17x23xf16>, tensor<23x19xf16>) -> "
        "tensor<17x19xf16>");
}

TEST_P(ScheduleBits, ConvolutionsInPanels) {
  auto conv = [&](int64_t image, int64_t channels, int64_t filter,
                  int64_t panels, int64_t out, int64_t stride) {
    int64_t result = (image - filter) / stride + 1;
    auto list = [](std::initializer_list<int64_t> sizes) {
      std::string text;
      for (int64_t size : sizes)
        text += std::to_string(size) + "x";
      return text + "f32";
    };
    std::string a = list({1, image, image, channels}),
                b = list({panels, filter, filter, channels, 32}),
                o = list({1, result, result, out}), s = std::to_string(stride);
    check({a, b}, o,
          "%y = amp.conv %a, %b {channels_last, panels, strides = array<i64: " +
              s + ", " + s +
              ">, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, "
              "0>, groups = 1 : i64} : (tensor<" +
              a + ">, tensor<" + b + ">) -> tensor<" + o +
              ">\n%r = math.absf %y : tensor<" + o + ">");
  };
  conv(11, 5, 3, 2, 37, 1);
  conv(13, 130, 3, 1, 32, 2); // Over a thousand k.
  conv(9, 300, 1, 3, 90, 1);
}

TEST_P(ScheduleBits, Depthwise) {
  for (const char *stride : {"1", "2"}) {
    std::string s = stride;
    std::string o = s == "1" ? "1x11x9x21xf32" : "1x6x5x21xf32";
    check({"1x13x11x21xf32", "3x3x1x21xf32", "21xf32"}, o,
          "%r = amp.conv %a, %b bias %c {channels_last, strides = array<i64: " +
              s + ", " + s +
              ">, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, "
              "0>, groups = 21 : i64} : (tensor<1x13x11x21xf32>, "
              "tensor<3x3x1x21xf32>, tensor<21xf32>) -> tensor<" +
              o + ">");
  }
}

} // namespace
