//===- ExternalModels.cpp - amp's interfaces on upstream ops --------------===//

#include "compiler/ir/Amp.h"

using namespace mlir;
using namespace amp;

namespace {

/// PrecisionOpInterface of an upstream op with the given class of error. On
/// index or scalar operands nobody asks.
template <typename Op, ErrorClass errorClass>
struct PrecisionModel
    : PrecisionOpInterface::ExternalModel<PrecisionModel<Op, errorClass>, Op> {
  SmallVector<Format> getLegalFormats(Operation *op) const {
    if (errorClass == ErrorClass::Exact || errorClass == ErrorClass::Integer)
      return {};
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    if (!isa<FloatType>(element) || element.isF64())
      return {};
    return {Format::F32, Format::BF16, Format::F16};
  }
  ErrorClass getErrorClass(Operation *) const { return errorClass; }
  double getFlops(Operation *op, DimFn dimOf) const {
    return elementCount(op->getResult(0), dimOf);
  }
  double getBytes(Operation *op, DimFn dimOf) const {
    return defaultBytes(op, dimOf);
  }
  double getReductionLength(Operation *, DimFn) const { return 1; }
};

template <ErrorClass errorClass, typename... Ops>
void attach(MLIRContext *context) {
  (Ops::template attachInterface<PrecisionModel<Ops, errorClass>>(*context),
   ...);
}

} // namespace

void amp::registerExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attach<ErrorClass::Exact, arith::CmpFOp, arith::CmpIOp, arith::SelectOp,
           arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
           arith::MinNumFOp, arith::NegFOp, arith::ExtFOp, arith::BitcastOp>(
        context);
    attach<ErrorClass::Integer, arith::AddIOp, arith::SubIOp, arith::MulIOp,
           arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
           arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShLIOp,
           arith::ShRSIOp, arith::ShRUIOp, arith::MaxSIOp, arith::MaxUIOp,
           arith::MinSIOp, arith::MinUIOp, arith::ExtSIOp, arith::ExtUIOp,
           arith::TruncIOp>(context);
    attach<ErrorClass::Pointwise, arith::AddFOp, arith::SubFOp, arith::MulFOp,
           arith::DivFOp, arith::RemFOp, arith::TruncFOp, arith::SIToFPOp,
           arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attach<ErrorClass::Exact, math::AbsFOp, math::CopySignOp, math::FloorOp,
           math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(
        context);
    attach<ErrorClass::Integer, math::AbsIOp, math::CtPopOp, math::IPowIOp,
           math::CountLeadingZerosOp, math::CountTrailingZerosOp>(context);
    attach<ErrorClass::Pointwise, math::FmaOp, math::SqrtOp, math::RsqrtOp>(
        context);
    attach<ErrorClass::Transcendental, math::ExpOp, math::Exp2Op, math::ExpM1Op,
           math::LogOp, math::Log2Op, math::Log10Op, math::Log1pOp, math::PowFOp,
           math::FPowIOp, math::TanhOp, math::ErfOp, math::SinOp, math::CosOp,
           math::TanOp, math::AsinOp, math::AcosOp, math::AtanOp,
           math::Atan2Op, math::SinhOp, math::CoshOp, math::AsinhOp,
           math::AcoshOp, math::AtanhOp, math::CbrtOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attach<ErrorClass::Exact, tensor::ExtractSliceOp, tensor::InsertSliceOp,
           tensor::ExpandShapeOp, tensor::CollapseShapeOp,
           tensor::FromElementsOp>(context);
  });
}
