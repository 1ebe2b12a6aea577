//===- Api.h - The table of functions that callers see -----------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_API_H
#define AMPC_RUNTIME_API_H

#include "abi.h"
#include "ampc.h"

namespace ampc::rt {

const char *apiName(const ampc_api_v1 *);
const char *apiInfoJson(const ampc_api_v1 *);
uint32_t apiNumInputs(const ampc_api_v1 *);
uint32_t apiNumOutputs(const ampc_api_v1 *);
ampc_status apiInputInfo(const ampc_api_v1 *, uint32_t, ampc_tensor_info *);
ampc_status apiOutputInfo(const ampc_api_v1 *, uint32_t, ampc_tensor_info *);
ampc_status apiDTypeInfo(int32_t, ampc_dtype_info *);
const char *apiStatusName(ampc_status);
ampc_status apiModelCreate(const ampc_api_v1 *, const ampc_model_options *,
                           ampc_model **, char *, size_t);
void apiModelDestroy(ampc_model *);
ampc_status apiContextCreate(ampc_model *, const ampc_context_options *,
                             ampc_context **, char *, size_t);
void apiContextDestroy(ampc_context *);
ampc_status apiSetThreads(ampc_context *, int32_t);
const char *apiLastError(const ampc_context *);
ampc_status apiRun(ampc_context *, const DLTensor *const *, size_t,
                   DLTensor *const *, size_t);
ampc_status apiOutput(ampc_context *, uint32_t, DLTensor *);
ampc_status apiTakeOutput(ampc_context *, uint32_t, DLManagedTensor **);

/// The table for one model. Constant, so that an entry function needs neither
/// a lock nor memory of its own.
constexpr ampc_api_v1 makeApi(const ampc_model_desc *desc) {
  return {sizeof(ampc_api_v1),
          AMPC_API_VERSION,
          0,
          desc,
          apiName,
          apiInfoJson,
          apiNumInputs,
          apiNumOutputs,
          apiInputInfo,
          apiOutputInfo,
          apiDTypeInfo,
          apiStatusName,
          apiModelCreate,
          apiModelDestroy,
          apiContextCreate,
          apiContextDestroy,
          apiSetThreads,
          apiLastError,
          apiRun,
          apiOutput,
          apiTakeOutput};
}

} // namespace ampc::rt

#endif // AMPC_RUNTIME_API_H
