//===- SolverTest.cpp - Against all plans ---------------------------------===//

#include "autotune/assign/Solver.h"
#include "Problems.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace ampc::assign;

namespace {

double costOf(const Plan &plan, Weights weights) {
  return plan.time * weights.time + plan.error * weights.error;
}

/// From "only time counts" to "time hardly counts".
std::vector<Weights> someWeights() {
  return {{1, 0}, {1, 1e4}, {1, 1e7}, {1, 1e10}, {0, 1}};
}

struct Best {
  double energy = INFINITY;
  double uniform = INFINITY; ///< With one label for all.
  Plan plan;
};

Best bestOf(const Problem &problem, Weights weights) {
  Best best;
  forEachPlan(problem, [&](const Plan &plan) {
    double energy = std::isinf(plan.time) ? INFINITY : costOf(plan, weights);
    if (energy < best.energy) {
      best.energy = energy;
      best.plan = plan;
    }
    if (std::equal(plan.labels.begin() + !plan.labels.empty(),
                   plan.labels.end(), plan.labels.begin()))
      best.uniform = std::min(best.uniform, energy);
  });
  return best;
}

/// What the sum of the dearest and the cheapest cast is worth at the worst.
double ratioOf(const Problem &problem) {
  double ratio = 1;
  int n = problem.numLabels();
  for (const Problem::Edge &edge : problem.getEdges()) {
    double most = 0, least = INFINITY;
    for (int from = 0; from < n; ++from)
      for (int to = 0; to < n; ++to)
        if (from != to) {
          most = std::max(most, edge.casts[from * n + to]);
          least = std::min(least, edge.casts[from * n + to]);
        }
    if (most > 0)
      ratio = std::max(ratio, most / least);
  }
  return ratio;
}

/// Small enough that all plans can be tried.
Shape shapeOf(int numLabels, Casts casts, int round) {
  Shape shape{numLabels, 5, casts, round % 2 == 1};
  if (round % 20 == 0)
    shape.mostOps = numLabels == 2 ? 14 : 8;
  return shape;
}

constexpr double kClose = 1 + 1e-9;

void expectExact(Casts casts) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    Problem problem = randomProblem(random, shapeOf(2, casts, round));
    Failure failure;
    std::optional<Model> model = Model::build(problem, failure);
    if (!model) {
      EXPECT_TRUE(std::isinf(bestOf(problem, {1, 0}).energy));
      continue;
    }
    Solver solver(*model);
    ASSERT_TRUE(solver.isExact());
    for (Weights weights : someWeights()) {
      Plan plan = model->plan(solver.minimise(weights));
      Best best = bestOf(problem, weights);
      ASSERT_LE(costOf(plan, weights), best.energy * kClose);
      Plan again = planOf(problem, plan.labels);
      ASSERT_NEAR(plan.time, again.time, 1e-9);
      ASSERT_NEAR(plan.casts, again.casts, 1e-9);
      ASSERT_NEAR(plan.error, again.error, 1e-12 * plan.error);
    }
  }
}

TEST(Solver, TwoLabelsAreExact) { expectExact(Casts::Metric); }
TEST(Solver, TwoLabelsAreExactWithCastsThatDifferByDirection) {
  expectExact(Casts::Free);
}

/// Counts how often less than the best was found, to be held to it.
struct Tally {
  int solved = 0, best = 0;
  double worst = 1;
};

Tally tryManyLabels(int numLabels, Casts casts) {
  Tally tally;
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    Problem problem = randomProblem(random, shapeOf(numLabels, casts, round));
    Failure failure;
    std::optional<Model> model = Model::build(problem, failure);
    if (!model)
      continue;
    Solver solver(*model);
    double ratio = casts == Casts::Metric ? ratioOf(problem) : INFINITY;
    for (Weights weights : someWeights()) {
      Labels labels = solver.minimise(weights);
      Plan plan = model->plan(labels);
      Best best = bestOf(problem, weights);
      if (std::isinf(best.energy) || std::isinf(plan.time)) {
        // Whether a plan exists at all is not for expansion to say.
        EXPECT_EQ(casts, Casts::Anything);
        EXPECT_TRUE(std::isinf(best.uniform));
        continue;
      }
      double energy = costOf(plan, weights);
      EXPECT_GE(energy * kClose, best.energy);
      EXPECT_LE(energy, best.uniform * kClose);
      if (std::isfinite(ratio))
        EXPECT_LE(energy, (best.energy +
                           (2 * ratio - 1) * best.plan.casts * weights.time) *
                              kClose);
      ++tally.solved;
      tally.best += energy <= best.energy * kClose;
      if (best.energy > 0)
        tally.worst = std::max(tally.worst, energy / best.energy);
    }
  }
  return tally;
}

