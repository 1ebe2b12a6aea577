//===- Model.h - A problem without its constraints --------------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_ASSIGN_MODEL_H
#define AMPC_AUTOTUNE_ASSIGN_MODEL_H

#include "autotune/assign/Problem.h"

#include <cmath>
#include <optional>

namespace ampc::assign {

/// A label for each op, and what comes of it.
struct Plan {
  std::vector<Label> labels; ///< By op.
  double time = 0;           ///< Microseconds, casts included.
  double casts = 0;          ///< Those of casts.
  double error = 0;          ///< Squared and relative, as in Choice.
};

/// A label for each node of a model.
using Labels = std::vector<Label>;

/// What is to be least: `time` times the time plus `error` times the error.
struct Weights {
  double time, error;
};

/// Ops that must agree are one node, and labels that are forbidden are gone.
/// What is left are costs, and casts that cannot be.
class Model {
public:
  struct Edge {
    int from, to;
  };

  /// Nothing, and the reason, where the problem is not valid or constraints
  /// contradict each other.
  static std::optional<Model> build(const Problem &problem, Failure &failure);

  int numLabels() const { return labels; }
  int numNodes() const { return int(allowed.size()); }
  int nodeOf(int op) const { return nodes[op]; }

  /// In ascending order, one or more.
  const std::vector<Label> &labelsOf(int node) const { return allowed[node]; }
  bool allows(int node, Label label) const;

  double time(int node, Label label) const {
    return times[size_t(node) * labels + label];
  }
  double error(int node, Label label) const {
    return errors[size_t(node) * labels + label];
  }
  double cost(int node, Label label, Weights weights) const {
    return weights.time * time(node, label) +
           weights.error * error(node, label);
  }

  const std::vector<Edge> &getEdges() const { return edges; }
  /// Edges at a node, by number.
  const std::vector<int> &edgesAt(int node) const { return incident[node]; }
  /// In microseconds, infinite where it cannot be.
  double castTime(int edge, Label from, Label to) const {
    return casts[(size_t(edge) * labels + from) * labels + to];
  }
  /// Finite: a cast that cannot be costs more than all else together, so that
  /// a plan has one only where nothing else is found.
  double cast(int edge, Label from, Label to, Weights weights) const {
    double time = castTime(edge, from, to);
    return std::isinf(time)
               ? weights.time * timeBound + weights.error * errorBound
               : weights.time * time;
  }

  /// What is to be least. Finite, too.
  double energy(const Labels &chosen, Weights weights) const;

  /// Infinite time where a cast cannot be.
  Plan plan(const Labels &chosen) const;

  /// The first edge whose cast cannot be, or -1.
  int forbiddenCast(const Labels &chosen) const;

private:
  void addCosts(const Problem &problem);
  void addCasts(const Problem &problem);
  void findBounds();

  int labels = 0;
  std::vector<int> nodes; ///< By op.
  std::vector<std::vector<Label>> allowed;
  std::vector<double> times, errors; ///< By node and label.
  std::vector<double> inner;         ///< The part of times that are casts.
  std::vector<Edge> edges;
  std::vector<std::vector<int>> incident;
  std::vector<double> casts;
  double timeBound = 0, errorBound = 0;
};

} // namespace ampc::assign

#endif // AMPC_AUTOTUNE_ASSIGN_MODEL_H
