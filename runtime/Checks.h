//===- Checks.h - Are the caller's tensors what the model takes? -*- C++
//-*-===//

#ifndef AMPC_RUNTIME_CHECKS_H
#define AMPC_RUNTIME_CHECKS_H

#include "Message.h"
#include "abi.h"

namespace ampc::rt {

/// The bytes of a tensor: [low, high); empty if it has no elements.
struct Extent {
  uintptr_t low;
  uintptr_t high;
  bool overlaps(const Extent &other) const {
    return low < other.high && other.low < high && low < high &&
           other.low < other.high;
  }
};

/// A tensor that passed the checks.
struct CheckedTensor {
  char *data; ///< Byte offset applied.
  Extent extent;
  bool contiguous;
  bool empty; ///< No elements; `data` may be null.
};

/// Checks `tensor` against `desc` in everything but symbols, and that its
/// sizes and addresses do not overflow. `kind` is "input" or "output". The
/// dims of outputs are not compared with `desc`: those of the result are what
/// counts.
ampc_status checkTensor(const char *kind, uint32_t index,
                        const ampc_tensor_desc &desc, const DLTensor *tensor,
                        CheckedTensor &checked, Message &message);

/// As above, and contiguous.
ampc_status checkOutput(uint32_t index, const ampc_tensor_desc &desc,
                        const DLTensor *tensor, CheckedTensor &checked,
                        Message &message);

} // namespace ampc::rt

#endif // AMPC_RUNTIME_CHECKS_H
