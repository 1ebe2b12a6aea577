//===- MaximumFlow.cpp - Who cannot reach the sink any more ---------------===//

#include "compiler/support/MaximumFlow.h"

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

namespace {

/// Edges with their reverses, sorted by where they begin.
class FlowNetwork {
public:
  explicit FlowNetwork(size_t numNodes) : begin(numNodes + 1, 0) {}

  void addEdge(const FlowEdge &edge) {
    halves.push_back(edge);
    halves.push_back({edge.to, edge.from, 0});
  }

  void maximise(int source, int sink);

  /// Marks nodes from which no flow can reach `sink` any more.
  std::vector<bool> cutOff(int sink) const;

private:
  void round();
  void sort();

  std::vector<FlowEdge> halves; ///< As added: the reverse of i is i ^ 1.
  std::vector<uint32_t> begin;  ///< The first edge of each node.
  std::vector<std::pair<uint32_t, uint32_t>> ends;
  std::vector<uint32_t> reverse;
  std::vector<int64_t> capacity; ///< By half until sort(), then by edge.
  std::vector<int64_t> left;
};

} // namespace

/// Rounds capacities so that no sum of them overflows.
void FlowNetwork::round() {
  double largest = 0;
  for (const FlowEdge &half : halves)
    if (std::isfinite(half.capacity))
      largest = std::max(largest, half.capacity);
  int exponent = largest > 0 ? std::ilogb(largest) : 0;
  double total = 0;
  for (const FlowEdge &half : halves)
    if (std::isfinite(half.capacity))
      total += std::scalbn(half.capacity, -exponent);
  // Even if all edges were infinite and full.
  double room = std::scalbn(1.0, 61) / (4 * double(halves.size() + 1));
  int shift = std::ilogb(room / (total + 1)) - exponent;
  int64_t sum = 0;
  for (const FlowEdge &half : halves) {
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
  for (const FlowEdge &half : halves)
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

std::vector<bool> amp::cutOffByMaximumFlow(int numNodes,
                                           const std::vector<FlowEdge> &edges,
                                           int source, int sink) {
  try {
    FlowNetwork network(numNodes);
    for (const FlowEdge &edge : edges)
      network.addEdge(edge);
    network.maximise(source, sink);
    return network.cutOff(sink);
  } catch (const std::exception &error) {
    // Callers are compiled without exceptions, and have no use for half a flow.
    std::fprintf(stderr, "ampc: maximum flow: %s\n", error.what());
    std::abort();
  }
}
