//===- ExpandMath.cpp - Expand math ops into arithmetic -------------------===//

#include "compiler/ir/Conversions.h"
#include "compiler/target/cpu/CpuPasses.h"
#include "compiler/target/cpu/Elementwise.h"
#include "compiler/target/cpu/ExactReciprocal.h"
#include "compiler/target/cpu/MathFunctions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ampc::cpu {
#define GEN_PASS_DEF_CPUEXPANDMATH
#include "compiler/target/cpu/CpuPasses.h.inc"
} // namespace ampc::cpu

using namespace mlir;
using namespace ampc::cpu;

namespace {

using Formula1 = Expr (*)(Expr);
using Formula2 = Expr (*)(Expr, Expr);

/// Operands below f32 are widened, the result is rounded once.
template <typename Op> struct WidenNarrow : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (amp::computeType(op.getType()) == op.getType())
      return failure();
    rewriter.replaceOp(op, emitElementwise(rewriter, op.getLoc(), op,
                                           op->getOperands(), op.getType()));
    return success();
  }
};

/// Processors know bf16 as a way to store f32, and LLVM would call a library
/// for its arithmetic.
struct WidenBF16 : RewritePattern {
  explicit WidenBF16(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto isBF16 = [](Type type) { return getElementTypeOrSelf(type).isBF16(); };
    if (!OpTrait::hasElementwiseMappableTraits(op) ||
        isa<arith::SelectOp, arith::BitcastOp>(op) ||
        !(llvm::any_of(op->getOperandTypes(), isBF16) ||
          llvm::any_of(op->getResultTypes(), isBF16)))
      return failure();
    rewriter.replaceOp(op, emitElementwise(rewriter, op->getLoc(), op,
                                           op->getOperands(),
                                           op->getResult(0).getType()));
    return success();
  }
};

/// f32 by formula.
template <typename Op, typename Formula>
struct ExpandF32 : OpRewritePattern<Op> {
  ExpandF32(MLIRContext *context, Formula formula)
      : OpRewritePattern<Op>(context), formula(formula) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    auto operand = [&](unsigned i) {
      return Expr(rewriter, op.getLoc(), op->getOperand(i));
    };
    if constexpr (std::is_same_v<Formula, Formula1>)
      rewriter.replaceOp(op, formula(operand(0)).value());
    else
      rewriter.replaceOp(op, formula(operand(0), operand(1)).value());
    return success();
  }
  Formula formula;
};

/// f64 by the C library.
template <typename Op> struct CallF64 : OpRewritePattern<Op> {
  CallF64(MLIRContext *context, StringRef name)
      : OpRewritePattern<Op>(context), name(name) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return failure();
    Location loc = op.getLoc();
    auto call = [&](ValueRange operands) -> Value {
      return rewriter
          .create<func::CallOp>(loc, name, rewriter.getF64Type(), operands)
          .getResult(0);
    };
    declare(op, rewriter);
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector) {
      rewriter.replaceOp(op, call(op->getOperands()));
      return success();
    }
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(
            rewriter.create<vector::ExtractOp>(loc, operand, lane));
      elements.push_back(call(operands));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, vector, elements);
    return success();
  }

private:
  void declare(Op op, PatternRewriter &rewriter) const {
    auto module = op->template getParentOfType<ModuleOp>();
    if (module.lookupSymbol(name))
      return;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    SmallVector<Type> inputs(op->getNumOperands(), rewriter.getF64Type());
    rewriter
        .create<func::FuncOp>(
            op.getLoc(), name,
            rewriter.getFunctionType(inputs, rewriter.getF64Type()))
        .setPrivate();
  }

  std::string name;
};

/// 1 / sqrt(x), both rounded: within 1.5 units.
struct ExpandRsqrt : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    Expr x(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOp(op, (1.0 / sqrt(x)).value());
    return success();
  }
};

