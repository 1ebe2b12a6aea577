//===- File.h - Input for what reads files ----------------------*- C++ -*-===//

#ifndef AMPC_TESTS_FUZZ_FILE_H
#define AMPC_TESTS_FUZZ_FILE_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace ampc::fuzz {

/// Writes the bytes to this process's own file, which it overwrites each time,
/// and gives its path, which ends in `suffix`.
std::string write(const uint8_t *data, size_t size, const char *suffix);

} // namespace ampc::fuzz

#endif // AMPC_TESTS_FUZZ_FILE_H
