//===- Output.h - One output of a context ------------------------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_OUTPUT_H
#define AMPC_RUNTIME_OUTPUT_H

#include "Message.h"
#include "abi.h"

namespace ampc::rt {

/// Where an output of the running or last run is. Memory of ours is one block
/// from aligned_alloc that begins with its DLManagedTensor, so that the deleter
/// is libc's free and outlives context and library. The block is kept for the
/// next run unless it is taken. All zeros is an empty one.
struct Output {
  /// `given` (may be null) is the caller's tensor for this run.
  void begin(const DLTensor *given);

  /// Provides the memory for a result of shape `dims`; null on failure.
  void *provide(const ampc_tensor_desc &desc, uint32_t index,
                const int64_t *dims, Message &message);

  /// After a successful run: brings a result that was staged to the caller.
  void finish();

  /// Describes the result.
  void describe(const ampc_tensor_desc &desc, DLTensor &tensor) const;

  /// Gives our block away; only if it is ours.
  DLManagedTensor *take();

  void release();

  bool provided;  ///< `provide` succeeded in this run.
  bool isCallers; ///< In the caller's memory.
  bool taken;

private:
  struct Block;
  bool allocate(int64_t header, int64_t bytes);

  const DLTensor *given;
  void *data;     ///< Of the result.
  int64_t staged; ///< Bytes to copy from `block` to the caller.
  Block *block;
};

} // namespace ampc::rt

#endif // AMPC_RUNTIME_OUTPUT_H
