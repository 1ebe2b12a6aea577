//===- ArenaTest.cpp - Planned and unplanned buffers ----------------------===//

#include "Arena.h"
#include "SideArena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

using namespace ampc::rt;

namespace {

struct Problem {
  std::vector<int64_t> sizes, offsets;
  std::vector<int32_t> first, last;
  int64_t total = -1;
  Message message = {};

  void add(int64_t size, int32_t from, int32_t to) {
    sizes.push_back(size);
    first.push_back(from);
    last.push_back(to);
    offsets.push_back(-1);
  }
  int64_t n() const { return int64_t(sizes.size()); }
  ampc_status plan() {
    return planArena(n(), sizes.data(), first.data(), last.data(),
                     offsets.data(), &total, message);
  }
  static int64_t rounded(int64_t size) { return (size + 63) / 64 * 64; }

  /// The largest sum of buffers that are live at one time.
  int64_t lowerBound() const {
    int64_t bound = 0;
    for (int32_t time : first) {
      int64_t live = 0;
      for (int64_t i = 0; i < n(); ++i)
        if (first[i] <= time && time <= last[i])
          live += rounded(sizes[i]);
      bound = std::max(bound, live);
    }
    return bound;
  }

  void check() const {
    int64_t end = 0;
    for (int64_t i = 0; i < n(); ++i) {
      ASSERT_GE(offsets[i], 0);
      ASSERT_EQ(offsets[i] % 64, 0);
      end = std::max(end, offsets[i] + rounded(sizes[i]));
      for (int64_t k = 0; k < i; ++k) {
        bool together = first[i] <= last[k] && first[k] <= last[i];
        bool overlap = offsets[i] < offsets[k] + sizes[k] &&
                       offsets[k] < offsets[i] + sizes[i];
        ASSERT_FALSE(together && overlap) << i << " and " << k;
      }
    }
    ASSERT_EQ(end, total);
  }
};

TEST(ArenaPlan, RandomLifetimes) {
  std::mt19937 random(1);
  double worst = 1;
  for (int round = 0; round < 300; ++round) {
    Problem problem;
    int n = int(random() % 60);
    for (int i = 0; i < n; ++i) {
      int64_t size = random() % 4 == 0   ? 0
                     : random() % 4 == 0 ? int64_t(random() % 100000)
                                         : int64_t(random() % 300);
      int32_t from = int32_t(random() % 40);
      problem.add(size, from, from + int32_t(random() % 8));
    }
    ASSERT_EQ(problem.plan(), AMPC_OK);
    problem.check();
    if (int64_t bound = problem.lowerBound())
      worst = std::max(worst, double(problem.total) / double(bound));
  }
  EXPECT_LT(worst, 1.3);
}

TEST(ArenaPlan, ChainNeedsTwoBuffers) {
  Problem problem;
  for (int i = 0; i < 100; ++i)
    problem.add(1000, i, i + 1);
  ASSERT_EQ(problem.plan(), AMPC_OK);
  problem.check();
  EXPECT_EQ(problem.total, 2 * 1024);
}

TEST(ArenaPlan, EndpointsAreIncluded) {
  Problem problem;
  problem.add(64, 0, 1);
  problem.add(64, 1, 2);
  ASSERT_EQ(problem.plan(), AMPC_OK);
  EXPECT_EQ(problem.total, 128);
}

TEST(ArenaPlan, BadSizes) {
  Problem negative;
  negative.add(8, 0, 1);
  negative.add(-8, 0, 1);
  EXPECT_EQ(negative.plan(), AMPC_WRONG_SHAPE);
  EXPECT_STREQ(negative.message.text,
               "intermediate buffer 1 would have -8 bytes");
  Problem huge;
  huge.add(INT64_MAX, 0, 1);
  EXPECT_EQ(huge.plan(), AMPC_WRONG_SHAPE);
  Problem sum;
  sum.add(INT64_MAX / 2 + 1, 0, 1);
  sum.add(INT64_MAX / 2 + 1, 0, 1);
  EXPECT_EQ(sum.plan(), AMPC_WRONG_SHAPE);
  EXPECT_STREQ(sum.message.text, "the intermediate buffers exceed 2^63 bytes");
}

TEST(Arena, KeepsAndReplacesItsPlan) {
  Arena arena = {};
  Message message = {};
  const int32_t first[] = {0, 1, 2}, last[] = {1, 2, 3};
  int64_t offsets[3];
  auto layOut = [&](std::vector<int64_t> sizes) {
    void *base = arena.layOut(3, sizes.data(), first, last, offsets, message);
    if (base)
      for (int i = 0; i < 3; ++i)
        memset(static_cast<char *>(base) + offsets[i], i, size_t(sizes[i]));
    return static_cast<char *>(base);
  };
  char *small = layOut({100, 200, 300});
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(small) % 64, 0u);
  const int64_t *plan = arena.plan;
  EXPECT_EQ(layOut({100, 200, 300}), small);
  EXPECT_EQ(arena.plan, plan);
  EXPECT_NE(layOut({100000, 200, 300000}), nullptr);
  // Smaller sizes keep the memory.
  char *large = static_cast<char *>(arena.base);
  EXPECT_EQ(layOut({0, 0, 0}), large);

