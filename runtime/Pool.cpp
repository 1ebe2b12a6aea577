//===- Pool.cpp - One thread pool a process -------------------------------===//
//
// Fork-join with persistent workers. One job at a time; one atomic word says
// how many of its chunks are left, so a core that is shared with another
// process only delays the chunk it holds. A thread may read the job exactly
// while it holds a chunk, because the owner does not return before all chunks
// are done.
//
// Which chunk that is: the next of the thread's own share of the range, or of
// another's when that is used up. One kernel after the other, a thread so does
// the same part of an image, which its own cache has.
//
// The state lives in memory that the kernel clears in a forked child
// (MADV_WIPEONFORK), and all zeros is its initial state: a child starts with a
// fresh pool and threads of its own.
//
//===----------------------------------------------------------------------===//

#include "Pool.h"
#include "FloatControl.h"
#include "Futex.h"

#include <new>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

using namespace ampc::rt;

namespace {

constexpr int32_t maxWorkers = maxThreads - 1;
constexpr int64_t chunksPerThread = 6;
/// About 50-100 us: longer than the gap between two kernels of one run,
/// shorter than anybody notices on an idle machine.
constexpr int spins = 2000;

struct PoolState;

struct Worker {
  PoolState *state;
  uint32_t id;
  std::atomic<uint32_t> asleep; ///< The futex it sleeps on while 1.
};

struct Job {
  void (*fn)(void *, int64_t, int64_t);
  void *args;
  int64_t n;
  int64_t grain;
  uint32_t chunks;
  uint32_t shares; ///< One for each thread that may take part.
  uint64_t floatControl;

  void runChunk(uint32_t index) const {
    // Chunks are whole grains; the first `extra` ones have one more.
    int64_t grains = n / grain, each = grains / chunks, extra = grains % chunks;
    int64_t first = index * each + (index < extra ? index : extra);
    int64_t last = first + each + (index < extra ? 1 : 0);
    fn(args, first * grain, index + 1 == chunks ? n : last * grain);
  }
};

/// Neighbouring chunks, to be done by one thread if it comes to that.
struct alignas(64) Share {
  std::atomic<uint32_t> next;
  uint32_t end; ///< Where `next` is that or more, all have been taken.
};

struct PoolState {
  /// 1 while a thread owns the pool.
  alignas(64) std::atomic<uint32_t> busy;
  std::atomic<uint32_t> numWorkers; ///< Written by the owner only.

  /// Low half: chunks not handed out yet; high half: workers with smaller ids
  /// may take them. Zero between jobs.
  alignas(64) std::atomic<uint64_t> ticket;

  alignas(64) Job job;
  Share shares[maxThreads];

  alignas(64) std::atomic<uint32_t> done; ///< Chunks completed.
  std::atomic<uint32_t> ownerAsleep;

  alignas(64) Worker workers[maxWorkers];
};

bool mayTake(uint64_t ticket, uint32_t id) {
  return uint32_t(ticket) != 0 && id < uint32_t(ticket >> 32);
}

/// Takes a chunk of the current job for worker `id` (0 fits the owner, too),
/// whichever: it can be found by findChunk().
bool takeChunk(PoolState &state, uint32_t id) {
  uint64_t ticket = state.ticket.load(std::memory_order_relaxed);
  while (mayTake(ticket, id))
    if (state.ticket.compare_exchange_weak(ticket, ticket - 1,
                                           std::memory_order_acquire,
                                           std::memory_order_relaxed))
      return true;
  return false;
}

/// The index of the chunk that was taken: there is one for each taking.
uint32_t findChunk(PoolState &state, uint32_t own) {
  for (uint32_t i = own;; i = i + 1 == state.job.shares ? 0 : i + 1) {
    Share &share = state.shares[i];
    if (share.next.load(std::memory_order_relaxed) >= share.end)
      continue;
    uint32_t index = share.next.fetch_add(1, std::memory_order_relaxed);
    if (index < share.end)
      return index;
  }
}

/// Does chunks until none is left to take.
void work(PoolState &state, uint32_t id, uint32_t share,
          uint64_t *floatControl) {
  while (takeChunk(state, id)) {
    const Job &job = state.job;
    uint32_t chunks = job.chunks;
    if (floatControl && *floatControl != job.floatControl) {
      *floatControl = job.floatControl;
      setFloatControl(job.floatControl);
    }
    job.runChunk(findChunk(state, share));
    // After the last increment the owner may return and start another job, so
    // nothing of this one may be read any more.
    uint32_t done = state.done.fetch_add(1, std::memory_order_seq_cst) + 1;
    if (done == chunks && state.ownerAsleep.load(std::memory_order_seq_cst))
      futexWakeOne(state.done);
  }
}

void *workerMain(void *argument) {
  Worker &self = *static_cast<Worker *>(argument);
  PoolState &state = *self.state;
  // The application's signal handlers must not run on our stacks.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  pthread_setname_np(pthread_self(), "ampc");
  uint64_t floatControl = getFloatControl();

  for (;;) {
    work(state, self.id, self.id + 1, &floatControl);
    bool found = false;
    for (int i = 0; i < spins && !found; ++i) {
      spinPause();
      found = mayTake(state.ticket.load(std::memory_order_relaxed), self.id);
    }
    if (found)
      continue;
    // Either the owner sees `asleep` after it stored the ticket, or we see the
    // ticket after we stored `asleep`.
    self.asleep.store(1, std::memory_order_seq_cst);
    if (!mayTake(state.ticket.load(std::memory_order_seq_cst), self.id))
      futexWait(self.asleep, 1);
    self.asleep.store(0, std::memory_order_relaxed);
  }
}

/// Kernels take less than half of that; the rest is never touched.
constexpr size_t kStackBytes = 1 << 20;

/// Starts workers up to `wanted`. Fewer is no error: the owner works, too.
uint32_t startWorkers(PoolState &state, uint32_t wanted) {
  uint32_t count = state.numWorkers.load(std::memory_order_relaxed);
  while (count < wanted) {
    Worker *worker = new (&state.workers[count]) Worker{&state, count, {0}};
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes))
      break;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // What kernels keep on the stack must fit whatever `ulimit -s` says.
    pthread_attr_setstacksize(&attributes, kStackBytes);
    int error = pthread_create(&thread, &attributes, workerMain, worker);
    pthread_attr_destroy(&attributes);
    if (error)
      break;
    state.numWorkers.store(++count, std::memory_order_relaxed);
  }
  return count;
}

