//===- CpuFeaturesAArch64.cpp - HWCAP -------------------------------------===//
//
// Bits from Linux, Documentation/arch/arm64/elf_hwcaps.rst; names as LLVM
// spells them.
//
//===----------------------------------------------------------------------===//

#if defined(__aarch64__)

#include "CpuFeatures.h"

#include <string.h>
#include <sys/auxv.h>

using namespace ampc::rt;

namespace {

struct Feature {
  const char *name;
  int type;
  int bit;
};

const Feature table[] = {
    {"fp-armv8", AT_HWCAP, 0}, {"neon", AT_HWCAP, 1},
    {"aes", AT_HWCAP, 3},      {"sha2", AT_HWCAP, 6},
    {"crc", AT_HWCAP, 7},      {"lse", AT_HWCAP, 8},
    {"fullfp16", AT_HWCAP, 9}, {"rdm", AT_HWCAP, 12},
    {"jsconv", AT_HWCAP, 13},  {"complxnum", AT_HWCAP, 14},
    {"rcpc", AT_HWCAP, 15},    {"ccpp", AT_HWCAP, 16},
    {"sha3", AT_HWCAP, 17},    {"sm4", AT_HWCAP, 19},
    {"dotprod", AT_HWCAP, 20}, {"sve", AT_HWCAP, 22},
    {"fp16fml", AT_HWCAP, 23}, {"sve2", AT_HWCAP2, 1},
    {"i8mm", AT_HWCAP2, 13},   {"bf16", AT_HWCAP2, 14},
};

} // namespace

CpuSupport ampc::rt::cpuSupports(const char *name, int length) {
  for (const Feature &feature : table)
    if (!strncmp(feature.name, name, length) && !feature.name[length])
      return getauxval(feature.type) >> feature.bit & 1 ? CpuSupport::yes
                                                        : CpuSupport::no;
  return CpuSupport::unknownName;
}

#endif // __aarch64__
