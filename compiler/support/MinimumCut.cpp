//===- MinimumCut.cpp - The cheapest way to part a graph ------------------===//

#include "compiler/support/MinimumCut.h"

#include <cmath>
#include <numeric>

using namespace amp;

int MinimumCut::addNode() {
  fromFirst.push_back(0);
  toSecond.push_back(0);
  return int(fromFirst.size()) - 1;
}

void MinimumCut::addEdge(int from, int to, double capacity) {
  // Nothing leads from the first side to the second by an edge into first() or
  // out of second(), and from one to the other something always does.
  if (from == to || !(capacity > 0) || to == first() || from == second() ||
      (from == first() && to == second()))
    return;
  if (from == first())
    fromFirst[to] += capacity;
  else if (to == second())
    toSecond[from] += capacity;
  else
    edges.push_back({from, to, capacity});
}

namespace {

/// Puts nodes on a side that are held there by more than what all neighbours
/// can pull, whatever becomes of these, and goes on with what that says about
/// the neighbours. Most nodes are of this kind where gains are large and edges
/// cheap; and what is left has capacities of like size, so that rounding them
/// to a common unit loses nothing.
class Presolve {
public:
  enum Side : char { Open, First, Second };

  Presolve(const std::vector<FlowEdge> &edges, std::vector<double> fromFirst,
           std::vector<double> toSecond);

  void run();

  std::vector<Side> side;

  /// What holds an open node on the first side, less what does on the second.
  double balance(int node) const {
    // Both may be infinite.
    return fromFirst[node] == toSecond[node] ? 0
                                             : fromFirst[node] - toSecond[node];
  }

private:
  void decide(int node);
  void put(int node, Side onto);

  const std::vector<FlowEdge> &edges;
  std::vector<double> fromFirst, toSecond;
  std::vector<int> begin, incident; ///< Edges at each node, by number.
  std::vector<int> queue;
  std::vector<bool> isQueued;
};

} // namespace

Presolve::Presolve(const std::vector<FlowEdge> &edges,
                   std::vector<double> fromFirst, std::vector<double> toSecond)
    : side(fromFirst.size(), Open), edges(edges),
      fromFirst(std::move(fromFirst)), toSecond(std::move(toSecond)),
      begin(side.size() + 1, 0), incident(2 * edges.size()),
      isQueued(side.size(), true) {
  for (const FlowEdge &edge : edges)
    ++begin[edge.from + 1], ++begin[edge.to + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<int> next = begin;
  for (int i = 0; i < int(edges.size()); ++i)
    incident[next[edges[i].from]++] = incident[next[edges[i].to]++] = i;
  // Both given sides have their nodes.
  side[0] = First;
  side[1] = Second;
  for (int node = 2; node < int(side.size()); ++node)
    queue.push_back(node);
}

void Presolve::run() {
  for (size_t i = 0; i < queue.size(); ++i) {
    isQueued[queue[i]] = false;
    decide(queue[i]);
  }
}

void Presolve::decide(int node) {
  if (side[node] != Open)
    return;
  double in = 0, out = 0;
  for (int i = begin[node]; i < begin[node + 1]; ++i) {
    const FlowEdge &edge = edges[incident[i]];
    if (side[edge.from == node ? edge.to : edge.from] == Open)
      (edge.from == node ? out : in) += edge.capacity;
  }
  // Of equal ways the one with more nodes on the first side.
  if (balance(node) >= out)
    put(node, First);
  else if (-balance(node) > in || std::isinf(balance(node)))
    put(node, Second);
}

void Presolve::put(int node, Side onto) {
  side[node] = onto;
  for (int i = begin[node]; i < begin[node + 1]; ++i) {
    const FlowEdge &edge = edges[incident[i]];
    int other = edge.from == node ? edge.to : edge.from;
    if (side[other] != Open)
      continue;
    if (onto == First && edge.from == node)
      fromFirst[other] += edge.capacity;
    if (onto == Second && edge.to == node)
      toSecond[other] += edge.capacity;
    if (!isQueued[other]) {
      isQueued[other] = true;
      queue.push_back(other);
    }
  }
}

std::vector<bool> MinimumCut::solve() const {
  Presolve presolve(edges, fromFirst, toSecond);
  presolve.run();
  std::vector<int> open{first(), second()}, place(fromFirst.size(), -1);
  std::vector<FlowEdge> left;
  std::vector<bool> isFirst(fromFirst.size());
  for (int node = 0; node < int(fromFirst.size()); ++node) {
    isFirst[node] = presolve.side[node] == Presolve::First;
    if (presolve.side[node] != Presolve::Open)
      continue;
    place[node] = int(open.size());
    open.push_back(node);
    double balance = presolve.balance(node);
    if (balance > 0)
      left.push_back({first(), place[node], balance});
    else if (balance < 0)
      left.push_back({place[node], second(), -balance});
  }
  if (open.size() == 2)
    return isFirst;
  for (const FlowEdge &edge : edges)
    if (place[edge.from] >= 0 && place[edge.to] >= 0)
      left.push_back({place[edge.from], place[edge.to], edge.capacity});
  std::vector<bool> cutOff =
      cutOffByMaximumFlow(int(open.size()), left, first(), second());
  for (size_t i = 2; i < open.size(); ++i)
    isFirst[open[i]] = cutOff[i];
  return isFirst;
}
