//===- Problems.h - Random problems, and all their plans --------*- C++ -*-===//

#ifndef AMPC_TESTS_UNIT_ASSIGN_PROBLEMS_H
#define AMPC_TESTS_UNIT_ASSIGN_PROBLEMS_H

#include "autotune/assign/Model.h"

#include <functional>
#include <random>

namespace ampc::assign {

enum class Casts {
  Metric,  ///< Points on a line and their distances.
  Free,    ///< Any, but nothing between equal labels.
  Anything ///< Not even that; some cannot be.
};

struct Shape {
  int numLabels = 2;
  int mostOps = 14;
  Casts casts = Casts::Metric;
  bool constraints = false; ///< Classes, pins, labels that are not allowed.
};

Problem randomProblem(std::mt19937 &random, const Shape &shape);

/// All that the problem allows, casts that cannot be included: their time is
/// infinite. Without the help of what is under test.
void forEachPlan(const Problem &problem,
                 const std::function<void(const Plan &)> &use);

/// What `labels` cost, infinite where not allowed.
Plan planOf(const Problem &problem, const std::vector<Label> &labels);

/// Nothing but the pairs where no other has less of both; by rising error.
std::vector<std::pair<double, double>>
lowerHull(std::vector<std::pair<double, double>> errorsAndTimes);

} // namespace ampc::assign

#endif // AMPC_TESTS_UNIT_ASSIGN_PROBLEMS_H
