//===- Model.h - What all contexts share -------------------------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_MODEL_H
#define AMPC_RUNTIME_MODEL_H

#include "Message.h"
#include "abi.h"

#include <atomic>

/// Immutable but for the count of those who hold it.
struct ampc_model {
  const ampc_model_desc *desc;
  const void *weights;
  bool mapped; ///< `weights` is a mapping of ours.
  std::atomic<uint32_t> holders;
};

namespace ampc::rt {

ampc_status createModel(const ampc_model_desc *desc,
                        const ampc_model_options *options, ampc_model **model,
                        Message &message);
void holdModel(ampc_model *model);
void dropModel(ampc_model *model);

} // namespace ampc::rt

#endif // AMPC_RUNTIME_MODEL_H
