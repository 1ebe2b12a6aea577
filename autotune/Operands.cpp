//===- Operands.cpp - Memory that a kernel is tried on --------------------===//

#include "autotune/Operands.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace ampc::tune;

/// Poison on each side; code may read 256 bytes of any buffer (runtime/abi.h).
static constexpr size_t kMargin = 4096;

static size_t pageBytes() {
  static const size_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

/// Memory between two pages that cannot be touched, or null.
char *Operands::map(size_t bytes) {
  const size_t page = pageBytes();
  size_t whole = (bytes + page - 1) / page * page + 2 * page;
  void *memory = mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  char *start = static_cast<char *>(memory);
  mappings.push_back({start, whole});
  mprotect(start, page, PROT_NONE);
  mprotect(start + whole - page, page, PROT_NONE);
  return start + page;
}

Operands::~Operands() {
  for (auto [start, bytes] : mappings)
    munmap(start, bytes);
}

/// Calls visit(offset in elements).
template <typename Visit>
void Operands::forEachElement(const BufferShape &shape, Visit visit) {
  const size_t rank = shape.sizes.size();
  for (int64_t size : shape.sizes)
    if (size == 0)
      return;
  std::vector<int64_t> index(rank);
  while (true) {
    int64_t offset = shape.offset;
    for (size_t d = 0; d < rank; ++d)
      offset += index[d] * shape.strides[d];
    visit(offset);
    size_t d = rank;
    while (d > 0 && ++index[d - 1] == shape.sizes[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

/// Random elements, of one size with each other, so that no sum overflows and
/// none drowns the others.
void Operands::fill(Buffer &buffer, uint64_t seed) {
  const BufferShape &shape = buffer.shape;
  uint64_t state = seed;
  forEachElement(shape, [&](int64_t offset) {
    // SplitMix64.
    uint64_t bits = state += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    uint64_t element = 0;
    if (shape.kind == ElementKind::Boolean) {
      element = bits & 1;
    } else if (shape.kind == ElementKind::Integer) {
      element = bits & 7;
    } else {
      // Signs, and fractions of [0.5, 1) that f32 has.
      uint64_t sign = bits >> 63;
      const uint64_t fraction = bits & ((1 << 23) - 1);
      if (shape.bytes == 8)
        element = sign << 63 | uint64_t(0x3fe) << 52 | fraction << 29;
      else if (shape.bytes == 4)
        element = sign << 31 | uint64_t(0x7e) << 23 | fraction;
      else if (shape.isBF16)
        element = sign << 15 | 0x7eu << 7 | (bits & 0x7f);
      else
        element = sign << 15 | 0xeu << 10 | (bits & 0x3ff);
    }
    // The machine is little-endian.
    std::memcpy(buffer.data + offset * shape.bytes, &element, shape.bytes);
  });
}

llvm::Error Operands::allocate(Buffer &buffer) {
  const BufferShape &shape = buffer.shape;
  int64_t elements = shape.offset + 1;
  for (size_t d = 0; d < shape.sizes.size(); ++d)
    elements += (shape.sizes[d] - 1) * shape.strides[d];
  buffer.regionBytes =
      std::max<int64_t>(elements, 0) * shape.bytes + 2 * kMargin;
  buffer.region = map(buffer.regionBytes);
  if (shape.isOutput)
    buffer.expected = map(buffer.regionBytes);
  if (!buffer.region || (shape.isOutput && !buffer.expected))
    return llvm::createStringError("there is no memory for its operands");
  std::memset(buffer.region, 0xff, buffer.regionBytes);
  buffer.data = buffer.region + kMargin;
  int64_t address = reinterpret_cast<int64_t>(buffer.data);
  buffer.descriptor = {address, address, shape.offset};
  buffer.descriptor.insert(buffer.descriptor.end(), shape.sizes.begin(),
                           shape.sizes.end());
  buffer.descriptor.insert(buffer.descriptor.end(), shape.strides.begin(),
                           shape.strides.end());
  if (!shape.isOutput) {
    fill(buffer, buffers.size() + 1);
    mprotect(buffer.region, buffer.regionBytes, PROT_READ);
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Operands>>
Operands::create(llvm::ArrayRef<BufferShape> shapes) {
  std::unique_ptr<Operands> operands(new Operands());
  for (const BufferShape &shape : shapes) {
    Buffer buffer;
    buffer.shape = shape;
    if (llvm::Error error = operands->allocate(buffer))
      return std::move(error);
    operands->buffers.push_back(std::move(buffer));
  }
  for (Buffer &buffer : operands->buffers)
    operands->inputs.push_back(buffer.descriptor.data());
  operands->context.inputs = operands->inputs.data();
  return std::move(operands);
}

void Operands::poisonOutputs(unsigned char poison) {
  for (Buffer &buffer : buffers)
    if (buffer.shape.isOutput)
      std::memset(buffer.region, poison, buffer.regionBytes);
}

void Operands::expectOutputs() {
  for (Buffer &buffer : buffers)
    if (buffer.shape.isOutput)
      std::memcpy(buffer.expected, buffer.region, buffer.regionBytes);
}

bool Operands::areOutputsAsExpected() const {
  for (const Buffer &buffer : buffers)
    if (buffer.shape.isOutput &&
        std::memcmp(buffer.expected, buffer.region, buffer.regionBytes))
      return false;
  return true;
}

std::vector<double> Operands::outputs() const {
  std::vector<double> values;
  for (const Buffer &buffer : buffers)
    if (buffer.shape.isOutput && buffer.shape.kind == ElementKind::Float &&
        buffer.shape.bytes >= 4)
      forEachElement(buffer.shape, [&](int64_t offset) {
        const char *at = buffer.data + offset * buffer.shape.bytes;
        float narrow;
        double wide;
        std::memcpy(&narrow, at, sizeof narrow);
        std::memcpy(&wide, at, buffer.shape.bytes == 8 ? sizeof wide : 0);
        values.push_back(buffer.shape.bytes == 8 ? wide : double(narrow));
      });
  return values;
}

bool Operands::areElementsAsExpected() const {
  bool equal = true;
  for (const Buffer &buffer : buffers)
    if (buffer.shape.isOutput)
      forEachElement(buffer.shape, [&](int64_t offset) {
        size_t at = kMargin + offset * buffer.shape.bytes;
        equal &= !std::memcmp(buffer.expected + at, buffer.region + at,
                              buffer.shape.bytes);
      });
  return equal;
}
