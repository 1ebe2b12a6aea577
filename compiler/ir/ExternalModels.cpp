//===- ExternalModels.cpp - amp's interfaces on upstream ops --------------===//

#include "compiler/ir/Amp.h"

using namespace mlir;
using namespace amp;

namespace {

/// What upstream ops on tensors do to precision. On scalars nobody asks.
enum class Kind {
  Move,    // no arithmetic at all
  Compare, // arithmetic that rounds nothing
  Integer,
  Pointwise,
  Transcendental
};

template <typename Op, Kind kind>
struct PrecisionModel
    : PrecisionOpInterface::ExternalModel<PrecisionModel<Op, kind>, Op> {
  SmallVector<Format> getLegalFormats(Operation *op) const {
    return defaultLegalFormats(op);
  }
  ErrorClass getErrorClass(Operation *) const {
    switch (kind) {
    case Kind::Move:
    case Kind::Compare:
      return ErrorClass::Exact;
    case Kind::Integer:
      return ErrorClass::Integer;
    case Kind::Pointwise:
      return ErrorClass::Pointwise;
    case Kind::Transcendental:
      return ErrorClass::Transcendental;
    }
    llvm_unreachable("all kinds are handled");
  }
  double getFlops(Operation *op, DimFn dimOf) const {
    double each = isa<math::FmaOp>(op) ? 2 : kind == Kind::Move ? 0 : 1;
    double count = elementCount(op->getResult(0), dimOf);
    return count < 0 ? -1 : each * count;
  }
  double getBytes(Operation *op, DimFn dimOf) const {
    return defaultBytes(op, dimOf);
  }
  double getReductionLength(Operation *, DimFn) const { return 1; }
};

template <Kind kind, typename... Ops> void attach(MLIRContext *context) {
  (Ops::template attachInterface<PrecisionModel<Ops, kind>>(*context), ...);
}

} // namespace

static void attachArith(MLIRContext *context, arith::ArithDialect *) {
  using namespace arith;
  attach<Kind::Move, SelectOp, BitcastOp, ExtFOp>(context);
  attach<Kind::Compare, CmpFOp, CmpIOp, MaximumFOp, MinimumFOp, MaxNumFOp,
         MinNumFOp, NegFOp>(context);
  attach<Kind::Integer, AddIOp, SubIOp, MulIOp, DivSIOp, DivUIOp, CeilDivSIOp,
         CeilDivUIOp, FloorDivSIOp, RemSIOp, RemUIOp, AndIOp, OrIOp, XOrIOp,
         ShLIOp, ShRSIOp, ShRUIOp, MaxSIOp, MaxUIOp, MinSIOp, MinUIOp, ExtSIOp,
         ExtUIOp, TruncIOp, IndexCastOp, IndexCastUIOp>(context);
  attach<Kind::Pointwise, AddFOp, SubFOp, MulFOp, DivFOp, RemFOp, TruncFOp,
         SIToFPOp, UIToFPOp, FPToSIOp, FPToUIOp>(context);
}

static void attachMath(MLIRContext *context, math::MathDialect *) {
  using namespace math;
  attach<Kind::Compare, AbsFOp, CopySignOp, FloorOp, CeilOp, RoundOp,
         RoundEvenOp, TruncOp>(context);
  attach<Kind::Integer, AbsIOp, CtPopOp, IPowIOp, CountLeadingZerosOp,
         CountTrailingZerosOp>(context);
  attach<Kind::Pointwise, FmaOp, SqrtOp, RsqrtOp>(context);
  attach<Kind::Transcendental, ExpOp, Exp2Op, ExpM1Op, LogOp, Log2Op, Log10Op,
         Log1pOp, PowFOp, FPowIOp, TanhOp, ErfOp, SinOp, CosOp, TanOp, AsinOp,
         AcosOp, AtanOp, Atan2Op, SinhOp, CoshOp, AsinhOp, AcoshOp, AtanhOp,
         CbrtOp>(context);
}

static void attachTensor(MLIRContext *context, tensor::TensorDialect *) {
  attach<Kind::Move, tensor::CastOp, tensor::ExtractSliceOp,
         tensor::InsertSliceOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
         tensor::ReshapeOp, tensor::FromElementsOp, tensor::SplatOp>(context);
}

void amp::registerExternalModels(DialectRegistry &registry) {
  registry.addExtension(+attachArith);
  registry.addExtension(+attachMath);
  registry.addExtension(+attachTensor);
}
