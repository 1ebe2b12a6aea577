//===- MinimumCut.h - The cheapest way to part a graph ----------*- C++ -*-===//

#ifndef AMPC_COMPILER_SUPPORT_MINIMUMCUT_H
#define AMPC_COMPILER_SUPPORT_MINIMUMCUT_H

#include "compiler/support/MaximumFlow.h"

#include <limits>

namespace amp {

/// Nodes are put on one of two sides so that the capacities of the edges that
/// lead from the first side to the second add up to the least (the maximum flow
/// is the minimum cut: Ford and Fulkerson, 1956). Infinite capacities are not
/// cut; where one must be, any cut will do.
class MinimumCut {
public:
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  MinimumCut() { addNode(), addNode(); }
  int first() const { return 0; }  ///< A node that is on the first side.
  int second() const { return 1; } ///< One that is on the second side.
  int addNode();

  /// Capacities of nothing or less are no edge. Several edges between two nodes
  /// add up.
  void addEdge(int from, int to, double capacity);

  /// For each node whether it is on the first side; of all cheapest ways the
  /// one with the most nodes there.
  std::vector<bool> solve() const;

private:
  std::vector<FlowEdge> edges; ///< Between nodes whose side is not given.
  std::vector<double> fromFirst, toSecond; ///< Capacities, by node.
};

} // namespace amp

#endif // AMPC_COMPILER_SUPPORT_MINIMUMCUT_H
