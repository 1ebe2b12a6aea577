//===- Solver.h - The labels that cost the least ----------------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_ASSIGN_SOLVER_H
#define AMPC_AUTOTUNE_ASSIGN_SOLVER_H

#include "autotune/assign/Fusion.h"

namespace ampc::assign {

/// Makes Model::energy() small, the same way each time.
///
/// With one or two labels a node, a fusion of the lower ones with the higher
/// ones gives the least of all. Else each label in turn is offered to all nodes
/// until none is taken (alpha-expansion, Boykov, Veksler and Zabih 2001). If
/// the casts of each edge are a metric, then the energy without casts plus
///   2 * (dearest cast / cheapest one between different labels, of any edge)
/// times the casts of the best plan bounds that of the plan that is found.
class Solver {
public:
  explicit Solver(const Model &model);

  /// One or two labels a node, and casts that a cut can express: see Fusion.
  bool isExact() const { return exact; }

  /// For exact ones: whether the errors of all nodes rise with the label, or
  /// all fall. Then nodes whose label is the same in solutions for two weights
  /// can keep it for all between (a cut's sides only grow with its weights).
  bool isMonotone() const { return monotone; }

  /// No more than with any label for all nodes, if all allow it.
  Labels minimise(Weights weights);

  /// Offers each label to `nodes`. It never gets worse.
  void expand(Labels &labels, Weights weights, const std::vector<int> &nodes);

  bool fuse(Labels &labels, const Labels &other, Weights weights,
            const std::vector<int> &nodes) {
    return fusion.fuse(labels, other, weights, nodes);
  }

  const std::vector<int> &allNodes() const { return all; }
  const Labels &lowest() const { return low; } ///< Of each node's labels.
  const Labels &highest() const { return high; }

private:
  bool isBinaryCut() const;
  bool hasOrderedErrors() const;
  Label cheapest(int node, Weights weights) const;

  const Model &model;
  Fusion fusion;
  std::vector<int> all;
  Labels low, high;
  bool exact = false, monotone = false;
};

} // namespace ampc::assign

#endif // AMPC_AUTOTUNE_ASSIGN_SOLVER_H
