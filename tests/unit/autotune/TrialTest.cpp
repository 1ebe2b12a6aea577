//===- TrialTest.cpp - No failing candidate is taken ----------------------===//
//
// Candidates are plain functions here: a product of matrices of odd sizes in a
// strided buffer, and what can be wrong with one. Times are never looked at but
// for whether there is one.
//
//===----------------------------------------------------------------------===//

#include "autotune/WideCheck.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <unistd.h>

using namespace ampc::tune;

namespace {

constexpr int64_t kRows = 7, kColumns = 13, kK = 11, kPitch = 17;

float *bufferOf(const ampc_exec *exec, int index) {
  float *data;
  std::memcpy(&data, static_cast<char *>(exec->inputs[index]) + 8, 8);
  return data;
}

void multiply(const ampc_exec *exec, int64_t rows, int64_t columns, int64_t k) {
  const float *a = bufferOf(exec, 0), *b = bufferOf(exec, 1);
  float *c = bufferOf(exec, 2);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += a[i * kK + l] * b[l * kColumns + j];
      c[i * kPitch + j] = sum;
    }
}

int32_t right(const ampc_exec *exec) {
  multiply(exec, kRows, kColumns, kK);
  return 0;
}
int32_t returnsAtOnce(const ampc_exec *) { return 0; }
int32_t returnsEarly(const ampc_exec *exec) {
  multiply(exec, kRows - 1, kColumns, kK);
  return 0;
}
int32_t readsPastK(const ampc_exec *exec) {
  multiply(exec, kRows, kColumns, kK + 1);
  return 0;
}
int32_t stopsBeforeK(const ampc_exec *exec) {
  multiply(exec, kRows, kColumns, kK - 1);
  return 0;
}
/// One unit in the last place of one element.
int32_t roundsOtherwise(const ampc_exec *exec) {
  right(exec);
  float *c = bufferOf(exec, 2) + 3 * kPitch + 5;
  *c = std::nextafter(*c, 100.0f);
  return 0;
}
int32_t writesBetweenRows(const ampc_exec *exec) {
  right(exec);
  bufferOf(exec, 2)[kColumns] = 0;
  return 0;
}
int32_t writesBehind(const ampc_exec *exec) {
  right(exec);
  bufferOf(exec, 2)[kRows * kPitch + 20] = 0;
  return 0;
}
int32_t writesAnInput(const ampc_exec *exec) {
  right(exec);
  bufferOf(exec, 0)[0] = 0;
  return 0;
}
int32_t readsFarAway(const ampc_exec *exec) {
  right(exec);
  // Where no memory can be; nearer by there may be some by chance.
  auto at = reinterpret_cast<uintptr_t>(bufferOf(exec, 0)) + (1ull << 60);
  return *reinterpret_cast<volatile float *>(at) > 2;
}
int32_t throws(const ampc_exec *) { throw std::runtime_error("no"); }
int32_t aborts(const ampc_exec *) { std::abort(); }
int32_t exits(const ampc_exec *) { _exit(0); }
int32_t fails(const ampc_exec *exec) {
  right(exec);
  return 1;
}
int32_t hangs(const ampc_exec *) {
  for (volatile bool forEver = true; forEver;)
    ;
  return 0;
}
int32_t sleeps(const ampc_exec *) {
  for (volatile bool forEver = true; forEver;)
    usleep(1000);
  return 0;
}
/// Right once, in each process.
int32_t crashesLater(const ampc_exec *exec) {
  static int runs = 0;
  if (++runs > 2)
    std::abort();
  return right(exec);
}

std::unique_ptr<Operands> operands(int64_t bytes = 4) {
  BufferShape a{{kRows, kK}, {kK, 1}}, b{{kK, kColumns}, {kColumns, 1}},
      c{{kRows, kColumns}, {kPitch, 1}};
  a.bytes = b.bytes = c.bytes = bytes;
  c.isOutput = true;
  auto made = Operands::create({a, b, c});
  return made ? std::move(*made) : nullptr;
}

std::vector<Trial> tryAll(std::vector<KernelCode> codes) {
  TrialOptions options;
  options.secondsPerRound = 1e-5;
  options.patience = 0.2; // Of a processor: all but these take far less.
  auto memory = operands();
  return tryCandidates(*memory, codes, options);
}

Outcome outcomeOf(KernelCode code) {
  std::vector<Trial> trials = tryAll({right, code, right});
  EXPECT_EQ(trials[0].outcome, Outcome::Measured);
  EXPECT_EQ(trials[2].outcome, Outcome::Measured);
  EXPECT_GT(trials[2].nanoseconds, 0);
  if (trials[1].outcome != Outcome::Measured) {
    EXPECT_EQ(trials[1].nanoseconds, 0);
  }
  return trials[1].outcome;
}

