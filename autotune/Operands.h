//===- Operands.h - Memory that a kernel is tried on ------------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_OPERANDS_H
#define AMPC_AUTOTUNE_OPERANDS_H

#include "runtime/abi.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace ampc::tune {

/// How elements are made up.
enum class ElementKind { Float, Integer, Boolean };

struct BufferShape {
  std::vector<int64_t> sizes, strides; ///< In elements.
  int64_t offset = 0; ///< Of the first element from the buffer's address.
  ElementKind kind = ElementKind::Float;
  int64_t bytes = 4; ///< An element's.
  /// Among the formats of 16 bits.
  bool isBF16 = false;
  bool isOutput = false;
};

/// The buffers of one kernel. Inputs hold random elements and cannot be
/// written. Around all buffers, and between elements that do not lie densely,
/// is poison: bytes that are NaN in every float format and -1 as integers. So
/// are outputs before a run. Pages that nobody may touch follow on both sides.
///
/// Memory is shared with child processes.
class Operands {
public:
  static llvm::Expected<std::unique_ptr<Operands>>
  create(llvm::ArrayRef<BufferShape> buffers);
  ~Operands();

  /// What generated code is called with; the buffers are its inputs, in order.
  const ampc_exec *exec() const { return &context; }
  char *data(size_t buffer) const { return buffers[buffer].data; }

  /// Fills the outputs and what is around them with `poison`.
  void poisonOutputs(unsigned char poison = 0xff);
  /// Keeps what the outputs are now as what they are expected to be.
  void expectOutputs();
  /// Whether outputs and what is around them have the expected bits.
  bool areOutputsAsExpected() const;
  /// Whether the elements of outputs have.
  bool areElementsAsExpected() const;
  /// The elements of outputs that are f32 or f64.
  std::vector<double> outputs() const;

private:
  struct Buffer {
    BufferShape shape;
    char *region = nullptr;   ///< Data and the poison around it.
    char *expected = nullptr; ///< Of outputs: a copy of the region.
    size_t regionBytes = 0;
    char *data = nullptr;
    std::vector<int64_t> descriptor; ///< As ampc_exec has it.
  };

  Operands() = default;
  llvm::Error allocate(Buffer &buffer);
  char *map(size_t bytes);
  template <typename Visit>
  static void forEachElement(const BufferShape &shape, Visit visit);
  static void fill(Buffer &buffer, uint64_t seed);

  std::vector<Buffer> buffers;
  std::vector<void *> inputs;
  std::vector<std::pair<char *, size_t>> mappings;
  ampc_exec context{};
};

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_OPERANDS_H
