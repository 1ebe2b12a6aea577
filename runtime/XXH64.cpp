//===- XXH64.cpp - The hash of external weights ---------------------------===//

#include "XXH64.h"

#include <string.h>

namespace {

constexpr uint64_t prime1 = 0x9E3779B185EBCA87u;
constexpr uint64_t prime2 = 0xC2B2AE3D27D4EB4Fu;
constexpr uint64_t prime3 = 0x165667B19E3779F9u;
constexpr uint64_t prime4 = 0x85EBCA77C2B2AE63u;
constexpr uint64_t prime5 = 0x27D4EB2F165667C5u;

uint64_t rotate(uint64_t x, int r) { return x << r | x >> (64 - r); }

uint64_t read64(const unsigned char *p) {
  uint64_t value;
  memcpy(&value, p, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

uint32_t read32(const unsigned char *p) {
  uint32_t value;
  memcpy(&value, p, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  return value;
}

uint64_t round(uint64_t lane, uint64_t input) {
  return rotate(lane + input * prime2, 31) * prime1;
}

uint64_t merge(uint64_t hash, uint64_t lane) {
  return (hash ^ round(0, lane)) * prime1 + prime4;
}

} // namespace

ampc::rt::XXH64::XXH64() : lanes{prime1 + prime2, prime2, 0, 0 - prime1} {}

void ampc::rt::XXH64::addStripe(const unsigned char *stripe) {
  for (int i = 0; i < 4; ++i)
    lanes[i] = round(lanes[i], read64(stripe + 8 * i));
}

void ampc::rt::XXH64::add(const void *data, size_t size) {
  const unsigned char *p = static_cast<const unsigned char *>(data);
  size_t held = total % 32;
  total += size;
  if (held + size < 32) {
    if (size)
      memcpy(rest + held, p, size);
    return;
  }
  if (held) {
    size_t missing = 32 - held;
    memcpy(rest + held, p, missing);
    addStripe(rest);
    p += missing, size -= missing;
  }
  for (; size >= 32; p += 32, size -= 32)
    addStripe(p);
  memcpy(rest, p, size);
}

uint64_t ampc::rt::XXH64::digest() const {
  const unsigned char *p = rest;
  size_t left = total % 32;
  uint64_t hash = prime5;
  if (total >= 32) {
    hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) +
           rotate(lanes[3], 18);
    for (uint64_t lane : lanes)
      hash = merge(hash, lane);
  }
  hash += total;
  for (; left >= 8; p += 8, left -= 8)
    hash = rotate(hash ^ round(0, read64(p)), 27) * prime1 + prime4;
  if (left >= 4) {
    hash = rotate(hash ^ read32(p) * prime1, 23) * prime2 + prime3;
    p += 4, left -= 4;
  }
  for (; left; ++p, --left)
    hash = rotate(hash ^ *p * prime5, 11) * prime1;
  hash = (hash ^ hash >> 33) * prime2;
  hash = (hash ^ hash >> 29) * prime3;
  return hash ^ hash >> 32;
}

uint64_t ampc::rt::xxh64(const void *data, size_t size) {
  XXH64 hash;
  hash.add(data, size);
  return hash.digest();
}
