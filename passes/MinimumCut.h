//===- MinimumCut.h - The cheapest way to part a graph ----------*- C++ -*-===//

#ifndef AMPC_PASSES_MINIMUMCUT_H
#define AMPC_PASSES_MINIMUMCUT_H

#include "llvm/ADT/SmallVector.h"

#include <limits>
#include <vector>

namespace amp {

/// Nodes are put on one of two sides so that the capacities of the edges that
/// lead from the first side to the second add up to the least. (Dinic, 1970;
/// its maximum flow is the minimum cut by Ford and Fulkerson, 1956.)
class MinimumCut {
public:
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  MinimumCut() { addNode(), addNode(); }
  int first() const { return 0; }  ///< A node that is on the first side.
  int second() const { return 1; } ///< One that is on the second side.
  int addNode();
  void addEdge(int from, int to, double capacity);

  /// For each node whether it is on the first side; of all cheapest ways the
  /// one with the most nodes there.
  std::vector<bool> solve();

private:
  struct Edge {
    int to;
    double left; ///< Capacity that is not used yet.
  };

  bool findLevels();
  double push(int node, double flow);

  std::vector<Edge> edges; ///< Each is followed by its reverse.
  std::vector<llvm::SmallVector<int, 4>> outgoing;
  std::vector<int> level;
  std::vector<size_t> next; ///< Outgoing edges before it lead nowhere.
};

} // namespace amp

#endif // AMPC_PASSES_MINIMUMCUT_H
