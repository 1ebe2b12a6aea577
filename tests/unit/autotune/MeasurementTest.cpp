//===- MeasurementTest.cpp - Which schedule wins --------------------------===//

#include "autotune/Measurement.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace ampc::tune;

namespace {

const std::vector<std::string> kSchedules{"first", "second", "third"};

Measurement timed(std::string schedule, double nanoseconds) {
  return {std::move(schedule), Outcome::Measured, nanoseconds, 5};
}

TEST(Choice, TheFastestWins) {
  EXPECT_EQ(choose(kSchedules, {timed("first", 100), timed("second", 80),
                                timed("third", 90)}),
            size_t(1));
}

TEST(Choice, NoiseDoesNotWin) {
  EXPECT_EQ(choose(kSchedules, {timed("first", 100), timed("second", 98)}),
            size_t(0));
}

TEST(Choice, OfEqualTimesTheEarlierWins) {
  std::vector<Measurement> all{timed("third", 80), timed("second", 80),
                               timed("first", 100)};
  EXPECT_EQ(choose(kSchedules, all), size_t(1));
  std::reverse(all.begin(), all.end());
  EXPECT_EQ(choose(kSchedules, all), size_t(1));
}

TEST(Choice, NoTimeIsNoWin) {
  for (double time : {0.0, -1.0, double(NAN), -double(INFINITY)})
    EXPECT_EQ(choose(kSchedules, {timed("first", 100), timed("second", time)}),
              size_t(0))
        << time;
  for (Outcome outcome :
       {Outcome::Wrong, Outcome::Crashed, Outcome::Hung, Outcome::NotCompiled})
    EXPECT_EQ(
        choose(kSchedules, {timed("first", 100), {"second", outcome, 1, 5}}),
        size_t(0));
}

TEST(Choice, NothingWithoutTheFirst) {
  EXPECT_EQ(choose(kSchedules, {timed("second", 80)}), std::nullopt);
  EXPECT_EQ(choose(kSchedules, {timed("first", 0), timed("second", 80)}),
            std::nullopt);
  EXPECT_EQ(choose(kSchedules, {}), std::nullopt);
  EXPECT_EQ(choose({}, {}), std::nullopt);
}

TEST(Choice, OnlyListedSchedules) {
  EXPECT_EQ(choose(kSchedules, {timed("first", 100), timed("other", 1)}),
            size_t(0));
}

/// In any order, and however often.
TEST(Better, IsTheSameInAnyOrder) {
  std::vector<Measurement> all{timed("s", 10),
                               timed("s", 9),
                               timed("s", 0),
                               timed("s", -3),
                               {"s", Outcome::Wrong, 0, 0},
                               {"s", Outcome::Crashed, 7, 0},
                               {"s", Outcome::Hung, 0, 2}};
  auto equal = [](const Measurement &a, const Measurement &b) {
    return a.outcome == b.outcome && a.rounds == b.rounds &&
           (a.isValid() ? b.isValid() && a.nanoseconds == b.nanoseconds
                        : !b.isValid());
  };
  for (const Measurement &a : all)
    for (const Measurement &b : all) {
      EXPECT_TRUE(equal(better(a, b), better(b, a)));
      EXPECT_TRUE(equal(better(a, better(a, b)), better(a, b)));
      for (const Measurement &c : all)
        EXPECT_TRUE(equal(better(better(a, b), c), better(a, better(b, c))));
    }
  EXPECT_EQ(better(timed("s", 10), timed("s", 9)).nanoseconds, 9);
  EXPECT_EQ(better(timed("s", 10), {"s", Outcome::Wrong, 0, 0}).outcome,
            Outcome::Wrong);
}

TEST(Outcomes, HaveNames) {
  for (Outcome outcome : {Outcome::Measured, Outcome::Wrong, Outcome::Crashed,
                          Outcome::Hung, Outcome::NotCompiled})
    EXPECT_EQ(outcomeNamed(nameOf(outcome)), outcome);
  EXPECT_EQ(outcomeNamed("fast"), std::nullopt);
}

} // namespace
