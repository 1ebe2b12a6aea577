//===- Fusion.h - The best of two labellings, node by node ------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_ASSIGN_FUSION_H
#define AMPC_AUTOTUNE_ASSIGN_FUSION_H

#include "autotune/assign/Model.h"
#include "compiler/support/MinimumCut.h"

namespace ampc::assign {

/// The one move that all else is built from: of two labellings, each node takes
/// its label from either, so that the sum of costs is the least.
///
/// That is a minimum cut if on each edge the casts of the two labellings
/// together cost no more than the two casts between them. Where they do, mixing
/// is taken to be dearer than it is, by as much as is needed: what comes out
/// may not be the best mixture then, but never costs more than either labelling
/// does (at `nodes`, what the others have being as it is).
class Fusion {
public:
  explicit Fusion(const Model &model)
      : model(model), position(model.numNodes(), -1),
        changed(model.numNodes(), false) {}

  /// Mixes `other` into `labels` at `nodes`. Whether that made it better: if it
  /// did not, `labels` stays as it is.
  bool fuse(Labels &labels, const Labels &other, Weights weights,
            const std::vector<int> &nodes);

private:
  struct Move {
    const Labels &labels, &other;
    Weights weights;
  };

  void addNode(const Move &move, int node);
  void addPair(amp::MinimumCut &cut, const Move &move, int edge);
  double improvement(const Move &move, const std::vector<int> &changes);

  const Model &model;
  std::vector<int> changing; ///< Nodes to which another label is offered.
  std::vector<int> position; ///< Their place in it by node, or -1.
  std::vector<bool> changed;
  std::vector<double> gains; ///< By place in it, what changing gains.
  int firstInCut = 0;        ///< What stands there for the first of them.
  double magnitude = 0;      ///< Of what was summed.
};

} // namespace ampc::assign

#endif // AMPC_AUTOTUNE_ASSIGN_FUSION_H