/// Halves away from zero: the largest number below a half is added, so that
/// what is just below a half does not reach the next whole number.
struct ExpandRound : OpRewritePattern<math::RoundOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::RoundOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return failure();
    Expr x(rewriter, op.getLoc(), op.getOperand());
    double belowHalf = element.isF32() ? 0x1.fffffep-2 : 0x1.fffffffffffffp-2;
    Expr y = trunc(x + copysign(x.number(belowHalf), x));
    rewriter.replaceOp(op, y.value());
    return success();
  }
};

/// x^n for a whole n, which f64 holds or, beyond 2^53, is even anyway.
struct ExpandFPowI : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    Value n = rewriter.create<arith::SIToFPOp>(op.getLoc(), op.getType(),
                                               op.getRhs());
    rewriter.replaceOpWithNewOp<math::PowFOp>(op, op.getLhs(), n);
    return success();
  }
};

/// Integer powers by repeated squaring, one step for each bit of the exponent.
/// A negative exponent gives what 1 / x^|n| truncates to.
struct ExpandIPowI : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType();
    Value x = op.getLhs(), n = op.getRhs();
    Value zero = amp::splatInteger(rewriter, loc, type, 0),
          one = amp::splatInteger(rewriter, loc, type, 1);
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    auto index = [&](int64_t i) {
      return rewriter.create<arith::ConstantIndexOp>(loc, i);
    };
    auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
      return rewriter.create<arith::CmpIOp>(loc, predicate, a, b);
    };
    auto loop = rewriter.create<scf::ForOp>(
        loc, index(0), index(width), index(1), ValueRange{one, x, n},
        [&](OpBuilder &b, Location, Value, ValueRange state) {
          Value bit = b.create<arith::AndIOp>(loc, state[2], one);
          Value set =
              b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, bit, zero);
          Value product = b.create<arith::MulIOp>(loc, state[0], state[1]);
          Value next = b.create<arith::SelectOp>(loc, set, product, state[0]);
          Value square = b.create<arith::MulIOp>(loc, state[1], state[1]);
          Value rest = b.create<arith::ShRUIOp>(loc, state[2], one);
          b.create<scf::YieldOp>(loc, ValueRange{next, square, rest});
        });
    Value power = loop.getResult(0);
    // 1 / x is x itself for 1 and -1; two's complement then gets the parity
    // right.
    Value inverse = rewriter.create<arith::SelectOp>(
        loc,
        rewriter.create<arith::OrIOp>(
            loc, compare(arith::CmpIPredicate::eq, x, one),
            compare(arith::CmpIPredicate::eq, x,
                    amp::splatInteger(rewriter, loc, type, -1))),
        power, zero);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        op, compare(arith::CmpIPredicate::slt, n, zero), inverse, power);
    return success();
  }
};

/// The one value that all lanes of a constant have.
std::optional<APFloat> constantFloat(Value value) {
  APFloat constant(0.0f);
  if (matchPattern(value, m_ConstantFloat(&constant)))
    return constant;
  return std::nullopt;
}

/// Division takes as long as dozens of multiplications.
struct DivideByConstant : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<APFloat> divisor = constantFloat(op.getRhs());
    if (!divisor || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    auto reciprocal = ExactReciprocal::of(divisor->convertToFloat());
    if (!reciprocal)
      return failure();
    Expr x(rewriter, op.getLoc(), op.getLhs());
    Expr high = x.number(reciprocal->high);
    Expr quotient = reciprocal->low == 0.0f
                        ? x * high
                        : fma(x, high, x * x.number(reciprocal->low));
    rewriter.replaceOp(op, quotient.value());
    return success();
  }
};

/// The larger or smaller of a value and a constant: NaN stays as with the op
/// itself, which takes a comparison and a choice less this way where processors
/// have an instruction for `c > x ? c : x`. Of two zeros either may result.
template <typename Op, arith::CmpFPredicate predicate>
struct BoundByConstant : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getLhs(), bound = op.getRhs();
    if (constantFloat(x))
      std::swap(x, bound);
    std::optional<APFloat> constant = constantFloat(bound);
    Type element = getElementTypeOrSelf(op.getType());
    if (!constant || constant->isNaN() || !(element.isF32() || element.isF64()))
      return failure();
    Value beyond =
        rewriter.create<arith::CmpFOp>(op.getLoc(), predicate, bound, x);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, beyond, bound, x);
    return success();
  }
};

