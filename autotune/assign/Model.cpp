//===- Model.cpp - A problem without its constraints ----------------------===//

#include "autotune/assign/Model.h"

#include "autotune/assign/Classes.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace ampc::assign;

std::optional<Model> Model::build(const Problem &problem, Failure &failure) {
  if (!problem.isValid(failure))
    return std::nullopt;
  std::optional<Classes> classes = Classes::find(problem, failure);
  if (!classes)
    return std::nullopt;
  Model model;
  model.labels = problem.numLabels();
  model.nodes = classes->classOf;
  model.allowed.resize(classes->labels.size());
  for (size_t node = 0; node < model.allowed.size(); ++node)
    for (int label = 0; label < model.labels; ++label)
      if (classes->labels[node][label])
        model.allowed[node].push_back(Label(label));
  model.addCosts(problem);
  model.addCasts(problem);
  model.findBounds();
  return model;
}

bool Model::allows(int node, Label label) const {
  return std::isfinite(time(node, label));
}

void Model::addCosts(const Problem &problem) {
  size_t size = allowed.size() * labels;
  times.assign(size, std::numeric_limits<double>::infinity());
  errors = times;
  for (size_t node = 0; node < allowed.size(); ++node)
    for (Label label : allowed[node])
      times[node * labels + label] = errors[node * labels + label] = 0;
  for (int op = 0; op < problem.numOps(); ++op)
    for (const Choice &choice : problem.choicesOf(op))
      // What one op of a class does not allow stays infinite.
      if (size_t at = size_t(nodes[op]) * labels + choice.label;
          std::isfinite(times[at])) {
        times[at] += choice.time;
        errors[at] += choice.error;
      }
}

/// Edges between the same nodes become one, so that one cut edge stands for
/// them. Casts inside a node depend on its label alone.
void Model::addCasts(const Problem &problem) {
  incident.resize(allowed.size());
  inner.assign(times.size(), 0);
  std::map<std::pair<int, int>, int> numbers;
  for (const Problem::Edge &edge : problem.getEdges()) {
    int from = nodes[edge.from], to = nodes[edge.to];
    if (from == to) {
      for (Label label : allowed[from]) {
        double cast = edge.casts[size_t(label) * labels + label];
        times[size_t(from) * labels + label] += cast;
        inner[size_t(from) * labels + label] += cast;
      }
      continue;
    }
    auto [found, isNew] =
        numbers.insert({std::minmax(from, to), int(edges.size())});
    if (isNew) {
      incident[from].push_back(int(edges.size()));
      incident[to].push_back(int(edges.size()));
      edges.push_back({from, to});
      casts.resize(casts.size() + edge.casts.size(), 0);
    }
    bool isTurned = edges[found->second].from != from;
    double *sums = &casts[size_t(found->second) * labels * labels];
    for (int i = 0; i < labels; ++i)
      for (int j = 0; j < labels; ++j)
        sums[i * labels + j] +=
            edge.casts[isTurned ? j * labels + i : i * labels + j];
  }
}

void Model::findBounds() {
  for (int node = 0; node < numNodes(); ++node) {
    double mostTime = 0, mostError = 0;
    for (Label label : allowed[node]) {
      mostTime = std::max(mostTime, time(node, label));
      mostError = std::max(mostError, error(node, label));
    }
    timeBound += mostTime;
    errorBound += mostError;
  }
  for (size_t edge = 0; edge < edges.size(); ++edge) {
    double most = 0;
    for (Label from : allowed[edges[edge].from])
      for (Label to : allowed[edges[edge].to])
        if (double time = castTime(int(edge), from, to); std::isfinite(time))
          most = std::max(most, time);
    timeBound += most;
  }
  // Above zero too where nothing costs anything.
  timeBound = timeBound > 0 ? 2 * timeBound : 1;
  errorBound = errorBound > 0 ? 2 * errorBound : 1;
}

double Model::energy(const Labels &chosen, Weights weights) const {
  double sum = 0;
  for (int node = 0; node < numNodes(); ++node)
    sum += cost(node, chosen[node], weights);
  for (size_t edge = 0; edge < edges.size(); ++edge)
    sum += cast(int(edge), chosen[edges[edge].from], chosen[edges[edge].to],
                weights);
  return sum;
}

Plan Model::plan(const Labels &chosen) const {
  Plan plan;
  for (int node : nodes)
    plan.labels.push_back(chosen[node]);
  for (int node = 0; node < numNodes(); ++node) {
    double casts = inner[size_t(node) * labels + chosen[node]];
    plan.time += time(node, chosen[node]) - casts;
    plan.casts += casts;
    plan.error += error(node, chosen[node]);
  }
  for (size_t edge = 0; edge < edges.size(); ++edge)
    plan.casts +=
        castTime(int(edge), chosen[edges[edge].from], chosen[edges[edge].to]);
  plan.time += plan.casts;
  return plan;
}

int Model::forbiddenCast(const Labels &chosen) const {
  for (size_t edge = 0; edge < edges.size(); ++edge)
    if (std::isinf(castTime(int(edge), chosen[edges[edge].from],
                            chosen[edges[edge].to])))
      return int(edge);
  return -1;
}
