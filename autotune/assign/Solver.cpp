//===- Solver.cpp - The labels that cost the least ------------------------===//

#include "autotune/assign/Solver.h"

#include <algorithm>

using namespace ampc::assign;

Solver::Solver(const Model &model) : model(model), fusion(model) {
  for (int node = 0; node < model.numNodes(); ++node) {
    all.push_back(node);
    low.push_back(model.labelsOf(node).front());
    high.push_back(model.labelsOf(node).back());
  }
  exact = isBinaryCut();
  monotone = exact && hasOrderedErrors();
}

bool Solver::isBinaryCut() const {
  for (int node : all)
    if (model.labelsOf(node).size() > 2)
      return false;
  for (int edge = 0; edge < int(model.getEdges().size()); ++edge) {
    auto cast = [&, at = model.getEdges()[edge]](const Labels &ofFrom,
                                                 const Labels &ofTo) {
      return model.cast(edge, ofFrom[at.from], ofTo[at.to], {1, 0});
    };
    if (cast(low, low) + cast(high, high) > cast(low, high) + cast(high, low))
      return false;
  }
  return true;
}

bool Solver::hasOrderedErrors() const {
  bool rise = true, fall = true;
  for (int node : all) {
    double step = model.error(node, high[node]) - model.error(node, low[node]);
    rise &= step >= 0;
    fall &= step <= 0;
  }
  return rise || fall;
}

/// What costs least at `node` by itself.
Label Solver::cheapest(int node, Weights weights) const {
  const std::vector<Label> &allowed = model.labelsOf(node);
  return *std::min_element(
      allowed.begin(), allowed.end(), [&](Label a, Label b) {
        return model.cost(node, a, weights) < model.cost(node, b, weights);
      });
}

void Solver::expand(Labels &labels, Weights weights,
                    const std::vector<int> &nodes) {
  Labels offer = labels;
  int refused = 0; // Labels in a row.
  for (int label = 0; refused < model.numLabels();
       label = (label + 1) % model.numLabels()) {
    for (int node : nodes)
      offer[node] =
          model.allows(node, Label(label)) ? Label(label) : labels[node];
    refused = fusion.fuse(labels, offer, weights, nodes) ? 1 : refused + 1;
  }
}

Labels Solver::minimise(Weights weights) {
  if (exact) {
    Labels labels = low;
    fusion.fuse(labels, high, weights, all);
    return labels;
  }
  // From the best that has one label, as far as nodes allow it, and from what
  // is best but for casts: neither is nearer to the goal in all cases.
  Labels single;
  for (int node : all)
    single.push_back(cheapest(node, weights));
  std::optional<Labels> uniform;
  for (int label = 0; label < model.numLabels(); ++label) {
    Labels labels = single;
    for (int node : all)
      if (model.allows(node, Label(label)))
        labels[node] = Label(label);
    if (!uniform ||
        model.energy(labels, weights) < model.energy(*uniform, weights))
      uniform = std::move(labels);
  }
  expand(single, weights, all);
  expand(*uniform, weights, all);
  return model.energy(single, weights) < model.energy(*uniform, weights)
             ? single
             : *uniform;
}
