//===- CpuFeaturesX86.cpp - CPUID and XCR0 --------------------------------===//
//
// Bits from Intel's SDM, volume 2, CPUID, and AMD's APM, volume 3, appendix E;
// names as LLVM spells them (llvm/lib/TargetParser/Host.cpp).
//
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)

#include "CpuFeatures.h"

#include <cpuid.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace ampc::rt;

namespace {

enum Register : uint8_t { EAX, EBX, ECX, EDX };

/// State the operating system must save for a feature: bits of XCR0.
enum State : uint32_t {
  none = 0,
  ymm = 0x6,        // SSE and AVX.
  zmm = 0x6 | 0xe0, // and opmask, upper halves, upper registers.
  tmm = 0x60000,    // AMX tiles.
};

struct Feature {
  const char *name;
  uint32_t leaf;
  uint8_t subleaf;
  Register reg;
  uint8_t bit;
  State state;
};

constexpr uint32_t ext = 0x80000000;

const Feature table[] = {
    {"x87", 1, 0, EDX, 0, none},
    {"cx8", 1, 0, EDX, 8, none},
    {"cmov", 1, 0, EDX, 15, none},
    {"mmx", 1, 0, EDX, 23, none},
    {"fxsr", 1, 0, EDX, 24, none},
    {"sse", 1, 0, EDX, 25, none},
    {"sse2", 1, 0, EDX, 26, none},
    {"sse3", 1, 0, ECX, 0, none},
    {"pclmul", 1, 0, ECX, 1, none},
    {"ssse3", 1, 0, ECX, 9, none},
    {"fma", 1, 0, ECX, 12, ymm},
    {"cx16", 1, 0, ECX, 13, none},
    {"sse4.1", 1, 0, ECX, 19, none},
    {"sse4.2", 1, 0, ECX, 20, none},
    {"crc32", 1, 0, ECX, 20, none},
    {"movbe", 1, 0, ECX, 22, none},
    {"popcnt", 1, 0, ECX, 23, none},
    {"aes", 1, 0, ECX, 25, none},
    {"xsave", 1, 0, ECX, 27, none},
    {"avx", 1, 0, ECX, 28, ymm},
    {"f16c", 1, 0, ECX, 29, ymm},
    {"rdrnd", 1, 0, ECX, 30, none},
    {"fsgsbase", 7, 0, EBX, 0, none},
    {"sgx", 7, 0, EBX, 2, none},
    {"bmi", 7, 0, EBX, 3, none},
    {"avx2", 7, 0, EBX, 5, ymm},
    {"bmi2", 7, 0, EBX, 8, none},
    {"invpcid", 7, 0, EBX, 10, none},
    {"rtm", 7, 0, EBX, 11, none},
    {"avx512f", 7, 0, EBX, 16, zmm},
    {"evex512", 7, 0, EBX, 16, zmm},
    {"avx512dq", 7, 0, EBX, 17, zmm},
    {"rdseed", 7, 0, EBX, 18, none},
    {"adx", 7, 0, EBX, 19, none},
    {"avx512ifma", 7, 0, EBX, 21, zmm},
    {"clflushopt", 7, 0, EBX, 23, none},
    {"clwb", 7, 0, EBX, 24, none},
    {"avx512cd", 7, 0, EBX, 28, zmm},
    {"sha", 7, 0, EBX, 29, none},
    {"avx512bw", 7, 0, EBX, 30, zmm},
    {"avx512vl", 7, 0, EBX, 31, zmm},
    {"avx512vbmi", 7, 0, ECX, 1, zmm},
    {"pku", 7, 0, ECX, 4, none},
    {"waitpkg", 7, 0, ECX, 5, none},
    {"avx512vbmi2", 7, 0, ECX, 6, zmm},
    {"shstk", 7, 0, ECX, 7, none},
    {"gfni", 7, 0, ECX, 8, none},
    {"vaes", 7, 0, ECX, 9, ymm},
    {"vpclmulqdq", 7, 0, ECX, 10, ymm},
    {"avx512vnni", 7, 0, ECX, 11, zmm},
    {"avx512bitalg", 7, 0, ECX, 12, zmm},
    {"avx512vpopcntdq", 7, 0, ECX, 14, zmm},
    {"rdpid", 7, 0, ECX, 22, none},
    {"kl", 7, 0, ECX, 23, none},
    {"cldemote", 7, 0, ECX, 25, none},
    {"movdiri", 7, 0, ECX, 27, none},
    {"movdir64b", 7, 0, ECX, 28, none},
    {"enqcmd", 7, 0, ECX, 29, none},
    {"uintr", 7, 0, EDX, 5, none},
    {"avx512vp2intersect", 7, 0, EDX, 8, zmm},
    {"serialize", 7, 0, EDX, 14, none},
    {"tsxldtrk", 7, 0, EDX, 16, none},
    {"pconfig", 7, 0, EDX, 18, none},
    {"amx-bf16", 7, 0, EDX, 22, tmm},
    {"avx512fp16", 7, 0, EDX, 23, zmm},
    {"amx-tile", 7, 0, EDX, 24, tmm},
    {"amx-int8", 7, 0, EDX, 25, tmm},
    {"sha512", 7, 1, EAX, 0, ymm},
    {"sm3", 7, 1, EAX, 1, ymm},
    {"sm4", 7, 1, EAX, 2, ymm},
    {"raoint", 7, 1, EAX, 3, none},
    {"avxvnni", 7, 1, EAX, 4, ymm},
    {"avx512bf16", 7, 1, EAX, 5, zmm},
    {"cmpccxadd", 7, 1, EAX, 7, none},
    {"amx-fp16", 7, 1, EAX, 21, tmm},
    {"hreset", 7, 1, EAX, 22, none},
    {"avxifma", 7, 1, EAX, 23, ymm},
    {"avxvnniint8", 7, 1, EDX, 4, ymm},
    {"avxneconvert", 7, 1, EDX, 5, ymm},
    {"amx-complex", 7, 1, EDX, 8, tmm},
    {"avxvnniint16", 7, 1, EDX, 10, ymm},
    {"prefetchi", 7, 1, EDX, 14, none},
    {"usermsr", 7, 1, EDX, 15, none},
    {"avx10.1-256", 7, 1, EDX, 19, zmm},
    {"xsaveopt", 0xd, 1, EAX, 0, none},
    {"xsavec", 0xd, 1, EAX, 1, none},
    {"xsaves", 0xd, 1, EAX, 3, none},
    {"ptwrite", 0x14, 0, EBX, 4, none},
    {"widekl", 0x19, 0, EBX, 2, none},
    {"avx10.1-512", 0x24, 0, EBX, 18, zmm},
    {"sahf", ext + 1, 0, ECX, 0, none},
    {"lzcnt", ext + 1, 0, ECX, 5, none},
    {"sse4a", ext + 1, 0, ECX, 6, none},
    {"prfchw", ext + 1, 0, ECX, 8, none},
    {"xop", ext + 1, 0, ECX, 11, ymm},
    {"lwp", ext + 1, 0, ECX, 15, none},
    {"fma4", ext + 1, 0, ECX, 16, ymm},
    {"tbm", ext + 1, 0, ECX, 21, none},
    {"mwaitx", ext + 1, 0, ECX, 29, none},
    {"64bit", ext + 1, 0, EDX, 29, none},
    {"clzero", ext + 8, 0, EBX, 0, none},
    {"rdpru", ext + 8, 0, EBX, 4, none},
    {"wbnoinvd", ext + 8, 0, EBX, 9, none},
};

/// State components that the operating system saves, or 0 without XGETBV.
uint64_t readXCR0() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) // OSXSAVE
    return 0;
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

/// Linux lets a process use tiles only once it has asked to, for all of its
/// threads (Documentation/arch/x86/xstate.rst). Asking again does nothing.
bool mayUseTiles() {
  constexpr long requestPermission = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

} // namespace

CpuSupport ampc::rt::cpuSupports(const char *name, int length) {
  for (const Feature &feature : table) {
    if (strncmp(feature.name, name, length) || feature.name[length])
      continue;
    unsigned values[4];
    // Fails for leaves above the highest one. A subleaf above the highest
    // reads as zeros.
    if (!__get_cpuid_count(feature.leaf, feature.subleaf, &values[EAX],
                           &values[EBX], &values[ECX], &values[EDX]) ||
        !(values[feature.reg] >> feature.bit & 1))
      return CpuSupport::no;
    if (feature.state && (readXCR0() & feature.state) != feature.state)
      return CpuSupport::no;
    if (feature.state == tmm && !mayUseTiles())
      return CpuSupport::no;
    return CpuSupport::yes;
  }
  return CpuSupport::unknownName;
}

#endif // __x86_64__
