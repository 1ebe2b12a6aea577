//===- Jit.h - Run emitted kernels in the test's process --------*- C++ -*-===//

#ifndef AMPC_TESTS_UNIT_CPU_JIT_H
#define AMPC_TESTS_UNIT_CPU_JIT_H

#include "compiler/target/cpu/CpuTarget.h"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace mlir {
class ExecutionEngine;
class MLIRContext;
} // namespace mlir

namespace ampc::test {

/// Row-major elements and their shape, or a strided view of them.
template <typename T> struct Buffer {
  std::vector<T> data;
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;

  Buffer(std::vector<int64_t> shape, T fill = T())
      : data(count(shape), fill), shape(shape), strides(rowMajor(shape)) {}
  /// Elements from make(i), i counting row-major.
  template <typename Make>
  static Buffer make(std::vector<int64_t> shape, Make make) {
    Buffer result(shape);
    for (size_t i = 0; i < result.data.size(); ++i)
      result.data[i] = make(i);
    return result;
  }
  static int64_t count(const std::vector<int64_t> &shape) {
    int64_t n = 1;
    for (int64_t size : shape)
      n *= size;
    return n;
  }
  static std::vector<int64_t> rowMajor(const std::vector<int64_t> &shape) {
    std::vector<int64_t> strides(shape.size());
    int64_t run = 1;
    for (size_t i = shape.size(); i-- > 0; run *= shape[i])
      strides[i] = run;
    return strides;
  }
};

/// What a function is called with: MLIR's memref descriptors and scalars.
class Arguments {
public:
  template <typename T> Arguments &add(Buffer<T> &buffer) {
    std::vector<int64_t> d;
    d.push_back(reinterpret_cast<int64_t>(buffer.data.data()));
    d.push_back(d[0]);
    d.push_back(buffer.offset);
    d.insert(d.end(), buffer.shape.begin(), buffer.shape.end());
    d.insert(d.end(), buffer.strides.begin(), buffer.strides.end());
    descriptors.push_back(std::make_unique<std::vector<int64_t>>(std::move(d)));
    pointers.push_back(std::make_unique<void *>(descriptors.back()->data()));
    slots.push_back(pointers.back().get());
    return *this;
  }
  Arguments &addScalar(int64_t value) {
    scalars.push_back(std::make_unique<int64_t>(value));
    slots.push_back(scalars.back().get());
    return *this;
  }
  std::vector<void *> slots;

private:
  std::vector<std::unique_ptr<std::vector<int64_t>>> descriptors;
  std::vector<std::unique_ptr<void *>> pointers;
  std::vector<std::unique_ptr<int64_t>> scalars;
};

/// A module with kernels, emitted for `target` and compiled for this machine.
/// Launches run their range in chunks of `chunk` iterations.
class Jit {
public:
  Jit(const std::string &source, const cpu::CpuTarget &target,
      int64_t chunk = 3);
  Jit(Jit &&);
  ~Jit();
  /// Whether the module compiled; the errors are in `diagnostics`.
  explicit operator bool() const { return bool(engine); }
  void call(const std::string &function, Arguments &arguments);
  template <typename... T>
  void run(const std::string &function, Buffer<T> &...buffers) {
    Arguments arguments;
    (arguments.add(buffers), ...);
    call(function, arguments);
  }
  std::string diagnostics;

private:
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

/// AVX2-like and AVX-512-like kernels; both run wherever the tests do.
inline std::vector<cpu::CpuTarget> allTargets() {
  return {cpu::CpuTarget::withVectorBytes(16),
          cpu::CpuTarget::withVectorBytes(32),
          cpu::CpuTarget::withVectorBytes(64)};
}

} // namespace ampc::test

namespace ampc::cpu {
inline void PrintTo(const CpuTarget &target, std::ostream *out) {
  *out << target.vectorBytes << "-byte vectors";
}
} // namespace ampc::cpu

#endif // AMPC_TESTS_UNIT_CPU_JIT_H
