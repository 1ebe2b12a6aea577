//===- Api.cpp - The functions that callers see ---------------------------===//
//
// Null pointers and contexts in use are dealt with here; what is behind may
// rely on its arguments.
//
//===----------------------------------------------------------------------===//

#include "Api.h"
#include "Context.h"
#include "DType.h"

using namespace ampc::rt;

namespace {

ampc_status tensorInfo(const ampc_tensor_desc *tensors, uint32_t count,
                       uint32_t index, ampc_tensor_info *info) {
  if (!info || index >= count)
    return AMPC_INVALID_ARGUMENT;
  const ampc_tensor_desc &tensor = tensors[index];
  *info = {tensor.name, tensor.dtype, tensor.rank, tensor.dims, tensor.symbols};
  return AMPC_OK;
}

/// Holds a context for one call; false while another thread has it.
class Hold {
public:
  explicit Hold(ampc_context *context) : context(context) {
    held = !context->running.exchange(1, std::memory_order_acquire);
  }
  ~Hold() {
    if (held)
      context->running.store(0, std::memory_order_release);
  }
  Hold(const Hold &) = delete;
  explicit operator bool() const { return held; }

private:
  ampc_context *context;
  bool held;
};

/// Finds output `index` of the last run; else the status says why not.
ampc_status findOutput(ampc_context &context, uint32_t index, Output *&output) {
  const ampc_model_desc &desc = *context.model->desc;
  context.error.clear();
  if (index >= desc.num_outputs)
    return context.error.fail(AMPC_INVALID_ARGUMENT,
                              "output %u of a model that has %u", index,
                              desc.num_outputs);
  if (!context.haveOutputs)
    return context.error.fail(AMPC_NO_OUTPUT,
                              "there are no outputs: no run in this context, "
                              "or the last one failed");
  output = &context.outputs[index];
  if (output->taken)
    return context.error.fail(AMPC_NO_OUTPUT,
                              "output %u \"%s\" was taken already", index,
                              desc.outputs[index].name);
  return AMPC_OK;
}

} // namespace

const char *ampc::rt::apiName(const ampc_api_v1 *api) {
  return api->description->name;
}

const char *ampc::rt::apiInfoJson(const ampc_api_v1 *api) {
  return api->description->info_json;
}

uint32_t ampc::rt::apiNumInputs(const ampc_api_v1 *api) {
  return api->description->num_inputs;
}

uint32_t ampc::rt::apiNumOutputs(const ampc_api_v1 *api) {
  return api->description->num_outputs;
}

ampc_status ampc::rt::apiInputInfo(const ampc_api_v1 *api, uint32_t index,
                                   ampc_tensor_info *info) {
  const ampc_model_desc &desc = *api->description;
  return tensorInfo(desc.inputs, desc.num_inputs, index, info);
}

ampc_status ampc::rt::apiOutputInfo(const ampc_api_v1 *api, uint32_t index,
                                    ampc_tensor_info *info) {
  const ampc_model_desc &desc = *api->description;
  return tensorInfo(desc.outputs, desc.num_outputs, index, info);
}

ampc_status ampc::rt::apiDTypeInfo(int32_t dtype, ampc_dtype_info *info) {
  const ampc_dtype_info *found = dtypeInfo(dtype);
  if (!found || !info)
    return AMPC_INVALID_ARGUMENT;
  *info = *found;
  return AMPC_OK;
}

const char *ampc::rt::apiStatusName(ampc_status status) {
  return statusName(status);
}

ampc_status ampc::rt::apiModelCreate(const ampc_api_v1 *api,
                                     const ampc_model_options *options,
                                     ampc_model **model, char *text,
                                     size_t textSize) {
  Message message;
  message.clear();
  ampc_status status;
  if (!api || !model)
    status = message.fail(AMPC_INVALID_ARGUMENT, "api or model is null");
  else {
    *model = nullptr;
    status = createModel(api->description, options, model, message);
  }
  copyMessage(message, text, textSize);
  return status;
}

void ampc::rt::apiModelDestroy(ampc_model *model) { dropModel(model); }

ampc_status ampc::rt::apiContextCreate(ampc_model *model,
                                       const ampc_context_options *options,
                                       ampc_context **context, char *text,
                                       size_t textSize) {
  Message message;
  message.clear();
  ampc_status status;
  if (context)
    *context = nullptr;
  if (!model || !context)
    status = message.fail(AMPC_INVALID_ARGUMENT, "model or context is null");
  else
    status = createContext(model, options, context, message);
  copyMessage(message, text, textSize);
  return status;
}

void ampc::rt::apiContextDestroy(ampc_context *context) {
  destroyContext(context);
}

ampc_status ampc::rt::apiSetThreads(ampc_context *context, int32_t threads) {
  if (!context)
    return AMPC_INVALID_ARGUMENT;
  Hold hold(context);
  if (!hold)
    return AMPC_BUSY;
  context->error.clear();
  return setThreads(threads, context->threads, context->error);
}

const char *ampc::rt::apiLastError(const ampc_context *context) {
  return context ? context->error.text : "the context is null";
}

ampc_status ampc::rt::apiRun(ampc_context *context,
                             const DLTensor *const *inputs, size_t numInputs,
                             DLTensor *const *outputs, size_t numOutputs) {
  if (!context)
    return AMPC_INVALID_ARGUMENT;
  Hold hold(context);
  if (!hold)
    return AMPC_BUSY;
  return run(*context, inputs, numInputs, outputs, numOutputs);
}

ampc_status ampc::rt::apiOutput(ampc_context *context, uint32_t index,
                                DLTensor *tensor) {
  if (!context)
    return AMPC_INVALID_ARGUMENT;
  Hold hold(context);
  if (!hold)
    return AMPC_BUSY;
  Output *output;
  if (ampc_status status = findOutput(*context, index, output))
    return status;
  if (!tensor)
    return context->error.fail(AMPC_INVALID_ARGUMENT, "tensor is null");
  output->describe(context->model->desc->outputs[index], *tensor);
  return AMPC_OK;
}

ampc_status ampc::rt::apiTakeOutput(ampc_context *context, uint32_t index,
                                    DLManagedTensor **tensor) {
  if (tensor)
    *tensor = nullptr;
  if (!context)
    return AMPC_INVALID_ARGUMENT;
  Hold hold(context);
  if (!hold)
    return AMPC_BUSY;
  Output *output;
  if (ampc_status status = findOutput(*context, index, output))
    return status;
  const ampc_tensor_desc &desc = context->model->desc->outputs[index];
  if (!tensor)
    return context->error.fail(AMPC_INVALID_ARGUMENT, "tensor is null");
  if (output->isCallers)
    return context->error.fail(AMPC_NO_OUTPUT,
                               "output %u \"%s\" is in the caller's memory",
                               index, desc.name);
  DLTensor described;
  output->describe(desc, described);
  *tensor = output->take();
  (*tensor)->dl_tensor = described;
  return AMPC_OK;
}
