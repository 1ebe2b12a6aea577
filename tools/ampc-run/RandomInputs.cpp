//===- RandomInputs.cpp - Inputs for measuring ----------------------------===//

#include "Inputs.h"

#include <cstring>
#include <random>

using namespace ampc;
using namespace ampc::run;

namespace {

/// The standard's distributions differ between libraries; its engine does not.
double uniform(std::mt19937_64 &random) {
  return double(random() >> 11) * 0x1p-53;
}

template <typename T, typename Next> void fill(HostTensor &tensor, Next next) {
  int64_t count = tensor.numBytes() / int64_t(sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    T value = static_cast<T>(next());
    std::memcpy(tensor.data() + i * int64_t(sizeof(T)), &value, sizeof(T));
  }
}

/// Bits of k / 16, k in 0..15, in binary16: exact, and all the same to
/// measure.
uint16_t sixteenthInHalf(unsigned k) {
  if (k == 0)
    return 0;
  int log = 31 - __builtin_clz(k);
  return uint16_t((log - 4 + 15) << 10 | (k << (10 - log) & 0x3ff));
}

} // namespace

void ampc::run::fillRandomly(HostTensor &tensor, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto real = [&] { return uniform(random); };
  auto below = [&](unsigned n) { return unsigned(uniform(random) * n); };
  auto digit = [&] { return below(10); };
  switch (tensor.dtype()) {
  case AMPC_FLOAT:
  case AMPC_COMPLEX64:
    return fill<float>(tensor, real);
  case AMPC_DOUBLE:
  case AMPC_COMPLEX128:
    return fill<double>(tensor, real);
  case AMPC_FLOAT16:
    return fill<uint16_t>(tensor, [&] { return sixteenthInHalf(below(16)); });
  case AMPC_BFLOAT16:
    return fill<uint16_t>(tensor, [&] {
      float value = float(below(16)) / 16; // The upper half is all of it.
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof(bits));
      return bits >> 16;
    });
  case AMPC_INT16:
  case AMPC_UINT16:
    return fill<uint16_t>(tensor, digit);
  case AMPC_INT32:
  case AMPC_UINT32:
    return fill<uint32_t>(tensor, digit);
  case AMPC_INT64:
  case AMPC_UINT64:
    return fill<uint64_t>(tensor, digit);
  case AMPC_BOOL:
  case AMPC_INT2:
    return fill<uint8_t>(tensor, [&] { return below(2); });
  case AMPC_UINT2:
    return fill<uint8_t>(tensor, [&] { return below(4); });
  case AMPC_INT4:
  case AMPC_FLOAT4E2M1:
    return fill<uint8_t>(tensor, [&] { return below(8); });
  default: // 8-bit integers and UINT4; bit patterns of small positive floats.
    return fill<uint8_t>(tensor, digit);
  }
}
