//===- Run.cpp - One run of a model ---------------------------------------===//

#include "Context.h"
#include "DType.h"
#include "Memory.h"
#include "Strided.h"

#include <string.h>

using namespace ampc::rt;

namespace {

ampc_status checkCounts(const ampc_model_desc &desc,
                        const DLTensor *const *inputs, size_t numInputs,
                        DLTensor *const *outputs, size_t numOutputs,
                        Message &message) {
  if (numInputs != desc.num_inputs)
    return message.fail(AMPC_WRONG_COUNT, "%zu inputs given, expected %u",
                        numInputs, desc.num_inputs);
  if (numInputs && !inputs)
    return message.fail(AMPC_INVALID_ARGUMENT,
                        "the array of inputs is null, expected %u tensors",
                        desc.num_inputs);
  if (outputs ? numOutputs != desc.num_outputs
              : numOutputs != 0 && numOutputs != desc.num_outputs)
    return message.fail(AMPC_WRONG_COUNT, "%zu outputs given, expected %u",
                        numOutputs, desc.num_outputs);
  return AMPC_OK;
}

/// Describes input `index` to the generated code, copying it if it is strided
/// or so small that generated code might read past the caller's memory.
ampc_status setInput(ampc_context &context, uint32_t index,
                     const DLTensor &tensor, CheckedTensor &checked) {
  const ampc_tensor_desc &desc = context.model->desc->inputs[index];
  int64_t *words = context.descriptors[index];
  int64_t *sizes = words + 3, *strides = sizes + desc.rank;
  int64_t elements = 1;
  for (int32_t i = desc.rank; i-- > 0;) {
    sizes[i] = tensor.shape[i];
    strides[i] = elements;
    // Without elements nothing is addressed; keep the strides from overflow.
    if (sizes[i])
      elements *= sizes[i];
  }
  char *data = checked.data;
  int64_t elementSize = dtypeInfo(desc.dtype)->size;
  int64_t bytes = checked.empty ? 0 : elements * elementSize;
  if (!checked.contiguous || bytes < readableBytes) {
    data = static_cast<char *>(context.side.allocate(bytes));
    if (!data)
      return context.error.fail(AMPC_OUT_OF_MEMORY,
                                "out of memory: a contiguous copy of input %u "
                                "\"%s\"",
                                index, desc.name);
    if (!checked.contiguous)
      copyFromStrided(data, checked.data, desc.rank, tensor.shape,
                      tensor.strides, elementSize);
    else if (bytes)
      memcpy(data, checked.data, size_t(bytes));
  }
  words[0] = words[1] = int64_t(reinterpret_cast<intptr_t>(data));
  words[2] = 0;
  return AMPC_OK;
}

ampc_status setInputs(ampc_context &context, const DLTensor *const *inputs) {
  const ampc_model_desc &desc = *context.model->desc;
  context.symbols.forget();
  for (uint32_t i = 0; i < desc.num_inputs; ++i) {
    CheckedTensor checked;
    if (ampc_status status = checkTensor("input", i, desc.inputs[i], inputs[i],
                                         checked, context.error))
      return status;
    for (int32_t d = 0; d < desc.inputs[i].rank; ++d)
      if (ampc_status status = context.symbols.bind(
              desc, i, d, inputs[i]->shape[d], context.error))
        return status;
    if (ampc_status status = setInput(context, i, *inputs[i], checked))
      return status;
    context.extents[i] = checked.extent;
  }
  return AMPC_OK;
}

ampc_status setOutputs(ampc_context &context, DLTensor *const *outputs) {
  const ampc_model_desc &desc = *context.model->desc;
  for (uint32_t i = 0; i < desc.num_outputs; ++i) {
    Extent &extent = context.extents[desc.num_inputs + i] = {0, 0};
    const DLTensor *given = outputs ? outputs[i] : nullptr;
    context.outputs[i].begin(given);
    if (!given)
      continue;
    CheckedTensor checked;
    if (ampc_status status =
            checkOutput(i, desc.outputs[i], given, checked, context.error))
      return status;
    extent = checked.extent;
    for (uint32_t k = 0; k < desc.num_inputs + i; ++k)
      if (extent.overlaps(context.extents[k])) {
        bool isInput = k < desc.num_inputs;
        uint32_t other = isInput ? k : k - desc.num_inputs;
        return context.error.fail(
            AMPC_ALIASED, "output %u \"%s\" overlaps %s %u \"%s\" in memory", i,
            desc.outputs[i].name, isInput ? "input" : "output", other,
            (isInput ? desc.inputs : desc.outputs)[other].name);
      }
  }
  return AMPC_OK;
}

ampc_status execute(ampc_context &context) {
  const ampc_model_desc &desc = *context.model->desc;
  int32_t status = desc.entry(&context.exec);
  // What the runtime noted says more than what the generated code returned
  // after a null from it.
  if (context.error.status)
    return context.error.status;
  if (status)
    return context.error.fail(ampc_status(status), "the model gave no reason");
  for (uint32_t i = 0; i < desc.num_outputs; ++i)
    if (!context.outputs[i].provided)
      return context.error.fail(AMPC_INTERNAL,
                                "output %u \"%s\" was not produced", i,
                                desc.outputs[i].name);
  for (uint32_t i = 0; i < desc.num_outputs; ++i)
    context.outputs[i].finish();
  return AMPC_OK;
}

} // namespace

ampc_status ampc::rt::run(ampc_context &context, const DLTensor *const *inputs,
                          size_t numInputs, DLTensor *const *outputs,
                          size_t numOutputs) {
  const ampc_model_desc &desc = *context.model->desc;
  context.error.clear();
  context.haveOutputs = false;
  context.side.reset();
  if (ampc_status status = checkCounts(desc, inputs, numInputs, outputs,
                                       numOutputs, context.error))
    return status;
  if (ampc_status status = setInputs(context, inputs))
    return status;
  if (ampc_status status = setOutputs(context, outputs))
    return status;
  if (ampc_status status = execute(context))
    return status;
  context.haveOutputs = true;
  return AMPC_OK;
}
