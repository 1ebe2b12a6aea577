//===- Context.cpp - Making and ending contexts ---------------------------===//

#include "Context.h"
#include "Memory.h"
#include "Pool.h"

#include <new>

using namespace ampc::rt;

namespace {

bool allocateParts(ampc_context &context) {
  const ampc_model_desc &desc = *context.model->desc;
  context.descriptors = allocateZeroed<int64_t *>(desc.num_inputs);
  context.outputs = allocateZeroed<Output>(desc.num_outputs);
  context.arenas = allocateZeroed<Arena>(desc.num_arenas);
  context.extents =
      allocateZeroed<Extent>(size_t(desc.num_inputs) + desc.num_outputs);
  if (!context.descriptors || !context.outputs || !context.arenas ||
      !context.extents || !context.symbols.create(desc))
    return false;
  for (uint32_t i = 0; i < desc.num_inputs; ++i) {
    context.descriptors[i] =
        allocateZeroed<int64_t>(3 + 2 * size_t(desc.inputs[i].rank));
    if (!context.descriptors[i])
      return false;
  }
  context.exec.inputs = reinterpret_cast<void *const *>(context.descriptors);
  context.exec.weights = context.model->weights;
  return true;
}

} // namespace

ampc_status ampc::rt::setThreads(int32_t threads, int32_t &result,
                                 Message &message) {
  if (threads < 0 || threads > maxThreads)
    return message.fail(AMPC_INVALID_ARGUMENT,
                        "the number of threads is %d, expected 0 to %d",
                        threads, maxThreads);
  result = threads ? threads : availableCpus();
  return AMPC_OK;
}

ampc_status ampc::rt::createContext(ampc_model *model,
                                    const ampc_context_options *options,
                                    ampc_context **result, Message &message) {
  if (options && options->struct_size < sizeof(ampc_context_options))
    return message.fail(AMPC_INVALID_ARGUMENT,
                        "ampc_context_options.struct_size is %zu, expected %zu",
                        options->struct_size, sizeof(ampc_context_options));
  int32_t threads = 0;
  if (ampc_status status =
          setThreads(options ? options->threads : 0, threads, message))
    return status;
  void *memory = allocateZeroed<ampc_context>(1);
  if (!memory)
    return message.fail(AMPC_OUT_OF_MEMORY, "out of memory");
  ampc_context *context = new (memory) ampc_context();
  holdModel(model);
  context->model = model;
  context->threads = threads;
  if (!allocateParts(*context)) {
    destroyContext(context);
    return message.fail(AMPC_OUT_OF_MEMORY, "out of memory");
  }
  *result = context;
  return AMPC_OK;
}

void ampc::rt::destroyContext(ampc_context *context) {
  if (!context)
    return;
  const ampc_model_desc &desc = *context->model->desc;
  if (context->descriptors)
    for (uint32_t i = 0; i < desc.num_inputs; ++i)
      free(context->descriptors[i]);
  free(context->descriptors);
  if (context->outputs)
    for (uint32_t i = 0; i < desc.num_outputs; ++i)
      context->outputs[i].release();
  free(context->outputs);
  free(context->extents);
  if (context->arenas)
    for (uint32_t i = 0; i < desc.num_arenas; ++i)
      context->arenas[i].release();
  free(context->arenas);
  context->symbols.release();
  context->side.release();
  dropModel(context->model);
  free(context);
}
