//===- Model.cpp - What all contexts share --------------------------------===//

#include "Model.h"
#include "CpuFeatures.h"
#include "DType.h"
#include "Memory.h"
#include "Weights.h"

#include <new>

using namespace ampc::rt;

namespace {

/// The generated side is trusted but for what a mix of versions could break.
ampc_status checkDescription(const ampc_model_desc &desc, Message &message) {
  if (desc.abi_version != AMPC_ABI_VERSION)
    return message.fail(AMPC_INCOMPATIBLE,
                        "model \"%s\" was generated for version %u of the "
                        "runtime's internal interface, this is %u",
                        desc.name, desc.abi_version, AMPC_ABI_VERSION);
  for (uint32_t i = 0; i < desc.num_inputs + desc.num_outputs; ++i) {
    bool isInput = i < desc.num_inputs;
    const ampc_tensor_desc &tensor =
        isInput ? desc.inputs[i] : desc.outputs[i - desc.num_inputs];
    if (!dtypeInfo(tensor.dtype) || tensor.rank < 0)
      return message.fail(AMPC_INCOMPATIBLE,
                          "%s \"%s\" has dtype %d, which this runtime does not "
                          "know",
                          isInput ? "input" : "output", tensor.name,
                          tensor.dtype);
  }
  return AMPC_OK;
}

} // namespace

ampc_status ampc::rt::createModel(const ampc_model_desc *desc,
                                  const ampc_model_options *options,
                                  ampc_model **model, Message &message) {
  if (options && options->struct_size < sizeof(ampc_model_options))
    return message.fail(AMPC_INVALID_ARGUMENT,
                        "ampc_model_options.struct_size is %zu, expected %zu",
                        options->struct_size, sizeof(ampc_model_options));
  uint32_t flags = options ? options->flags : 0;
  if (flags & ~uint32_t(AMPC_TRUST_WEIGHTS))
    return message.fail(AMPC_INVALID_ARGUMENT,
                        "ampc_model_options.flags is %#x: unknown bits", flags);
  if (ampc_status status = checkDescription(*desc, message))
    return status;
  if (ampc_status status = checkCpuFeatures(desc->cpu_features, message))
    return status;

  const void *weights = desc->weights;
  bool mapped = false;
  if (!weights && desc->weights_file) {
    if (ampc_status status =
            mapWeights(*desc, options ? options->weights_dir : nullptr,
                       !(flags & AMPC_TRUST_WEIGHTS), &weights, message))
      return status;
    mapped = true;
  }
  void *memory = allocateZeroed<ampc_model>(1);
  if (!memory) {
    if (mapped)
      unmapWeights(weights, desc->weights_size);
    return message.fail(AMPC_OUT_OF_MEMORY, "out of memory");
  }
  *model = new (memory) ampc_model{desc, weights, mapped, {1}};
  return AMPC_OK;
}

void ampc::rt::holdModel(ampc_model *model) {
  model->holders.fetch_add(1, std::memory_order_relaxed);
}

void ampc::rt::dropModel(ampc_model *model) {
  if (!model || model->holders.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if (model->mapped)
    unmapWeights(model->weights, model->desc->weights_size);
  free(model);
}
