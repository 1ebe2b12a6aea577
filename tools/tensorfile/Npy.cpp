//===- Npy.cpp - numpy's array files --------------------------------------===//

#include "NpyHeader.h"
#include "TensorFile.h"

#include <cstring>

using namespace ampc;

namespace {

constexpr char magic[] = "\x93NUMPY";
constexpr size_t magicSize = 6;

/// From column-major to row-major order; there are elements.
void transpose(const char *from, HostTensor &to, int64_t elementSize) {
  const std::vector<int64_t> &dims = to.dims();
  std::vector<int64_t> index(dims.size(), 0), strides(dims.size());
  int64_t stride = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    strides[i] = stride;
    stride *= dims[i];
  }
  char *out = to.data();
  int64_t offset = 0;
  for (int64_t n = to.numElements(); n > 0; --n) {
    std::memcpy(out, from + offset * elementSize, size_t(elementSize));
    out += elementSize;
    for (size_t i = dims.size(); i-- > 0;) {
      offset += strides[i];
      if (++index[i] < dims[i])
        break;
      offset -= index[i] * strides[i];
      index[i] = 0;
    }
  }
}

} // namespace

std::optional<HostTensor> ampc::parseNpy(const std::string &what,
                                         const char *data, size_t size,
                                         std::string &error) {
  auto fail = [&](const std::string &reason) {
    error = what + ": " + reason;
    return std::nullopt;
  };
  if (size < magicSize + 4 || std::memcmp(data, magic, magicSize))
    return fail("not a .npy file");
  int version = static_cast<unsigned char>(data[magicSize]);
  if (version < 1 || version > 3)
    return fail("version " + std::to_string(version) +
                " of the .npy format, expected 1 to 3");
  size_t lengthSize = version == 1 ? 2 : 4, at = magicSize + 2;
  if (size < at + lengthSize)
    return fail("truncated");
  size_t length = 0;
  for (size_t i = 0; i < lengthSize; ++i)
    length |= size_t(static_cast<unsigned char>(data[at + i])) << (8 * i);
  at += lengthSize;
  if (size - at < length)
    return fail("truncated");
  std::string reason;
  std::optional<NpyHeader> header =
      parseNpyHeader(std::string_view(data + at, length), reason);
  if (!header)
    return fail(reason);
  at += length;
  std::optional<int64_t> bytes = byteSize(header->dtype, header->shape);
  if (!bytes)
    return fail("its shape " + toString(header->shape) + " is too large");
  if (uint64_t(*bytes) != size - at)
    return fail("has " + std::to_string(size - at) + " bytes of elements, " +
                "expected " + std::to_string(*bytes));
  HostTensor tensor(header->dtype, std::move(header->shape));
  if (!*bytes)
    return tensor;
  if (header->fortranOrder && tensor.dims().size() > 1)
    transpose(data + at, tensor, dtypeInfo(tensor.dtype())->size);
  else
    std::memcpy(tensor.data(), data + at, size_t(*bytes));
  return tensor;
}

std::optional<HostTensor> ampc::readNpy(const std::string &path,
                                        std::string &error) {
  std::optional<std::string> content = readFile(path, error);
  if (!content)
    return std::nullopt;
  return parseNpy(path, content->data(), content->size(), error);
}

bool ampc::writeNpy(const std::string &path, int32_t dtype,
                    const DLTensor &tensor, std::string &error) {
  std::string shape = "(";
  int64_t bytes = dtypeInfo(dtype)->size;
  for (int i = 0; i < tensor.ndim; ++i) {
    shape +=
        std::to_string(tensor.shape[i]) + (i + 1 < tensor.ndim ? ", " : "");
    bytes *= tensor.shape[i];
  }
  shape += tensor.ndim == 1 ? ",)" : ")";
  std::string text = std::string("{'descr': '") + npyDescr(dtype) +
                     "', 'fortran_order': False, 'shape': " + shape + ", }";
  // Elements begin at a multiple of 64.
  size_t front = magicSize + 4;
  text.append(63 - (front + text.size()) % 64, ' ');
  text += '\n';
  std::string header(magic, magicSize);
  header += {'\x01', '\x00', char(text.size() & 255), char(text.size() >> 8)};
  return writeFile(path, header + text,
                   static_cast<const char *>(tensor.data) + tensor.byte_offset,
                   size_t(bytes), error);
}
