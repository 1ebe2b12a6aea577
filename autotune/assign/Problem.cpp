//===- Problem.cpp - What labels cost, and which must agree ---------------===//

#include "autotune/assign/Problem.h"

#include <cmath>
#include <limits>

using namespace ampc::assign;

std::string ampc::assign::nameOf(int op) { return "op #" + std::to_string(op); }

int Problem::addOp(std::vector<Choice> opChoices) {
  choices.push_back(std::move(opChoices));
  return int(choices.size()) - 1;
}

void Problem::addEdge(int from, int to, std::vector<double> casts) {
  edges.push_back({from, to, std::move(casts)});
}

void Problem::requireSame(int op, int other) { same.push_back({op, other}); }

void Problem::pin(int op, Label label) { pins.push_back({op, label}); }

/// What is wrong with a cost, if anything.
static std::string faultIn(double cost) {
  // Sums must stay finite, or infinite would not mean forbidden.
  constexpr double most = 1e100;
  if (std::isnan(cost))
    return "is not a number";
  if (cost < 0)
    return "is negative";
  if (cost > most && !std::isinf(cost))
    return "is over 1e100: what is forbidden costs infinity";
  return "";
}

std::string Problem::faultInOps() const {
  for (int op = 0; op < numOps(); ++op) {
    std::vector<bool> seen(labels, false);
    for (const Choice &choice : choices[op]) {
      std::string name =
          nameOf(op) + ", label " + std::to_string(int(choice.label)) + ": ";
      if (choice.label >= labels)
        return name + "there are only " + std::to_string(labels) + " labels";
      if (seen[choice.label])
        return name + "it is given twice";
      seen[choice.label] = true;
      if (std::string fault = faultIn(choice.time); !fault.empty())
        return name + "the time " + fault;
      if (std::string fault = faultIn(choice.error); !fault.empty())
        return name + "the error " + fault;
    }
  }
  return "";
}

std::string Problem::faultInEdges() const {
  for (const Edge &edge : edges) {
    std::string name =
        "edge from " + nameOf(edge.from) + " to " + nameOf(edge.to) + ": ";
    if (edge.from < 0 || edge.from >= numOps() || edge.to < 0 ||
        edge.to >= numOps())
      return name + "there are only " + std::to_string(numOps()) + " ops";
    if (edge.casts.size() != size_t(labels) * labels)
      return name + std::to_string(edge.casts.size()) + " casts where " +
             std::to_string(labels) + " labels make " +
             std::to_string(labels * labels);
    for (double cast : edge.casts)
      if (std::string fault = faultIn(cast); !fault.empty())
        return name + "a cast's time " + fault;
  }
  return "";
}

std::string Problem::faultInConstraints() const {
  auto exists = [&](int op) { return op >= 0 && op < numOps(); };
  for (auto [op, other] : same)
    if (!exists(op) || !exists(other))
      return nameOf(op) + " and " + nameOf(other) +
             " cannot have the same label: there are only " +
             std::to_string(numOps()) + " ops";
  for (auto [op, label] : pins)
    if (!exists(op) || label >= labels)
      return nameOf(op) + " cannot be pinned to label " +
             std::to_string(int(label)) + ": there are only " +
             std::to_string(numOps()) + " ops and " + std::to_string(labels) +
             " labels";
  return "";
}

bool Problem::isValid(Failure &failure) const {
  constexpr int most = std::numeric_limits<Label>::max();
  failure = {};
  if (labels < 1 || labels > most)
    failure.message = std::to_string(labels) + " labels: there can be 1 to " +
                      std::to_string(most);
  for (auto fault : {&Problem::faultInOps, &Problem::faultInEdges,
                     &Problem::faultInConstraints})
    if (failure.message.empty())
      failure.message = (this->*fault)();
  return failure.message.empty();
}
