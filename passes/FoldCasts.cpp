//===- FoldCasts.cpp - Roundings that round nothing -----------------------===//

#include "passes/KnownFormats.h"
#include "passes/Passes.h"

namespace amp {
#define GEN_PASS_DEF_FOLDCASTS
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {
struct FoldCasts : public amp::impl::FoldCastsBase<FoldCasts> {
  void runOnOperation() override {
    KnownFormats formats;
    SmallVector<RoundToOp> rounds;
    getOperation()->walk([&](RoundToOp round) {
      if (formats.of(round.getSource()) == round.getFormat())
        rounds.push_back(round);
    });
    for (RoundToOp round : rounds) {
      round.replaceAllUsesWith(round.getSource());
      round.erase();
    }
  }
};
} // namespace
