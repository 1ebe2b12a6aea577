//===- TensorFile.h - Tensors in files ---------------------------*- C++
//-*-===//
//
// Reads .npy, .npz and serialized ONNX TensorProtos, writes .npy. Functions
// that fail return nothing (or false) and set `error` to one line that names
// the file.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_TOOLS_TENSORFILE_TENSORFILE_H
#define AMPC_TOOLS_TENSORFILE_TENSORFILE_H

#include "HostTensor.h"

#include <optional>
#include <string>
#include <vector>

namespace ampc {

/// `name` is the array's in an archive, the TensorProto's, or empty.
struct NamedTensor {
  std::string name;
  HostTensor tensor;
};

/// All tensors of a file, by its suffix: .npy and .pb hold one.
std::optional<std::vector<NamedTensor>> readTensorFile(const std::string &path,
                                                       std::string &error);

/// numpy's format, versions 1 to 3, C or Fortran order, little-endian numbers
/// and booleans. Raw 1- and 2-byte elements ("V1", "f1", "V2", as the ml_dtypes
/// package writes its types) become uint8 and uint16.
std::optional<HostTensor> readNpy(const std::string &path, std::string &error);

/// The same from memory; `what` names it in errors.
std::optional<HostTensor> parseNpy(const std::string &what, const char *data,
                                   size_t size, std::string &error);

/// A zip archive of .npy members, stored or deflated.
std::optional<std::vector<NamedTensor>> readNpz(const std::string &path,
                                                std::string &error);

/// An ONNX TensorProto with its data inside, of any type but string.
std::optional<NamedTensor> readTensorProto(const std::string &path,
                                           std::string &error);

/// Writes version 1.0 of numpy's format to a temporary beside `path`, then
/// renames. `tensor` is contiguous, in CPU memory; `dtype` is its ampc_dtype:
/// bfloat16 is written as uint16, 8-bit floats as uint8, INT4 and INT2 as int8,
/// other types under 8 bits as uint8.
bool writeNpy(const std::string &path, int32_t dtype, const DLTensor &tensor,
              std::string &error);

/// Writes `size` bytes to a temporary beside `path`, then renames.
bool writeFile(const std::string &path, const std::string &header,
               const void *data, size_t size, std::string &error);

/// The whole file.
std::optional<std::string> readFile(const std::string &path,
                                    std::string &error);

} // namespace ampc

#endif // AMPC_TOOLS_TENSORFILE_TENSORFILE_H
