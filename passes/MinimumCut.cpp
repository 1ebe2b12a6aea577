//===- MinimumCut.cpp - The cheapest way to part a graph ------------------===//

#include "passes/MinimumCut.h"

#include <algorithm>

using namespace amp;

/// What is left after subtracting nearly equal capacities counts as nothing.
static constexpr double kNothing = 1e-6;

int MinimumCut::addNode() {
  outgoing.emplace_back();
  return int(outgoing.size()) - 1;
}

void MinimumCut::addEdge(int from, int to, double capacity) {
  if (from == to || capacity <= 0)
    return;
  outgoing[from].push_back(int(edges.size()));
  edges.push_back({to, capacity});
  outgoing[to].push_back(int(edges.size()));
  edges.push_back({from, 0});
}

bool MinimumCut::findLevels() {
  level.assign(outgoing.size(), -1);
  std::vector<int> queue{first()};
  level[first()] = 0;
  for (size_t i = 0; i < queue.size(); ++i)
    for (int edge : outgoing[queue[i]]) {
      int to = edges[edge].to;
      if (edges[edge].left > kNothing && level[to] < 0) {
        level[to] = level[queue[i]] + 1;
        queue.push_back(to);
      }
    }
  return level[second()] >= 0;
}

double MinimumCut::push(int node, double flow) {
  if (node == second())
    return flow;
  for (size_t &i = next[node]; i < outgoing[node].size(); ++i) {
    int edge = outgoing[node][i], to = edges[edge].to;
    if (edges[edge].left <= kNothing || level[to] != level[node] + 1)
      continue;
    double pushed = push(to, std::min(flow, edges[edge].left));
    if (pushed > 0) {
      edges[edge].left -= pushed;
      edges[edge ^ 1].left += pushed;
      return pushed;
    }
  }
  return 0;
}

std::vector<bool> MinimumCut::solve() {
  while (findLevels()) {
    next.assign(outgoing.size(), 0);
    while (push(first(), infinite) > 0)
      ;
  }
  // The second side is what can still reach its node.
  std::vector<bool> onFirst(outgoing.size(), true);
  std::vector<int> queue{second()};
  onFirst[second()] = false;
  for (size_t i = 0; i < queue.size(); ++i)
    for (int edge : outgoing[queue[i]]) {
      int from = edges[edge].to;
      if (edges[edge ^ 1].left > kNothing && onFirst[from]) {
        onFirst[from] = false;
        queue.push_back(from);
      }
    }
  return onFirst;
}
