//===- Problem.h - What labels cost, and which must agree -------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_ASSIGN_PROBLEM_H
#define AMPC_AUTOTUNE_ASSIGN_PROBLEM_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ampc::assign {

/// A format that an op may work in, by a number from 0 on.
using Label = uint8_t;

/// What an op costs with one label.
struct Choice {
  Label label;
  double time;  ///< Microseconds. Infinite: the label is forbidden.
  double error; ///< Relative error, squared, so that ops add up. Likewise.
};

/// Why there is no plan.
struct Failure {
  std::string message;
  /// The ops that cannot both have their way, the same twice where one cannot
  /// by itself; -1 where the fault is not in constraints.
  int first = -1, second = -1;
};

/// Ops to be labelled. Faults in what is added are reported when it is solved.
class Problem {
public:
  struct Edge {
    int from, to;
    std::vector<double> casts;
  };

  explicit Problem(int numLabels) : labels(numLabels) {}

  /// An op that may have the labels of `choices` and no other. Ops are numbered
  /// from 0 on.
  int addOp(std::vector<Choice> choices);

  /// `to` reads what `from` makes: `casts[l * numLabels() + m]` is what that
  /// costs in microseconds when they have the labels l and m, nothing or more;
  /// infinite where it cannot be. All else is up to the caller. Guarantees are
  /// better where a cast between equal labels costs nothing (two labels are
  /// solved exactly then) and where, besides, no detour through a third label
  /// is cheaper than a cast (then what Solver says about several labels holds).
  void addEdge(int from, int to, std::vector<double> casts);

  /// Both get the same label.
  void requireSame(int op, int other);

  /// The op gets this label.
  void pin(int op, Label label);

  int numLabels() const { return labels; }
  int numOps() const { return int(choices.size()); }
  const std::vector<Choice> &choicesOf(int op) const { return choices[op]; }
  const std::vector<Edge> &getEdges() const { return edges; }
  const std::vector<std::pair<int, int>> &getSame() const { return same; }
  const std::vector<std::pair<int, Label>> &getPins() const { return pins; }

  /// Whether numbers are numbers and ops exist; says else what is wrong.
  bool isValid(Failure &failure) const;

private:
  std::string faultInOps() const;
  std::string faultInEdges() const;
  std::string faultInConstraints() const;

  int labels;
  std::vector<std::vector<Choice>> choices;
  std::vector<Edge> edges;
  std::vector<std::pair<int, int>> same;
  std::vector<std::pair<int, Label>> pins;
};

/// "op #3".
std::string nameOf(int op);

} // namespace ampc::assign

#endif // AMPC_AUTOTUNE_ASSIGN_PROBLEM_H
