//===- MaximumFlow.h - Who cannot reach the sink any more -------*- C++ -*-===//

#ifndef AMPC_COMPILER_SUPPORT_MAXIMUMFLOW_H
#define AMPC_COMPILER_SUPPORT_MAXIMUMFLOW_H

#include <vector>

namespace amp {

struct FlowEdge {
  int from, to;
  double capacity; ///< Not negative. Infinite outweighs all that is finite.
};

/// Sends as much flow as there can be from `source` to `sink`, by the method of
/// Boykov and Kolmogorov (2004) from Boost.Graph, and marks the nodes that
/// could send no more.
///
/// Capacities are rounded to a common unit, some 2^-45 of their sum or less, so
/// that flows are exact and come to the same end on every machine. An infinite
/// capacity is used up only where a path has no other.
std::vector<bool> cutOffByMaximumFlow(int numNodes,
                                      const std::vector<FlowEdge> &edges,
                                      int source, int sink);

} // namespace amp

#endif // AMPC_COMPILER_SUPPORT_MAXIMUMFLOW_H
