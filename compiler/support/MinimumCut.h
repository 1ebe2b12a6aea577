//===- MinimumCut.h - The cheapest way to part a graph ----------*- C++ -*-===//

#ifndef AMPC_COMPILER_SUPPORT_MINIMUMCUT_H
#define AMPC_COMPILER_SUPPORT_MINIMUMCUT_H

#include <limits>
#include <vector>

namespace amp {

/// Nodes are put on one of two sides so that the capacities of the edges that
/// lead from the first side to the second add up to the least: by the maximum
/// flow of Boykov and Kolmogorov (2004), from Boost.Graph.
///
/// Capacities are rounded to a common unit, some 2^-45 of their sum or less, so
/// that flows are exact and the cut is the same on every machine. Infinite ones
/// outweigh all that is finite; where one must be cut, any cut will do.
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
  /// one with the most nodes there. Ends the program where memory does.
  std::vector<bool> solve() const;

private:
  struct Edge {
    int from, to;
    double capacity;
  };

  std::vector<double> balances() const;

  std::vector<Edge> edges; ///< Between nodes that have no side yet.
  std::vector<double> fromFirst, toSecond; ///< Capacities by node.
};

} // namespace amp

#endif // AMPC_COMPILER_SUPPORT_MINIMUMCUT_H
