//===- NpyHeader.h - The dictionary at the front of a .npy -------*- C++
//-*-===//
//
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_TOOLS_TENSORFILE_NPYHEADER_H
#define AMPC_TOOLS_TENSORFILE_NPYHEADER_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ampc {

struct NpyHeader {
  int32_t dtype;
  bool fortranOrder;
  std::vector<int64_t> shape;
};

/// Parses the literal of a Python dictionary; `error` gets a reason without a
/// file name.
std::optional<NpyHeader> parseNpyHeader(std::string_view text,
                                        std::string &error);

/// numpy's name of the type that `dtype` is written as, such as "<f4".
const char *npyDescr(int32_t dtype);

} // namespace ampc

#endif // AMPC_TOOLS_TENSORFILE_NPYHEADER_H
