//===- WideCheck.cpp - The reference is checked itself --------------------===//

#include "autotune/WideCheck.h"

#include "autotune/Child.h"

#include <cmath>

using namespace ampc::tune;

std::string ampc::tune::widened(llvm::StringRef kernel) {
  // Bit patterns of floats, and what is rounded otherwise.
  for (const char *other : {"f64", "f16", "f8", " 0x", "bitcast"})
    if (kernel.contains(other))
      return "";
  std::string text;
  while (!kernel.empty()) {
    auto [before, after] = kernel.split("f32");
    text += before;
    if (before.size() < kernel.size())
      text += "f64";
    kernel = after;
  }
  return text;
}

bool ampc::tune::agree(Operands &narrow, KernelCode narrowCode, Operands &wide,
                       KernelCode wideCode, double patience) {
  auto run = [&](Operands &operands, KernelCode code) {
    return runInChild(
               [&] {
                 operands.poisonOutputs();
                 if (code(operands.exec()))
                   std::abort();
               },
               patience) == ChildEnd::Done;
  };
  if (!run(narrow, narrowCode) || !run(wide, wideCode))
    return false;
  std::vector<double> expected = wide.outputs(), found = narrow.outputs();
  double most = 0;
  for (double value : expected)
    if (std::isfinite(value))
      most = std::max(most, std::fabs(value));
  constexpr double tolerance = 2e-4;
  for (size_t i = 0; i < expected.size(); ++i) {
    double x = expected[i], y = found[i];
    // An overflow of f32 need not be one of f64.
    if (std::isfinite(x) && std::fabs(x) < 1e37 &&
        !(std::fabs(x - y) <= tolerance * (most + std::fabs(x))))
      return false;
  }
  return true;
}
