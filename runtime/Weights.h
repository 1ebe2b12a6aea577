//===- Weights.h - Weights in a file beside the library ----------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_WEIGHTS_H
#define AMPC_RUNTIME_WEIGHTS_H

#include "Message.h"
#include "abi.h"

namespace ampc::rt {

/// Maps the weights file of `desc` read-only. `directory` null means the
/// folder of the library (or program) that holds `desc`, wherever that was
/// moved to. The file must have the recorded size and, with `verify`, hash.
/// On success `*data` is the mapping of desc.weights_size bytes, to be undone
/// by unmapWeights. Whoever truncates the file later gets SIGBUS on access.
ampc_status mapWeights(const ampc_model_desc &desc, const char *directory,
                       bool verify, const void **data, Message &message);

void unmapWeights(const void *data, uint64_t size);

} // namespace ampc::rt

#endif // AMPC_RUNTIME_WEIGHTS_H