  // A failure leaves it usable.
  EXPECT_EQ(arena.layOut(3, std::vector<int64_t>{1, -1, 1}.data(), first, last,
                         offsets, message),
            nullptr);
  EXPECT_EQ(layOut({100000, 200, 300000}), large);
  EXPECT_EQ(arena.layOut(3, std::vector<int64_t>{int64_t(1) << 60, 1, 1}.data(),
                         first, last, offsets, message),
            nullptr);
  EXPECT_EQ(message.status, AMPC_OUT_OF_MEMORY);
  EXPECT_NE(layOut({100000, 200, 300000}), nullptr);
  EXPECT_EQ(arena.layOut(-1, nullptr, first, last, offsets, message), nullptr);
  EXPECT_NE(arena.layOut(0, nullptr, first, last, offsets, message), nullptr);
  arena.release();
  EXPECT_EQ(arena.base, nullptr);
}

TEST(SideArenaTest, BuffersDoNotOverlapOrMove) {
  SideArena arena = {};
  std::mt19937 random(2);
  for (int run = 0; run < 20; ++run) {
    std::vector<std::pair<unsigned char *, size_t>> buffers;
    for (int i = 0; i < 50; ++i) {
      size_t size = random() % (i % 10 == 0 ? 300000 : 500);
      auto *buffer =
          static_cast<unsigned char *>(arena.allocate(int64_t(size)));
      ASSERT_NE(buffer, nullptr);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(buffer) % 64, 0u);
      memset(buffer, i, size);
      buffers.emplace_back(buffer, size);
    }
    for (size_t i = 0; i < buffers.size(); ++i)
      for (size_t k = 0; k < buffers[i].second; ++k)
        ASSERT_EQ(buffers[i].first[k], i);
    arena.reset();
  }
  EXPECT_EQ(arena.allocate(-1), nullptr);
  EXPECT_EQ(arena.allocate(INT64_MAX), nullptr);
  EXPECT_EQ(arena.allocate(INT64_MAX - 100), nullptr);
  EXPECT_EQ(arena.allocate(int64_t(1) << 60), nullptr);
  EXPECT_NE(arena.allocate(10), nullptr);
  arena.release();
}

TEST(SideArenaTest, SecondRunAllocatesNothing) {
  SideArena arena = {};
  auto run = [&] {
    std::vector<void *> buffers;
    for (int i = 0; i < 10; ++i)
      buffers.push_back(arena.allocate(100000));
    arena.reset();
    return buffers;
  };
  run();
  // One chunk that holds them all from here on.
  std::vector<void *> second = run();
  EXPECT_EQ(run(), second);
  arena.release();
}

} // namespace
