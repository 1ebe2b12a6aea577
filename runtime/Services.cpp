//===- Services.cpp - What generated code calls ---------------------------===//

#include "Context.h"
#include "Pool.h"

using namespace ampc::rt;

void *ampc_rt_arena(ampc_exec *exec, int32_t id, int64_t n,
                    const int64_t *sizes, const int32_t *first,
                    const int32_t *last, int64_t *offsets) {
  ampc_context &context = contextOf(exec);
  if (id < 0 || uint32_t(id) >= context.model->desc->num_arenas) {
    context.error.fail(AMPC_INTERNAL, "arena %d of %u", id,
                       context.model->desc->num_arenas);
    return nullptr;
  }
  return context.arenas[id].layOut(n, sizes, first, last, offsets,
                                   context.error);
}

void *ampc_rt_side_alloc(ampc_exec *exec, int64_t size) {
  ampc_context &context = contextOf(exec);
  void *buffer = context.side.allocate(size);
  if (!buffer)
    context.error.fail(AMPC_OUT_OF_MEMORY,
                       "out of memory: an intermediate value of %lld bytes",
                       (long long)size);
  return buffer;
}

void *ampc_rt_output(ampc_exec *exec, int32_t index, const int64_t *dims) {
  ampc_context &context = contextOf(exec);
  const ampc_model_desc &desc = *context.model->desc;
  if (index < 0 || uint32_t(index) >= desc.num_outputs) {
    context.error.fail(AMPC_INTERNAL, "output %d of %u", index,
                       desc.num_outputs);
    return nullptr;
  }
  return context.outputs[index].provide(desc.outputs[index], uint32_t(index),
                                        dims, context.error);
}

int32_t ampc_rt_fail(ampc_exec *exec, int32_t status, const char *message) {
  return contextOf(exec).error.fail(ampc_status(status), "%s", message);
}

void ampc_rt_parallel(ampc_exec *exec, void (*fn)(void *, int64_t, int64_t),
                      void *args, int64_t n, int64_t grain) {
  ampc_pool *pool = processPool();
  pool->parallel(pool, fn, args, n, grain, contextOf(exec).threads);
}
