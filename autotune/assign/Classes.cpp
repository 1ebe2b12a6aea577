//===- Classes.cpp - Ops that must have the same label --------------------===//

#include "autotune/assign/Classes.h"

#include <boost/pending/disjoint_sets.hpp>

#include <cmath>

using namespace ampc::assign;

static std::string toString(const LabelSet &labels) {
  std::string text;
  for (size_t label = 0; label < labels.size(); ++label)
    if (labels[label])
      text += (text.empty() ? "" : ", ") + std::to_string(label);
  return "{" + text + "}";
}

/// Labels that an op allows by itself, pins included.
static std::optional<std::vector<LabelSet>> allowedByOp(const Problem &problem,
                                                        Failure &failure) {
  std::vector<LabelSet> allowed(problem.numOps());
  for (int op = 0; op < problem.numOps(); ++op) {
    for (const Choice &choice : problem.choicesOf(op))
      if (std::isfinite(choice.time) && std::isfinite(choice.error))
        allowed[op].set(choice.label);
    if (allowed[op].none()) {
      failure = {nameOf(op) + " allows no label", op, op};
      return std::nullopt;
    }
  }
  for (auto [op, label] : problem.getPins()) {
    if (!allowed[op][label]) {
      failure = {nameOf(op) + " is pinned to label " +
                     std::to_string(int(label)) + " but allows " +
                     toString(allowed[op]),
                 op, op};
      return std::nullopt;
    }
    allowed[op] = LabelSet().set(label);
  }
  return allowed;
}

/// Tells of two ops of a class whose labels leave none to `op`, the first to be
/// without.
static Failure conflict(const std::vector<LabelSet> &allowed,
                        const std::vector<int> &classOf, int op) {
  // Best an op that shares no label with it, and else the last that took some.
  int other = -1;
  for (int earlier = 0; earlier < op; ++earlier) {
    if (classOf[earlier] != classOf[op])
      continue;
    if ((allowed[earlier] & allowed[op]).none()) {
      other = earlier;
      break;
    }
    if ((allowed[op] & ~allowed[earlier]).any())
      other = earlier;
  }
  std::string message = nameOf(other) + " and " + nameOf(op) +
                        " must have the same label, but one allows " +
                        toString(allowed[other]) + " and the other " +
                        toString(allowed[op]);
  if ((allowed[other] & allowed[op]).any())
    message += ", and what both allow, others do not";
  return {message, other, op};
}

/// Labels with which an edge inside a class has no cast are none.
static bool forbidCastsInside(const Problem &problem, Classes &classes,
                              Failure &failure) {
  for (const Problem::Edge &edge : problem.getEdges()) {
    int node = classes.classOf[edge.from];
    if (node != classes.classOf[edge.to])
      continue;
    LabelSet &labels = classes.labels[node];
    for (int label = 0; label < problem.numLabels(); ++label)
      if (std::isinf(edge.casts[size_t(label) * problem.numLabels() + label]))
        labels.reset(label);
    if (labels.none()) {
      failure = {nameOf(edge.from) + " and " + nameOf(edge.to) +
                     " must have the same label, but casts between them allow "
                     "none that is left",
                 edge.from, edge.to};
      return false;
    }
  }
  return true;
}

std::optional<Classes> Classes::find(const Problem &problem, Failure &failure) {
  std::optional<std::vector<LabelSet>> allowed = allowedByOp(problem, failure);
  if (!allowed)
    return std::nullopt;
  boost::disjoint_sets_with_storage<> sets(problem.numOps());
  for (auto [op, other] : problem.getSame())
    sets.union_set(op, other);

  Classes classes;
  classes.classOf.resize(problem.numOps());
  std::vector<int> classAt(problem.numOps(), -1); // By representative.
  for (int op = 0; op < problem.numOps(); ++op) {
    int &number = classAt[sets.find_set(op)];
    if (number < 0) {
      number = int(classes.labels.size());
      classes.labels.push_back((*allowed)[op]);
    }
    classes.classOf[op] = number;
    classes.labels[number] &= (*allowed)[op];
    if (classes.labels[number].none()) {
      failure = conflict(*allowed, classes.classOf, op);
      return std::nullopt;
    }
  }
  if (!forbidCastsInside(problem, classes, failure))
    return std::nullopt;
  return classes;
}
