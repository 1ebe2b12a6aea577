//===- MinimumCut.cpp - The cheapest way to part a graph ------------------===//

#include "compiler/support/MinimumCut.h"

#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <utility>

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

/// How much more each node is held by the first side than by the second.
///
/// No node needs to be held by more than what its neighbours can pull, and
/// bounding it leaves the bits of the unit to those that are undecided.
std::vector<double> MinimumCut::balances() const {
  std::vector<double> pull(fromFirst.size(), 0), balance(fromFirst.size(), 0);
  for (const Edge &edge : edges) {
    pull[edge.from] += edge.capacity;
    pull[edge.to] += edge.capacity;
  }
  for (size_t i = 2; i < balance.size(); ++i)
    if (fromFirst[i] != toSecond[i]) // Both may be infinite.
      balance[i] =
          std::clamp(fromFirst[i] - toSecond[i], -2 * pull[i], 2 * pull[i]);
  return balance;
}

namespace {

/// Edges with their reverses, sorted by where they begin.
class FlowNetwork {
public:
  explicit FlowNetwork(size_t numNodes) : begin(numNodes + 1, 0) {}

  void addEdge(int from, int to, double capacity) {
    halves.push_back({from, to, capacity});
    halves.push_back({to, from, 0});
  }

  void maximise(int source, int sink);

  /// Marks nodes from which no flow can reach `sink` any more.
  std::vector<bool> cutOff(int sink) const;

private:
  struct Half {
    int from, to;
    double capacity;
  };

  void round();
  void sort();

  std::vector<Half> halves;    ///< As added: the reverse of i is i ^ 1.
  std::vector<uint32_t> begin; ///< The first edge of each node.
  std::vector<std::pair<uint32_t, uint32_t>> ends;
  std::vector<uint32_t> reverse;
  std::vector<int64_t> capacity; ///< By half until sort(), then by edge.
  std::vector<int64_t> left;
};

} // namespace

/// Rounds capacities so that no sum of them overflows.
void FlowNetwork::round() {
  double largest = 0;
  for (const Half &half : halves)
    if (std::isfinite(half.capacity))
      largest = std::max(largest, half.capacity);
  int exponent = largest > 0 ? std::ilogb(largest) : 0;
  double total = 0;
  for (const Half &half : halves)
    if (std::isfinite(half.capacity))
      total += std::scalbn(half.capacity, -exponent);
  // Even if all edges were infinite and full.
  double room = std::scalbn(1.0, 61) / (4 * double(halves.size() + 1));
  int shift = std::ilogb(room / (total + 1)) - exponent;
  int64_t sum = 0;
  for (const Half &half : halves) {
    capacity.push_back(std::isfinite(half.capacity)
                           ? std::llround(std::scalbn(half.capacity, shift))
                           : -1);
    sum += std::max<int64_t>(capacity.back(), 0);
  }
  // More than all that is finite by more than what cutOff() overlooks.
  std::replace(capacity.begin(), capacity.end(), int64_t(-1),
               sum + 2 * int64_t(halves.size()));
}

void FlowNetwork::sort() {
  for (const Half &half : halves)
    ++begin[half.from + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<uint32_t> next = begin, place(halves.size());
  for (size_t i = 0; i < halves.size(); ++i)
    place[i] = next[halves[i].from]++;
  std::vector<int64_t> byHalf(halves.size());
  byHalf.swap(capacity);
  ends.resize(halves.size());
  reverse.resize(halves.size());
  for (size_t i = 0; i < halves.size(); ++i) {
    ends[place[i]] = {halves[i].from, halves[i].to};
    reverse[place[i]] = place[i ^ 1];
    capacity[place[i]] = byHalf[i];
  }
}

void FlowNetwork::maximise(int source, int sink) {
  using Graph =
      boost::compressed_sparse_row_graph<boost::directedS, boost::no_property,
                                         boost::no_property, boost::no_property,
                                         uint32_t, uint32_t>;
  using Edge = boost::graph_traits<Graph>::edge_descriptor;
  round();
  sort();
  size_t numNodes = begin.size() - 1;
  Graph graph(boost::edges_are_sorted, ends.begin(), ends.end(), numNodes);
  std::vector<Edge> reverseEdge;
  for (size_t i = 0; i < ends.size(); ++i)
    reverseEdge.push_back(Edge(ends[i].second, reverse[i]));
  left.resize(ends.size());
  std::vector<Edge> parent(numNodes);
  std::vector<boost::default_color_type> tree(numNodes);
  std::vector<int> distance(numNodes);
  auto edge = get(boost::edge_index, graph);
  auto node = get(boost::vertex_index, graph);
  boost::boykov_kolmogorov_max_flow(
      graph, boost::make_iterator_property_map(capacity.begin(), edge),
      boost::make_iterator_property_map(left.begin(), edge),
      boost::make_iterator_property_map(reverseEdge.begin(), edge),
      boost::make_iterator_property_map(parent.begin(), node),
      boost::make_iterator_property_map(tree.begin(), node),
      boost::make_iterator_property_map(distance.begin(), node), node, source,
      sink);
}

std::vector<bool> FlowNetwork::cutOff(int sink) const {
  // Sums that would be equal differ by what was rounded.
  const int64_t nothing = int64_t(ends.size());
  std::vector<bool> isCutOff(begin.size() - 1, true);
  std::vector<int> queue{sink};
  isCutOff[sink] = false;
  for (size_t i = 0; i < queue.size(); ++i)
    for (uint32_t out = begin[queue[i]]; out < begin[queue[i] + 1]; ++out) {
      int from = int(ends[out].second);
      if (left[reverse[out]] > nothing && isCutOff[from]) {
        isCutOff[from] = false;
        queue.push_back(from);
      }
    }
  return isCutOff;
}

std::vector<bool> MinimumCut::solve() const {
  try {
    FlowNetwork network(fromFirst.size());
    std::vector<double> balance = balances();
    for (int node = 2; node < int(balance.size()); ++node)
      if (balance[node] > 0)
        network.addEdge(first(), node, balance[node]);
      else if (balance[node] < 0)
        network.addEdge(node, second(), -balance[node]);
    for (const Edge &edge : edges)
      network.addEdge(edge.from, edge.to, edge.capacity);
    network.maximise(first(), second());
    std::vector<bool> onFirst = network.cutOff(second());
    // Nodes without neighbours: nothing pulls, so balances() bounds to zero.
    for (size_t node = 2; node < onFirst.size(); ++node)
      if (balance[node] == 0 && fromFirst[node] < toSecond[node])
        onFirst[node] = false;
    return onFirst;
  } catch (const std::exception &error) {
    // Callers are compiled without exceptions, and have no use for half a cut.
    std::fprintf(stderr, "ampc: minimum cut: %s\n", error.what());
    std::abort();
  }
}
