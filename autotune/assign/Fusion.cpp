//===- Fusion.cpp - The best of two labellings, node by node --------------===//

#include "autotune/assign/Fusion.h"

using namespace ampc::assign;
using amp::MinimumCut;

/// What sums differ by, relatively, without meaning it.
static constexpr double kRounding = 1e-12;

/// What `node` gains by changing, its neighbours that do not change included.
void Fusion::addNode(const Move &move, int node) {
  double keep = model.cost(node, move.labels[node], move.weights);
  double change = model.cost(node, move.other[node], move.weights);
  for (int edge : model.edgesAt(node)) {
    auto [from, to] = model.getEdges()[edge];
    if (position[from == node ? to : from] >= 0)
      continue;
    keep += model.cast(edge, move.labels[from], move.labels[to], move.weights);
    change +=
        from == node
            ? model.cast(edge, move.other[from], move.labels[to], move.weights)
            : model.cast(edge, move.labels[from], move.other[to], move.weights);
  }
  gains[position[node]] += keep - change;
  magnitude += keep + change;
}

/// Casts between two nodes that may change. With 1 for the change of `from` and
/// of `to` they are
///   keep + (changeFrom - keep) from + (both - changeFrom) to
///        + (changeFrom + changeTo - keep - both) (1 - from) to
/// and the last is an edge of the cut.
void Fusion::addPair(MinimumCut &cut, const Move &move, int edge) {
  auto [from, to] = model.getEdges()[edge];
  auto cast = [&](const Labels &ofFrom, const Labels &ofTo) {
    return model.cast(edge, ofFrom[from], ofTo[to], move.weights);
  };
  double keep = cast(move.labels, move.labels);
  double both = cast(move.other, move.other);
  double changeFrom = cast(move.other, move.labels);
  double changeTo = cast(move.labels, move.other);
  magnitude += keep + both;
  if (double excess = keep + both - changeFrom - changeTo; excess > 0) {
    changeFrom += excess / 2;
    changeTo += excess / 2;
  }
  gains[position[from]] += keep - changeFrom;
  gains[position[to]] += changeFrom - both;
  cut.addEdge(firstInCut + position[from], firstInCut + position[to],
              changeFrom + changeTo - keep - both);
}

/// By how much the sum of costs falls when `changes` change; without the nodes
/// and edges that stay the same, whose costs would only round it.
double Fusion::improvement(const Move &move, const std::vector<int> &changes) {
  for (int node : changes)
    changed[node] = true;
  auto label = [&](int node) {
    return changed[node] ? move.other[node] : move.labels[node];
  };
  double gain = 0;
  for (int node : changes) {
    gain += model.cost(node, move.labels[node], move.weights) -
            model.cost(node, move.other[node], move.weights);
    for (int edge : model.edgesAt(node)) {
      auto [from, to] = model.getEdges()[edge];
      if (node == to && changed[from])
        continue; // Counted there.
      gain +=
          model.cast(edge, move.labels[from], move.labels[to], move.weights) -
          model.cast(edge, label(from), label(to), move.weights);
    }
  }
  for (int node : changes)
    changed[node] = false;
  return gain;
}

bool Fusion::fuse(Labels &labels, const Labels &other, Weights weights,
                  const std::vector<int> &nodes) {
  changing.clear();
  for (int node : nodes)
    if (labels[node] != other[node]) {
      position[node] = int(changing.size());
      changing.push_back(node);
    }
  if (changing.empty())
    return false;
  Move move{labels, other, weights};
  MinimumCut cut; // Who is on its first side keeps its label.
  firstInCut = cut.second() + 1;
  gains.assign(changing.size(), 0);
  magnitude = 0;
  for (int node : changing) {
    cut.addNode();
    addNode(move, node);
  }
  for (int node : changing)
    for (int edge : model.edgesAt(node))
      if (auto [from, to] = model.getEdges()[edge];
          from == node && position[to] >= 0)
        addPair(cut, move, edge);
  for (size_t i = 0; i < changing.size(); ++i) {
    cut.addEdge(cut.first(), firstInCut + int(i), -gains[i]);
    cut.addEdge(firstInCut + int(i), cut.second(), gains[i]);
  }
  std::vector<bool> keeps = cut.solve();
  std::vector<int> changes;
  for (size_t i = 0; i < changing.size(); ++i) {
    position[changing[i]] = -1;
    if (!keeps[firstInCut + i])
      changes.push_back(changing[i]);
  }
  if (changes.empty() || improvement(move, changes) <= kRounding * magnitude)
    return false;
  for (int node : changes)
    labels[node] = other[node];
  return true;
}