TEST(Trial, RightCodeIsMeasured) {
  EXPECT_EQ(outcomeOf(right), Outcome::Measured);
}

TEST(Trial, WrongCodeIsNot) {
  EXPECT_EQ(outcomeOf(returnsAtOnce), Outcome::Wrong);
  EXPECT_EQ(outcomeOf(returnsEarly), Outcome::Wrong);
  EXPECT_EQ(outcomeOf(readsPastK), Outcome::Wrong);
  EXPECT_EQ(outcomeOf(stopsBeforeK), Outcome::Wrong);
  EXPECT_EQ(outcomeOf(roundsOtherwise), Outcome::Wrong);
  EXPECT_EQ(outcomeOf(fails), Outcome::Wrong);
}

TEST(Trial, NorWhatWritesElsewhere) {
  EXPECT_EQ(outcomeOf(writesBetweenRows), Outcome::Wrong);
  EXPECT_EQ(outcomeOf(writesBehind), Outcome::Wrong);
  EXPECT_EQ(outcomeOf(writesAnInput), Outcome::Crashed);
}

TEST(Trial, CrashesStayInTheirProcess) {
  EXPECT_EQ(outcomeOf(throws), Outcome::Crashed);
  EXPECT_EQ(outcomeOf(aborts), Outcome::Crashed);
  EXPECT_EQ(outcomeOf(readsFarAway), Outcome::Crashed);
  EXPECT_EQ(outcomeOf(crashesLater), Outcome::Crashed);
}

TEST(Trial, LeavingTheProcessIsNoResult) {
  EXPECT_EQ(outcomeOf(exits), Outcome::Wrong);
}

TEST(Trial, HangsEnd) {
  EXPECT_EQ(outcomeOf(hangs), Outcome::Hung);
  EXPECT_EQ(outcomeOf(sleeps), Outcome::Hung);
}

TEST(Trial, NoCodeIsNotTried) {
  EXPECT_EQ(outcomeOf(nullptr), Outcome::NotCompiled);
}

/// Nothing is known of the others then, right or not.
TEST(Trial, ReferenceHasToWork) {
  for (KernelCode reference : {throws, hangs, returnsAtOnce, returnsEarly}) {
    std::vector<Trial> trials = tryAll({reference, right});
    EXPECT_NE(trials[0].outcome, Outcome::Measured);
    EXPECT_EQ(trials[1].outcome, Outcome::NotCompiled);
  }
  EXPECT_EQ(tryAll({nullptr, right})[1].outcome, Outcome::NotCompiled);
  EXPECT_TRUE(tryAll({}).empty());
}

int32_t rightInF64(const ampc_exec *exec) {
  auto at = [&](int index) {
    return reinterpret_cast<double *>(bufferOf(exec, index));
  };
  for (int64_t i = 0; i < kRows; ++i)
    for (int64_t j = 0; j < kColumns; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < kK; ++l)
        sum += at(0)[i * kK + l] * at(1)[l * kColumns + j];
      at(2)[i * kPitch + j] = sum;
    }
  return 0;
}

/// The reference itself, against the same in f64.
TEST(WideCheck, TellsRoundingFromErrors) {
  auto narrow = operands(), wide = operands(8);
  auto check = [&](KernelCode code) {
    return agree(*narrow, code, *wide, rightInF64, 0.5);
  };
  EXPECT_TRUE(check(right));
  EXPECT_TRUE(check(roundsOtherwise));
  for (KernelCode code : {returnsAtOnce, returnsEarly, readsPastK, stopsBeforeK,
                          throws, aborts, hangs, fails})
    EXPECT_FALSE(check(code));
}

TEST(WideCheck, WidensFloatsAlone) {
  EXPECT_EQ(widened("memref<4xf32> array<i64: 1> memref<f32>"),
            "memref<4xf64> array<i64: 1> memref<f64>");
  for (const char *other :
       {"xf16 f32", "xbf16 f32", "xf64 f32", "arith.constant 0x7F800000 : f32"})
    EXPECT_EQ(widened(other), "");
}

TEST(Operands, InputsAreFiniteAndPoisonIsAround) {
  auto memory = operands();
  auto *a = reinterpret_cast<const float *>(memory->data(0));
  for (int64_t i = 0; i < kRows * kK; ++i) {
    EXPECT_GE(std::abs(a[i]), 0.5f);
    EXPECT_LT(std::abs(a[i]), 1.0f);
  }
  for (int64_t i : {int64_t(-1), int64_t(-64), kRows * kK, kRows * kK + 63})
    EXPECT_TRUE(std::isnan(a[i])) << i;
}

} // namespace
