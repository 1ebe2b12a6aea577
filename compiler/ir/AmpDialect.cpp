//===- AmpDialect.cpp - The amp dialect -----------------------------------===//

#include "compiler/ir/Amp.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace amp;

#include "AmpDialect.cpp.inc"
#include "AmpEnums.cpp.inc"
#include "AmpInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "AmpAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "AmpOps.cpp.inc"

namespace {
/// Everything outside a kernel may be inlined; kernels are inlined whole.
struct AmpInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void AmpDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "AmpAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "AmpOps.cpp.inc"
      >();
  addInterfaces<AmpInlinerInterface>();
}

Operation *AmpDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
