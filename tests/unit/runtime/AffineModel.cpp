//===- AffineModel.cpp - The model that the examples run ------------------===//
//
// y = 2 x + 1, float [n, 3] -> float [n, 3].
//
//===----------------------------------------------------------------------===//

#include "abi.h"
#include "ampc.h"

namespace {

int32_t affine(ampc_exec *exec) {
  const int64_t *x = static_cast<const int64_t *>(exec->inputs[0]);
  const float *from = reinterpret_cast<const float *>(x[1]);
  float *to = static_cast<float *>(ampc_rt_output(exec, 0, x + 3));
  if (!to)
    return -1;
  for (int64_t i = 0; i < 3 * x[3]; ++i)
    to[i] = 2 * from[i] + 1;
  return AMPC_OK;
}

const int64_t dims[] = {-1, 3};
const char *const symbols[] = {"n", nullptr};
const ampc_tensor_desc x = {"x", AMPC_FLOAT, 2, dims, symbols};
const ampc_tensor_desc y = {"y", AMPC_FLOAT, 2, dims, symbols};

} // namespace

const ampc_model_desc ampc_model_description = {
    AMPC_ABI_VERSION, 1, 1,       0, "affine", "{}", "", &x, &y,
    nullptr,          0, nullptr, 0, affine};
