//===- Replay.cpp - A fuzz target without libFuzzer -----------------------===//
//
// usage: fuzz-TARGET [-runs=N] [-seed=N] FILE...
//
// Runs the target on each file, then on N changed ones. What libFuzzer does
// better is to learn which changes lead on; this needs no clang, and is the
// same each time.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
// Only some targets have one.
extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data,
                                                                size_t size,
                                                                size_t most,
                                                                unsigned seed);

static std::minstd_rand bits;

/// What custom mutators call to change bytes blindly.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) {
  switch (size ? bits() % 4 : 3) {
  case 0: // Cut.
    return bits() % size;
  case 1: { // Repeat a part.
    size_t from = bits() % size;
    size_t length = std::min(bits() % (size - from) + 1, most - size);
    std::memmove(data + from + length, data + from, size - from);
    return size + length;
  }
  case 2: // Set a byte to what lengths and numbers turn on.
    data[bits() % size] = "\x00\x7f\x80\xff"[bits() % 4];
    return size;
  default:
    if (size)
      data[bits() % size] ^= uint8_t(1u << bits() % 8);
    return size;
  }
}

using Bytes = std::vector<uint8_t>;

static void run(const Bytes &bytes, const std::string &what) {
  // Named before it runs, in case it does not return.
  printf("%s\n", what.c_str());
  fflush(stdout);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

static Bytes changed(Bytes bytes, unsigned seed) {
  constexpr size_t most = 16384;
  size_t size = bytes.size();
  bytes.resize(std::max(most, size));
  bits.seed(seed);
  for (unsigned i = 0; i <= seed % 4; ++i)
    size = LLVMFuzzerCustomMutator
               ? LLVMFuzzerCustomMutator(bytes.data(), size, bytes.size(),
                                         seed + i)
               : LLVMFuzzerMutate(bytes.data(), size, bytes.size());
  bytes.resize(size);
  return bytes;
}

int main(int argc, char **argv) {
  unsigned runs = 0, seed = 1;
  std::vector<Bytes> inputs;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    if (!strncmp(argv[i], "-runs=", 6)) {
      runs = unsigned(atoi(argv[i] + 6));
      continue;
    }
    if (!strncmp(argv[i], "-seed=", 6)) {
      seed = unsigned(atoi(argv[i] + 6));
      continue;
    }
    std::ifstream file(argv[i], std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file),
                        std::istreambuf_iterator<char>());
    names.push_back(argv[i]);
    if (!file) {
      fprintf(stderr, "cannot read '%s'\n", argv[i]);
      return 1;
    }
  }
  if (inputs.empty()) {
    fprintf(stderr, "usage: [-runs=N] [-seed=N] FILE...\n");
    return 2;
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    run(inputs[i], names[i]);
  for (unsigned i = 0; i < runs; ++i, ++seed) {
    size_t at = std::minstd_rand(seed)() % inputs.size();
    Bytes bytes = changed(inputs[at], seed);
    if (const char *keep = getenv("AMPC_FUZZ_KEEP"))
      std::ofstream(keep, std::ios::binary)
          .write(reinterpret_cast<const char *>(bytes.data()),
                 std::streamsize(bytes.size()));
    run(bytes, names[at] + " changed by -seed=" + std::to_string(seed));
  }
  return 0;
}
