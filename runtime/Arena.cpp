//===- Arena.cpp - Buffers that share memory ------------------------------===//

#include "Arena.h"
#include "Memory.h"

#include <algorithm>

using namespace ampc::rt;

namespace {

/// Memory for the planning, freed at the end of a scope.
struct Indices {
  int64_t *data;
  explicit Indices(int64_t n) : data(allocateZeroed<int64_t>(size_t(n))) {}
  ~Indices() { free(data); }
};

} // namespace

ampc_status ampc::rt::planArena(int64_t n, const int64_t *sizes,
                                const int32_t *first, const int32_t *last,
                                int64_t *offsets, int64_t *total,
                                Message &message) {
  *total = 0;
  Indices order(n), placed(n);
  if (!order.data || !placed.data)
    return message.fail(AMPC_OUT_OF_MEMORY,
                        "out of memory planning %lld "
                        "buffers",
                        (long long)n);
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    int64_t size;
    if (!alignSize(sizes[i], size))
      return message.fail(AMPC_WRONG_SHAPE,
                          "intermediate buffer %lld would have %lld bytes",
                          (long long)i, (long long)sizes[i]);
    offsets[i] = 0;
    if (size)
      order.data[count++] = i;
  }
  // The tie on the index makes the plan a function of the sizes alone.
  std::sort(order.data, order.data + count, [&](int64_t a, int64_t b) {
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b;
  });

  // `placed` holds the buffers that have an offset, by offset.
  for (int64_t k = 0; k < count; ++k) {
    int64_t i = order.data[k], size;
    alignSize(sizes[i], size);
    int64_t best = -1, bestGap = INT64_MAX, end = 0;
    for (int64_t p = 0; p < k; ++p) {
      int64_t other = placed.data[p], otherSize;
      if (last[other] < first[i] || last[i] < first[other])
        continue;
      int64_t gap = offsets[other] - end;
      if (gap >= size && gap < bestGap) {
        best = end;
        bestGap = gap;
      }
      alignSize(sizes[other], otherSize);
      end = std::max(end, offsets[other] + otherSize);
    }
    if (best < 0)
      best = end;
    int64_t itsEnd;
    if (__builtin_add_overflow(best, size, &itsEnd))
      return message.fail(AMPC_WRONG_SHAPE,
                          "the intermediate buffers exceed 2^63 bytes");
    offsets[i] = best;
    *total = std::max(*total, itsEnd);
    int64_t *at = std::upper_bound(
        placed.data, placed.data + k, best,
        [&](int64_t offset, int64_t b) { return offset < offsets[b]; });
    std::copy_backward(at, placed.data + k, placed.data + k + 1);
    *at = i;
  }
  return AMPC_OK;
}

void *Arena::layOut(int64_t count, const int64_t *sizes, const int32_t *first,
                    const int32_t *last, int64_t *offsets, Message &message) {
  if (count < 0 || uint64_t(count) > SIZE_MAX / 2 / sizeof(int64_t)) {
    message.fail(AMPC_INTERNAL, "an arena of %lld buffers", (long long)count);
    return nullptr;
  }
  if (plan && n == count && std::equal(sizes, sizes + count, plan)) {
    std::copy_n(plan + count, count, offsets);
    return base;
  }

  int64_t total;
  if (planArena(count, sizes, first, last, offsets, &total, message))
    return nullptr;
  if (!plan || n != count) {
    free(plan);
    n = count;
    plan = allocateZeroed<int64_t>(2 * size_t(count));
  }
  // The old content is of no use, so this is no realloc.
  if (plan && (!base || capacity < total)) {
    free(base);
    base = allocateAligned(total);
    capacity = base ? total : 0;
  }
  if (!plan || !base) {
    free(plan);
    plan = nullptr;
    message.fail(AMPC_OUT_OF_MEMORY,
                 "out of memory: %lld bytes for intermediate values",
                 (long long)total);
    return nullptr;
  }
  std::copy_n(sizes, count, plan);
  std::copy_n(offsets, count, plan + count);
  return base;
}

void Arena::release() {
  free(base);
  free(plan);
  *this = Arena();
}