void runJob(PoolState &state, const Job &job, uint32_t helpers) {
  state.job = job;
  for (uint32_t i = 0; i < job.shares; ++i) {
    state.shares[i].next.store(uint32_t(uint64_t(job.chunks) * i / job.shares),
                               std::memory_order_relaxed);
    state.shares[i].end = uint32_t(uint64_t(job.chunks) * (i + 1) / job.shares);
  }
  state.done.store(0, std::memory_order_relaxed);
  state.ticket.store(uint64_t(helpers) << 32 | job.chunks,
                     std::memory_order_seq_cst);
  uint32_t useful = helpers < job.chunks - 1 ? helpers : job.chunks - 1;
  for (uint32_t i = 0; i < useful; ++i) {
    Worker &worker = state.workers[i];
    if (worker.asleep.load(std::memory_order_seq_cst) &&
        worker.asleep.exchange(0, std::memory_order_seq_cst))
      futexWakeOne(worker.asleep);
  }
  work(state, 0, 0, nullptr);

  for (int i = 0; i < spins; ++i) {
    if (state.done.load(std::memory_order_acquire) == job.chunks)
      return;
    spinPause();
  }
  state.ownerAsleep.store(1, std::memory_order_seq_cst);
  for (;;) {
    uint32_t done = state.done.load(std::memory_order_seq_cst);
    if (done == job.chunks)
      break;
    futexWait(state.done, done);
  }
  state.ownerAsleep.store(0, std::memory_order_relaxed);
}

/// The state of this process, or null if there is no memory for it.
PoolState *getState(ampc_pool *pool) {
  void *state = __atomic_load_n(&pool->state, __ATOMIC_ACQUIRE);
  if (state)
    return static_cast<PoolState *>(state);
  void *fresh = mmap(nullptr, sizeof(PoolState), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED)
    return nullptr;
  // Without it (Linux before 4.14) a forked child could wait for threads it
  // does not have: better no pool.
  if (madvise(fresh, sizeof(PoolState), MADV_WIPEONFORK)) {
    munmap(fresh, sizeof(PoolState));
    return nullptr;
  }
  if (!__atomic_compare_exchange_n(&pool->state, &state, fresh, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    munmap(fresh, sizeof(PoolState));
    return static_cast<PoolState *>(state);
  }
  return static_cast<PoolState *>(fresh);
}

void poolParallel(ampc_pool *pool, void (*fn)(void *, int64_t, int64_t),
                  void *args, int64_t n, int64_t grain, int32_t threads) {
  if (n <= 0)
    return;
  if (grain < 1)
    grain = 1;
  if (threads > maxThreads)
    threads = maxThreads;
  int64_t chunks = n / grain;
  if (chunks > chunksPerThread * threads)
    chunks = chunksPerThread * threads;
  PoolState *state = nullptr;
  if (threads > 1 && chunks > 1)
    state = getState(pool);
  if (!state || state->busy.exchange(1, std::memory_order_acquire)) {
    fn(args, 0, n);
    return;
  }
  uint32_t helpers = uint32_t(threads - 1);
  uint32_t running = startWorkers(*state, helpers);
  if (running < helpers)
    helpers = running;
  // The owner takes chunks as "worker 0", so the ticket admits at least that.
  if (helpers == 0)
    fn(args, 0, n);
  else
    runJob(
        *state,
        {fn, args, n, grain, uint32_t(chunks), helpers + 1, getFloatControl()},
        helpers);
  state->busy.store(0, std::memory_order_release);
}

int32_t poolWorkers(ampc_pool *pool) {
  void *state = __atomic_load_n(&pool->state, __ATOMIC_ACQUIRE);
  return state ? int32_t(static_cast<PoolState *>(state)->numWorkers.load(
                     std::memory_order_relaxed))
               : 0;
}

} // namespace

// Inline, because that is what makes GCC bind it as STB_GNU_UNIQUE.
extern "C" {
__attribute__((visibility("default"))) inline ampc_pool ampc_pool_v1 = {
    1, sizeof(ampc_pool), poolParallel, poolWorkers, nullptr};
}

ampc_pool *ampc::rt::processPool() { return &ampc_pool_v1; }

int32_t ampc::rt::availableCpus() {
  cpu_set_t set;
  int32_t count = 0;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    count = CPU_COUNT(&set);
  else
    count = int32_t(sysconf(_SC_NPROCESSORS_ONLN)); // More CPUs than bits.
  return count < 1 ? 1 : count > maxThreads ? maxThreads : count;
}