/// The bound that is stated, and what is seen in practice.
TEST(Solver, ThreeLabelsOverAMetric) {
  Tally tally = tryManyLabels(3, Casts::Metric);
  EXPECT_GE(tally.best, 0.98 * tally.solved)
      << tally.best << " " << tally.solved;
  EXPECT_LE(tally.worst, 1.1);
}

TEST(Solver, ThreeLabelsWithoutAMetric) {
  Tally tally = tryManyLabels(3, Casts::Free);
  EXPECT_GE(tally.best, 0.95 * tally.solved)
      << tally.best << " " << tally.solved;
  EXPECT_LE(tally.worst, 1.3);
}

// Disabled: expansion alone can stay with plans that avoid a forbidden cast at
// a cost without bound; the solver needs moves of other kinds for them.
TEST(Solver, DISABLED_ThreeLabelsAndCastsThatCannotBe) {
  Tally tally = tryManyLabels(3, Casts::Anything);
  EXPECT_GE(tally.best, 0.85 * tally.solved)
      << tally.best << " " << tally.solved;
  EXPECT_LE(tally.worst, 2);
}

/// Two labels that a cut cannot express are solved as several are. Disabled:
/// expansion stays with one label for all where casts favour odd cycles.
TEST(Solver, DISABLED_TwoLabelsThatShouldDiffer) {
  Problem problem(2);
  for (int op = 0; op < 3; ++op)
    problem.addOp({{0, 1, 0}, {1, 1, 0}});
  for (int op = 0; op < 3; ++op)
    problem.addEdge(op, (op + 1) % 3, {5, 0, 0, 5});
  Failure failure;
  std::optional<Model> model = Model::build(problem, failure);
  ASSERT_TRUE(model);
  Solver solver(*model);
  EXPECT_FALSE(solver.isExact());
  EXPECT_EQ(model->plan(solver.minimise({1, 0})).time, 8);
}

/// Mixing never costs more than either of what is mixed.
TEST(Solver, FusionNeverRises) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    Problem problem =
        randomProblem(random, {4, 12, Casts::Anything, round % 2 == 1});
    Failure failure;
    std::optional<Model> model = Model::build(problem, failure);
    if (!model)
      continue;
    Solver solver(*model);
    auto any = [&] {
      Labels labels;
      for (int node : solver.allNodes()) {
        const std::vector<Label> &allowed = model->labelsOf(node);
        labels.push_back(allowed[random() % allowed.size()]);
      }
      return labels;
    };
    Labels labels = any(), other = any();
    for (Weights weights : someWeights()) {
      Labels mixed = labels;
      double before = std::min(model->energy(labels, weights),
                               model->energy(other, weights));
      bool isBetter = solver.fuse(mixed, other, weights, solver.allNodes());
      ASSERT_LE(model->energy(mixed, weights), before * kClose) << round;
      ASSERT_EQ(isBetter, mixed != labels);
    }
  }
}

TEST(Solver, IsTheSameEachTime) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    Problem problem = randomProblem(random, {5, 40, Casts::Free, false});
    Failure failure;
    std::optional<Model> model = Model::build(problem, failure);
    ASSERT_TRUE(model);
    Solver first(*model), second(*model);
    for (Weights weights : someWeights()) {
      Labels labels = first.minimise(weights);
      EXPECT_EQ(labels, first.minimise(weights));
      EXPECT_EQ(labels, second.minimise(weights));
    }
  }
}

} // namespace