template <typename Op>
void addFunction(RewritePatternSet &patterns, Formula1 formula,
                 StringRef library) {
  MLIRContext *context = patterns.getContext();
  patterns.add<WidenNarrow<Op>>(context);
  patterns.add<ExpandF32<Op, Formula1>>(context, formula);
  patterns.add<CallF64<Op>>(context, library);
}
template <typename Op>
void addFunction(RewritePatternSet &patterns, Formula2 formula,
                 StringRef library) {
  MLIRContext *context = patterns.getContext();
  patterns.add<WidenNarrow<Op>>(context);
  patterns.add<ExpandF32<Op, Formula2>>(context, formula);
  patterns.add<CallF64<Op>>(context, library);
}

struct CpuExpandMath
    : public ampc::cpu::impl::CpuExpandMathBase<CpuExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    addFunction<math::ExpOp>(patterns, expF32, "exp");
    addFunction<math::Exp2Op>(patterns, exp2F32, "exp2");
    addFunction<math::ExpM1Op>(patterns, expm1F32, "expm1");
    addFunction<math::LogOp>(patterns, logF32, "log");
    addFunction<math::Log2Op>(patterns, log2F32, "log2");
    addFunction<math::Log10Op>(patterns, log10F32, "log10");
    addFunction<math::Log1pOp>(patterns, log1pF32, "log1p");
    addFunction<math::TanhOp>(patterns, tanhF32, "tanh");
    addFunction<math::ErfOp>(patterns, erfF32, "erf");
    addFunction<math::SinhOp>(patterns, sinhF32, "sinh");
    addFunction<math::CoshOp>(patterns, coshF32, "cosh");
    addFunction<math::AsinhOp>(patterns, asinhF32, "asinh");
    addFunction<math::AcoshOp>(patterns, acoshF32, "acosh");
    addFunction<math::AtanhOp>(patterns, atanhF32, "atanh");
    addFunction<math::CbrtOp>(patterns, cbrtF32, "cbrt");
    addFunction<math::PowFOp>(patterns, powF32, "pow");
    addFunction<math::SinOp>(patterns, sinF32, "sin");
    addFunction<math::CosOp>(patterns, cosF32, "cos");
    addFunction<math::TanOp>(patterns, tanF32, "tan");
    addFunction<math::AsinOp>(patterns, asinF32, "asin");
    addFunction<math::AcosOp>(patterns, acosF32, "acos");
    addFunction<math::AtanOp>(patterns, atanF32, "atan");
    addFunction<math::Atan2Op>(patterns, atan2F32, "atan2");
    patterns.add<WidenNarrow<math::RsqrtOp>, WidenNarrow<math::SqrtOp>,
                 WidenNarrow<math::RoundOp>, WidenNarrow<math::RoundEvenOp>,
                 WidenNarrow<math::FloorOp>, WidenNarrow<math::CeilOp>,
                 WidenNarrow<math::TruncOp>, WidenNarrow<math::FmaOp>,
                 WidenNarrow<math::FPowIOp>>(&getContext(), /*benefit=*/2);
    patterns.add<BoundByConstant<arith::MaximumFOp, arith::CmpFPredicate::OGT>,
                 BoundByConstant<arith::MinimumFOp, arith::CmpFPredicate::OLT>,
                 DivideByConstant>(&getContext());
    patterns.add<WidenBF16, ExpandRsqrt, ExpandRound, ExpandFPowI, ExpandIPowI>(
        &getContext());
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> ampc::cpu::createCpuExpandMathPass() {
  return std::make_unique<CpuExpandMath>();
}
