//===- WeightBytes.cpp - Weights as they lie in memory --------------------===//

#include "compiler/export/WeightBytes.h"

#include "runtime/XXH64.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace amp;

/// What the verifier of amp.weight_data lets through: a resource, or the dense
/// elements that small or hand-written modules use.
static void writeWeight(ElementsAttr value, llvm::raw_ostream &stream) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    ArrayRef<char> bytes = resource.getRawHandle().getBlob()->getData();
    stream.write(bytes.data(), bytes.size());
    return;
  }
  auto dense = cast<DenseElementsAttr>(value);
  if (dense.getElementType().isInteger(1)) { // Packed bits, there.
    for (bool flag : dense.getValues<bool>())
      stream.write(char(flag));
    return;
  }
  ArrayRef<char> bytes = dense.getRawData();
  int64_t copies = dense.isSplat() ? dense.getNumElements() : 1;
  for (int64_t i = 0; i < copies; ++i)
    stream.write(bytes.data(), bytes.size());
}

void ampc::writeWeights(const WeightLayout &layout, llvm::raw_ostream &stream) {
  uint64_t start = stream.tell();
  for (const WeightLayout::Entry &entry : layout.entries()) {
    stream.write_zeros(entry.offset - (stream.tell() - start));
    writeWeight(entry.value, stream);
  }
  stream.write_zeros(layout.size() - (stream.tell() - start));
}

namespace {
/// Passes on what is written, and hashes it.
class HashingStream : public llvm::raw_ostream {
public:
  explicit HashingStream(llvm::raw_ostream &stream)
      : raw_ostream(/*unbuffered=*/true), stream(stream) {}

  ampc::rt::XXH64 hash;

private:
  void write_impl(const char *data, size_t size) override {
    hash.add(data, size);
    stream.write(data, size);
    position += size;
  }
  uint64_t current_pos() const override { return position; }

  llvm::raw_ostream &stream;
  uint64_t position = 0;
};
} // namespace

uint64_t ampc::writeHashedWeights(const WeightLayout &layout,
                                  llvm::raw_ostream &stream) {
  HashingStream hashing(stream);
  writeWeights(layout, hashing);
  return hashing.hash.digest();
}
