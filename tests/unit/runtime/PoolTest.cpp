//===- PoolTest.cpp - The thread pool -------------------------------------===//

#include "ModelFixture.h"

#include "Pool.h"

#include <atomic>
#include <cfenv>
#include <fstream>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ampc::rt;

namespace {

struct Record {
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> ranges;
  std::set<std::thread::id> threads;
  int waitMicroseconds = 0;
  std::atomic<int> active{0}, mostActive{0};
};

void record(void *argument, int64_t lo, int64_t hi) {
  Record &record = *static_cast<Record *>(argument);
  int active = ++record.active;
  for (int most = record.mostActive;
       most < active && !record.mostActive.compare_exchange_weak(most, active);)
    ;
  if (record.waitMicroseconds)
    usleep(useconds_t(record.waitMicroseconds));
  {
    std::lock_guard<std::mutex> lock(record.mutex);
    record.ranges.emplace_back(lo, hi);
    record.threads.insert(std::this_thread::get_id());
  }
  --record.active;
}

void parallel(Record &to, int64_t n, int64_t grain, int threads) {
  ampc_pool *pool = processPool();
  pool->parallel(pool, record, &to, n, grain, threads);
}

TEST(Pool, RangesPartition) {
  for (int threads : {1, 2, 3, 5})
    for (int64_t grain : {0, 1, 3, 16, 1000})
      for (int64_t n : {0, 1, 2, 3, 15, 16, 17, 31, 32, 100, 999, 2001}) {
        Record seen;
        parallel(seen, n, grain, threads);
        std::sort(seen.ranges.begin(), seen.ranges.end());
        int64_t at = 0, step = std::max<int64_t>(grain, 1);
        for (auto [lo, hi] : seen.ranges) {
          ASSERT_EQ(lo, at);
          ASSERT_EQ(lo % step, 0);
          ASSERT_TRUE(hi - lo >= step || n < step);
          ASSERT_GT(hi, lo);
          at = hi;
        }
        ASSERT_EQ(at, n);
        ASSERT_LE(seen.ranges.size(), size_t(6 * threads));
        ASSERT_LE(seen.mostActive, threads);
      }
}

TEST(Pool, LargeRangesDoNotOverflow) {
  Record seen;
  parallel(seen, INT64_MAX, 1, 4);
  std::sort(seen.ranges.begin(), seen.ranges.end());
  int64_t at = 0;
  for (auto [lo, hi] : seen.ranges) {
    ASSERT_EQ(lo, at);
    at = hi;
  }
  EXPECT_EQ(at, INT64_MAX);
}

TEST(Pool, WorkIsShared) {
  Record seen;
  seen.waitMicroseconds = 2000;
  parallel(seen, 18, 1, 3);
  EXPECT_EQ(seen.threads.size(), 3u);
  EXPECT_EQ(seen.mostActive, 3);
  // Also after the workers went to sleep, and only as many as asked for.
  usleep(20000);
  Record fewer;
  fewer.waitMicroseconds = 2000;
  parallel(fewer, 18, 1, 2);
  EXPECT_EQ(fewer.threads.size(), 2u);
}

TEST(Pool, ManySmallJobs) {
  std::atomic<int64_t> sum{0};
  ampc_pool *pool = processPool();
  int64_t expected = 0;
  for (int64_t i = 0; i < JOBS; ++i) {
    pool->parallel(
        pool,
        [](void *to, int64_t lo, int64_t hi) {
          *static_cast<std::atomic<int64_t> *>(to) += hi - lo;
        },
        &sum, i % 50, 1, int32_t(i % 4) + 1);
    expected += i % 50;
    ASSERT_EQ(sum, expected);
  }
}

TEST(Pool, ConcurrentAndNestedUse) {
  std::vector<std::thread> callers;
  std::atomic<int64_t> total{0};
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&total] {
      ampc_pool *pool = processPool();
      for (int i = 0; i < JOBS / 10; ++i)
        pool->parallel(
            pool,
            [](void *to, int64_t lo, int64_t hi) {
              // Nesting is not asked for by generated code; it must not hang.
              ampc_pool *pool = processPool();
              pool->parallel(
                  pool,
                  [](void *to, int64_t lo, int64_t hi) {
                    *static_cast<std::atomic<int64_t> *>(to) += hi - lo;
                  },
                  to, hi - lo, 1, 3);
            },
            &total, 20, 1, 3);
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(total, 4 * (JOBS / 10) * 20);
}

double third() {
  volatile double one = 1, three = 3;
  return one / three;
}

TEST(Pool, WorkersUseTheCallersRounding) {
  static std::atomic<int> wrong;
  wrong = 0;
  auto run = [](int mode) {
    fesetround(mode);
    double expected = third();
    ampc_pool *pool = processPool();
    pool->parallel(
        pool,
        [](void *expected, int64_t, int64_t) {
          wrong += third() != *static_cast<double *>(expected);
          usleep(1000);
        },
        &expected, 18, 1, 3);
    EXPECT_EQ(third(), expected);
    fesetround(FE_TONEAREST);
    return expected;
  };
  double up = run(FE_UPWARD), nearest = run(FE_TONEAREST);
  if (up == nearest)
    GTEST_SKIP() << "this machine has no directed rounding (valgrind)";
  EXPECT_EQ(run(FE_TOWARDZERO), nearest);
  EXPECT_EQ(wrong, 0);
}

TEST(Pool, ForkedChildHasItsOwn) {
  Record before;
  parallel(before, 18, 1, 3);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ampc_pool *pool = processPool();
    if (pool->workers(pool) != 0)
      _exit(2);
    Record after;
    after.waitMicroseconds = 1000;
    parallel(after, 18, 1, 3);
    bool good = pool->workers(pool) == 2 && after.threads.size() == 3;
    _exit(good ? 0 : 3);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  Record after;
  parallel(after, 18, 1, 3);
}

TEST(Pool, SharedByLibraries) {
  LoadedModel first(CALC_MODEL), second(CALC_MODEL_2);
  auto poolOf = [](LoadedModel &model) {
    return static_cast<ampc_pool *>(
        dlsym(model.library.handle, "ampc_pool_v1"));
  };
  ampc_pool *pool = poolOf(first);
  ASSERT_NE(pool, nullptr);
  ASSERT_EQ(poolOf(second), pool);
  ASSERT_NE(first.api, second.api);

  // Both use it: the second finds the workers of the first.
  CalcInputs inputs(100);
  for (LoadedModel *model : {&first, &second}) {
    ampc_context *context = model->newContext(4);
    ASSERT_EQ(model->api->run(context, inputs.pointers, 4, nullptr, 0),
              AMPC_OK);
    model->api->context_destroy(context);
    EXPECT_EQ(pool->workers(pool), 3);
  }
}

TEST(Pool, StaysWhenTheLibraryThatBroughtItIsClosed) {
  CalcInputs inputs(100);
  auto runAndClose = [&](const char *path) {
    LoadedModel model(path);
    ampc_context *context = model.newContext(4);
    EXPECT_EQ(model.api->run(context, inputs.pointers, 4, nullptr, 0), AMPC_OK);
    DLTensor sum;
    EXPECT_EQ(model.api->output(context, 0, &sum), AMPC_OK);
    EXPECT_EQ(static_cast<float *>(sum.data)[399], inputs.sum(399));
    model.api->context_destroy(context);
  };
  for (int i = 0; i < 3; ++i) {
    runAndClose(CALC_MODEL);
    usleep(5000); // The workers fall asleep in the code of a closed library.
    runAndClose(CALC_MODEL_2);
  }
}

TEST(Pool, AvailableCpus) {
  EXPECT_GE(availableCpus(), 1);
  EXPECT_LE(availableCpus(), maxThreads);
}

} // namespace
