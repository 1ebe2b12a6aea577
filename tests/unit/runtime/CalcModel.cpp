//===- CalcModel.cpp - A model written by hand ----------------------------===//
//
// What generated code looks like to the runtime, for its tests:
//
//   a: float [batch, 4]   b: float [batch, 4]   flags: bool [n]   scale: double
//   sum: float [batch, 4] = (a + b) * scale, through a buffer in the arena
//   chosen: int64 [k] = the i with flags[i], through a side buffer
//
// A NaN as scale is an error of the data, a negative one asks for impossible
// memory. Macros make variants: CALC_FEATURES (CPU features),
// CALC_WEIGHTS_FILE, _SIZE and _HASH (weights[0] is then added to the sum),
// CALC_ABI_VERSION, CALC_PROFILE (as --profile).
//
//===----------------------------------------------------------------------===//

#include "abi.h"
#include "ampc.h"

#ifndef CALC_FEATURES
#define CALC_FEATURES nullptr
#endif
#ifndef CALC_WEIGHTS_FILE
#define CALC_WEIGHTS_FILE nullptr
#define CALC_WEIGHTS_SIZE 0
#define CALC_WEIGHTS_HASH 0
#endif
#ifndef CALC_ABI_VERSION
#define CALC_ABI_VERSION AMPC_ABI_VERSION
#endif

namespace {

struct Memref {
  void *allocated;
  char *aligned;
  int64_t offset;
  int64_t dims[2];
};

/// Reads what generated code may read of every buffer, see ampc_exec.
void touch(const void *buffer) {
  const volatile unsigned char *bytes =
      static_cast<const unsigned char *>(buffer);
  for (int i = 0; i < 256; ++i)
    (void)bytes[i];
}

struct AddArgs {
  const float *a, *b;
  float *to;
};

void add(void *args, int64_t lo, int64_t hi) {
  const AddArgs &x = *static_cast<AddArgs *>(args);
  for (int64_t i = lo; i < hi; ++i)
    x.to[i] = x.a[i] + x.b[i];
}

struct ScaleArgs {
  const float *from;
  double scale;
  float *to;
};

void scale(void *args, int64_t lo, int64_t hi) {
  const ScaleArgs &x = *static_cast<ScaleArgs *>(args);
  for (int64_t i = lo; i < hi; ++i)
    x.to[i] = float(x.from[i] * x.scale);
}

#ifdef CALC_PROFILE
ampc_launch_times launchTimes[3];

void parallel(ampc_exec *exec, void (*fn)(void *, int64_t, int64_t), void *args,
              int64_t n, int launch) {
  ampc_rt_profiled_parallel(exec, fn, args, n, 16, &launchTimes[launch]);
}
#else
void parallel(ampc_exec *exec, void (*fn)(void *, int64_t, int64_t), void *args,
              int64_t n, int) {
  ampc_rt_parallel(exec, fn, args, n, 16);
}
#endif

int32_t calc(ampc_exec *exec) {
  auto input = [&](int i) -> const Memref & {
    return *static_cast<const Memref *>(exec->inputs[i]);
  };
  for (int i = 0; i < 4; ++i)
    touch(input(i).aligned);
  double factor = *reinterpret_cast<const double *>(input(3).aligned);
  if (factor != factor)
    return ampc_rt_fail(exec, AMPC_FAILED, "node \"scale\": NaN");
  if (factor < 0 && !ampc_rt_side_alloc(exec, int64_t(factor)))
    return -1;

  int64_t batch = input(0).dims[0], n = 4 * batch;
  const int64_t sizes[] = {4 * n, 64};
  const int32_t first[] = {0, 0}, last[] = {1, 0};
  int64_t offsets[2];
  char *arena = static_cast<char *>(
      ampc_rt_arena(exec, 0, 2, sizes, first, last, offsets));
  if (!arena)
    return -1;
  touch(arena + offsets[0]);
  touch(arena + offsets[1]);
  float *sum = reinterpret_cast<float *>(arena + offsets[0]);
  AddArgs addArgs = {reinterpret_cast<const float *>(input(0).aligned),
                     reinterpret_cast<const float *>(input(1).aligned), sum};
  parallel(exec, add, &addArgs, n, 0);
  if (exec->weights)
    for (int64_t i = 0; i < n; ++i)
      sum[i] += *static_cast<const unsigned char *>(exec->weights);

  const int64_t sumDims[] = {batch, 4};
  void *out = ampc_rt_output(exec, 0, sumDims);
  if (!out)
    return -1;
  touch(out);
  ScaleArgs scaleArgs = {sum, factor, static_cast<float *>(out)};
  parallel(exec, scale, &scaleArgs, n, 1);

  int64_t flags = input(2).dims[0], count = 0;
  int64_t *side = static_cast<int64_t *>(ampc_rt_side_alloc(exec, flags * 8));
  if (!side)
    return -1;
  touch(side);
  for (int64_t i = 0; i < flags; ++i)
    if (input(2).aligned[i])
      side[count++] = i;
  int64_t *chosen = static_cast<int64_t *>(ampc_rt_output(exec, 1, &count));
  if (!chosen)
    return -1;
  touch(chosen);
  for (int64_t i = 0; i < count; ++i)
    chosen[i] = side[i];
  return AMPC_OK;
}

const int64_t matrixDims[] = {-1, 4};
const char *const matrixSymbols[] = {"batch", nullptr};
const int64_t listDims[] = {-1};
const char *const listSymbols[] = {"n"};

const ampc_tensor_desc inputs[] = {
    {"a", AMPC_FLOAT, 2, matrixDims, matrixSymbols},
    {"b", AMPC_FLOAT, 2, matrixDims, matrixSymbols},
    {"flags", AMPC_BOOL, 1, listDims, listSymbols},
    {"scale", AMPC_DOUBLE, 0, nullptr, nullptr},
};
const ampc_tensor_desc outputs[] = {
    {"sum", AMPC_FLOAT, 2, matrixDims, matrixSymbols},
    {"chosen", AMPC_INT64, 1, listDims, nullptr},
};

} // namespace

const ampc_model_desc ampc_model_description = {CALC_ABI_VERSION,
                                                4,
                                                2,
                                                1,
                                                "calc",
                                                "{\"name\":\"calc\"}",
                                                CALC_FEATURES,
                                                inputs,
                                                outputs,
                                                nullptr,
                                                CALC_WEIGHTS_SIZE,
                                                CALC_WEIGHTS_FILE,
                                                CALC_WEIGHTS_HASH,
                                                calc};

#ifdef CALC_PROFILE
namespace {

const char *const addNodes[] = {"a+b", "again\n\xff", "a+b"};
const char *const addOps[] = {"Add", "Add", ""};
const char *const scaleNodes[] = {"scale"};
const char *const scaleOps[] = {"Mul"};
// What is never run is there too.
const ampc_launch launches[] = {
    {"pointwise_0", "f32[?,4], f32[?,4], f32[?,4]", 3, addNodes, addOps},
    {"pointwise_1", "f32[?,4], f32[?,4]", 1, scaleNodes, scaleOps},
    {"copy_2", "f32[?,4]", 0, nullptr, nullptr},
};

} // namespace

extern "C" __attribute__((visibility("default")))
const ampc_profile ampc_profile_v1 = {sizeof(ampc_profile), 3, launches,
                                      launchTimes};
#endif
