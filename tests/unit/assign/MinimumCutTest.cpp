//===- MinimumCutTest.cpp - Against all ways to part a graph --------------===//

#include "compiler/support/MinimumCut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

using amp::MinimumCut;

namespace {

struct Edge {
  int from, to;
  double capacity;
};

/// A graph whose nodes from 2 on have no side yet.
struct Graph {
  int numNodes = 2;
  std::vector<Edge> edges;

  double cost(const std::vector<bool> &onFirst) const {
    double sum = 0;
    for (const Edge &edge : edges)
      if (edge.capacity > 0 && onFirst[edge.from] && !onFirst[edge.to])
        sum += edge.capacity;
    return sum;
  }

  std::vector<bool> solve() const {
    MinimumCut cut;
    for (int node = 2; node < numNodes; ++node)
      EXPECT_EQ(cut.addNode(), node);
    for (const Edge &edge : edges)
      cut.addEdge(edge.from, edge.to, edge.capacity);
    return cut.solve();
  }
};

Graph randomGraph(std::mt19937 &random, bool small) {
  auto below = [&](int bound) { return int(random() % unsigned(bound)); };
  Graph graph;
  graph.numNodes = 3 + below(8);
  for (int left = below(4 * graph.numNodes); left > 0; --left) {
    double capacity = small ? below(4) : std::ldexp(below(1 << 20), -below(40));
    if (below(12) == 0)
      capacity = MinimumCut::infinite;
    graph.edges.push_back(
        {below(graph.numNodes), below(graph.numNodes), capacity});
  }
  return graph;
}

void expectLeast(const Graph &graph) {
  std::vector<bool> found = graph.solve();
  ASSERT_EQ(found.size(), size_t(graph.numNodes));
  EXPECT_TRUE(found[0]);
  EXPECT_FALSE(found[1]);
  double cost = graph.cost(found);
  size_t most = 0;
  for (int bits = 0; bits < 1 << (graph.numNodes - 2); ++bits) {
    std::vector<bool> other{true, false};
    for (int node = 2; node < graph.numNodes; ++node)
      other.push_back(bits >> (node - 2) & 1);
    double otherCost = graph.cost(other);
    ASSERT_LE(cost, otherCost * (1 + 1e-9));
    if (otherCost <= cost && std::isfinite(cost))
      most = std::max<size_t>(most, std::count(other.begin(), other.end(), 1));
  }
  EXPECT_GE(size_t(std::count(found.begin(), found.end(), true)), most);
}

TEST(MinimumCut, IsTheLeastOfAll) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    expectLeast(randomGraph(random, round % 2));
    if (HasFailure())
      return;
  }
}

TEST(MinimumCut, NodesWithoutEdgesStayOnTheFirstSide) {
  EXPECT_EQ((Graph{4, {}}.solve()),
            (std::vector<bool>{true, false, true, true}));
}

TEST(MinimumCut, NodesWithoutNeighboursFollowTheirOwnEdges) {
  EXPECT_EQ((Graph{5, {{0, 2, 1e-30}, {3, 1, 1e-30}, {0, 4, 1e30}}}.solve()),
            (std::vector<bool>{true, false, true, false, true}));
}

/// What is large beyond need takes no bits from what is small.
TEST(MinimumCut, LargeAndSmallMix) {
  EXPECT_EQ((Graph{4, {{0, 2, 1e18}, {2, 3, 1e-3}, {3, 1, 2e-3}}}.solve()),
            (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ((Graph{4, {{0, 2, 1e18}, {2, 3, 2e-3}, {3, 1, 1e-3}}}.solve()),
            (std::vector<bool>{true, false, true, true}));
}

TEST(MinimumCut, SurvivesWhatCannotBeParted) {
  double infinite = MinimumCut::infinite;
  std::vector<Edge> edges{{0, 2, infinite}, {2, 1, infinite}, {0, 3, infinite}};
  for (int i = 0; i < 1000; ++i)
    edges.push_back({3, 1, infinite}), edges.push_back({2, 3, infinite});
  EXPECT_EQ((Graph{4, edges}.solve().size()), size_t(4));
}

} // namespace
