//===- AssignPrecision.cpp - Which format each op may use -----------------===//

#include "compiler/ir/Amp.h"
#include "passes/Passes.h"

namespace amp {
#define GEN_PASS_DEF_ASSIGNPRECISION
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {
struct AssignPrecision
    : public amp::impl::AssignPrecisionBase<AssignPrecision> {
  using AssignPrecisionBase::AssignPrecisionBase;

  void runOnOperation() override {
    std::optional<Format> format = symbolizeFormat(uniform);
    if (!format) {
      getOperation().emitError("has no format '") << uniform << "' to give";
      return signalPassFailure();
    }
    auto label = FormatAttr::get(&getContext(), *format);
    getOperation()->walk([&](PrecisionOpInterface op) {
      // The interface is also on arith's scalars, which are shape arithmetic.
      if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>) &&
          llvm::is_contained(op.getLegalFormats(), *format))
        op->setAttr(precisionAttrName, label);
    });
  }
};
} // namespace
