//===- Problems.cpp - Random problems, and all their plans ----------------===//

#include "Problems.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ampc::assign;

static constexpr double kInfinite = std::numeric_limits<double>::infinity();

namespace {

class Generator {
public:
  Generator(std::mt19937 &random, const Shape &shape)
      : random(random), shape(shape), problem(shape.numLabels) {}

  Problem make() {
    int numOps = below(shape.mostOps + 1);
    for (int op = 0; op < numOps; ++op)
      problem.addOp(choices());
    for (int left = numOps ? below(2 * numOps) : 0; left > 0; --left) {
      int from = below(numOps), to = below(numOps);
      if (from != to || shape.constraints)
        problem.addEdge(from, to, casts());
    }
    if (shape.constraints && numOps)
      constrain(numOps);
    return problem;
  }

private:
  // Not those of the library: their numbers differ from one to another.
  int below(int bound) { return int(random() % unsigned(bound)); }
  double upTo(double bound) { return bound * below(1 << 20) / (1 << 20); }

  /// Faster with each label, and less exact; most of the time.
  std::vector<Choice> choices() {
    std::vector<Choice> all;
    double time = 10 + upTo(10), error = 1e-14;
    bool isForbidden = shape.constraints && below(4) == 0;
    int forbidden = below(shape.numLabels);
    for (int label = 0; label < shape.numLabels; ++label) {
      if (!isForbidden || label != forbidden)
        all.push_back({Label(label), time, error});
      else if (below(2))
        all.push_back({Label(label), time, kInfinite});
      time = below(8) ? time * (0.3 + upTo(0.7)) : 10 + upTo(10);
      error = below(8) ? error * std::exp2(below(20)) : upTo(1e-6);
    }
    return all;
  }

  std::vector<double> casts() {
    int n = shape.numLabels;
    double scale = below(5) ? upTo(4) : 0;
    std::vector<double> all, at;
    for (int label = 0; label < n; ++label)
      at.push_back(label + upTo(0.9));
    for (int from = 0; from < n; ++from)
      for (int to = 0; to < n; ++to)
        switch (shape.casts) {
        case Casts::Metric:
          all.push_back(scale * std::abs(at[from] - at[to]));
          break;
        case Casts::Free:
          all.push_back(from == to ? 0 : scale * upTo(4));
          break;
        case Casts::Anything:
          all.push_back(below(10) ? scale * upTo(4) : kInfinite);
          break;
        }
    return all;
  }

  void constrain(int numOps) {
    for (int left = below(3); left > 0; --left)
      problem.requireSame(below(numOps), below(numOps));
    if (below(2))
      problem.pin(below(numOps), Label(below(shape.numLabels)));
  }

  std::mt19937 &random;
  Shape shape;
  Problem problem;
};

} // namespace

Problem ampc::assign::randomProblem(std::mt19937 &random, const Shape &shape) {
  return Generator(random, shape).make();
}

Plan ampc::assign::planOf(const Problem &problem,
                          const std::vector<Label> &labels) {
  Plan plan;
  plan.labels = labels;
  for (int op = 0; op < problem.numOps(); ++op) {
    bool found = false;
    for (const Choice &choice : problem.choicesOf(op))
      if (choice.label == labels[op]) {
        plan.time += choice.time;
        plan.error += choice.error;
        found = true;
      }
    if (!found)
      plan.time = kInfinite;
  }
  for (const Problem::Edge &edge : problem.getEdges())
    plan.casts += edge.casts[size_t(labels[edge.from]) * problem.numLabels() +
                             labels[edge.to]];
  for (auto [op, other] : problem.getSame())
    if (labels[op] != labels[other])
      plan.time = kInfinite;
  for (auto [op, label] : problem.getPins())
    if (labels[op] != label)
      plan.time = kInfinite;
  plan.time += plan.casts;
  return plan;
}

void ampc::assign::forEachPlan(const Problem &problem,
                               const std::function<void(const Plan &)> &use) {
  std::vector<Label> labels(problem.numOps(), 0);
  while (true) {
    use(planOf(problem, labels));
    // The next number whose digits are labels.
    auto digit = std::find_if(labels.begin(), labels.end(), [&](Label label) {
      return label + 1 < problem.numLabels();
    });
    std::fill(labels.begin(), digit, 0);
    if (digit == labels.end())
      return;
    ++*digit;
  }
}

std::vector<std::pair<double, double>>
ampc::assign::lowerHull(std::vector<std::pair<double, double>> errorsAndTimes) {
  std::sort(errorsAndTimes.begin(), errorsAndTimes.end());
  std::vector<std::pair<double, double>> hull;
  for (auto [error, time] : errorsAndTimes) {
    if (!hull.empty() && time >= hull.back().second)
      continue;
    while (hull.size() >= 2) {
      auto [e0, t0] = hull[hull.size() - 2];
      auto [e1, t1] = hull.back();
      if ((t0 - t1) * (error - e1) > (t1 - time) * (e1 - e0))
        break;
      hull.pop_back();
    }
    hull.push_back({error, time});
  }
  return hull;
}
