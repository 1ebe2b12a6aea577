//===- CpuTarget.h - What kernel emission knows of a CPU --------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_CPUTARGET_H
#define AMPC_TARGET_CPU_CPUTARGET_H

#include <cstdint>

namespace ampc::cpu {

/// The properties of a processor that kernels are shaped by. They decide how
/// fast code is, never which bits it computes but where an op's algorithm
/// leaves that open.
struct CpuTarget {
  /// Bytes of a vector register: 32 for AVX2, 64 for AVX-512.
  int64_t vectorBytes = 32;
  /// Architectural vector registers.
  int64_t vectorRegisters = 16;
  /// Masked loads and stores of any element type cost as much as plain ones.
  bool cheapMasks = false;
  /// Tile registers that add products of bf16 pairs (Intel's AMX).
  bool hasTiles = false;

  static CpuTarget withVectorBytes(int64_t bytes) {
    return {bytes, bytes >= 64 ? 32 : 16, bytes >= 64};
  }

  /// Elements of `bits` each that fill a vector register.
  int64_t lanes(unsigned bits) const { return vectorBytes * 8 / bits; }
};

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_CPUTARGET_H
