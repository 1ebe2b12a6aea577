//===- DecomposeOps.cpp - Write compositions out --------------------------===//
//
// Ops that back ends get as compositions of simpler ones. Runs after precision
// is chosen, since until then these ops have one error class and one label.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Amp.h"
#include "compiler/ir/SourceNodes.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace amp {
#define GEN_PASS_DEF_DECOMPOSEOPS
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A tensor type with the given sizes, static where they are constants.
RankedTensorType typeFor(ArrayRef<OpFoldResult> sizes, Type element) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, element);
}

/// Index arithmetic on sizes that folds constants.
struct SizeBuilder {
  OpBuilder &builder;
  Location loc;

  OpFoldResult affine(OpFoldResult size, int64_t factor, int64_t plus) {
    if (auto constant = getConstantIntValue(size))
      return builder.getIndexAttr(*constant * factor + plus);
    auto constant = [&](int64_t value) -> Value {
      return builder.create<arith::ConstantIndexOp>(loc, value);
    };
    Value scaled = builder.createOrFold<arith::MulIOp>(loc, cast<Value>(size),
                                                       constant(factor));
    return builder.createOrFold<arith::AddIOp>(loc, scaled, constant(plus));
  }

  OpFoldResult product(OpFoldResult a, OpFoldResult b) {
    auto x = getConstantIntValue(a), y = getConstantIntValue(b);
    if (x && y)
      return builder.getIndexAttr(*x * *y);
    return builder.createOrFold<arith::MulIOp>(
        loc, getValueOrCreateConstantIndexOp(builder, loc, a),
        getValueOrCreateConstantIndexOp(builder, loc, b));
  }
};

Value zero(OpBuilder &builder, Location loc, Type element) {
  return builder.create<arith::ConstantOp>(loc, element,
                                           builder.getZeroAttr(element));
}

Value reshape(OpBuilder &builder, Location loc, Value source,
              ArrayRef<OpFoldResult> sizes) {
  RankedTensorType type = typeFor(sizes, typeOf(source).getElementType());
  return builder.createOrFold<ReshapeOp>(
      loc, type, source, dynamicDims(builder, loc, type, sizes));
}

/// Zeros around (and between) the spatial elements of an NC... tensor.
Value padSpatial(OpBuilder &builder, Location loc, Value input,
                 ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                 ArrayRef<int64_t> interior) {
  loc = sourceLocation(loc, "padding");
  SizeBuilder size{builder, loc};
  SmallVector<OpFoldResult> sizes = dimsOf(builder, loc, input);
  SmallVector<int64_t> lows{0, 0}, interiors{0, 0};
  bool grows = true;
  for (auto [i, l, h, in] : llvm::enumerate(low, high, interior)) {
    // size + (size - 1) * interior + low + high
    sizes[i + 2] = size.affine(sizes[i + 2], in + 1, l + h - in);
    lows.push_back(l);
    interiors.push_back(in);
    grows &= l >= 0 && h >= 0;
  }
  Type element = typeOf(input).getElementType();
  RankedTensorType type = typeFor(sizes, element);
  return builder.create<PadOp>(loc, type, input, zero(builder, loc, element),
                               ValueRange(),
                               dynamicDims(builder, loc, type, sizes), lows,
                               interiors, PadMode::Constant, grows);
}

/// A convolution of a padded input reads no further than its operand, so back
/// ends need no bounds checks in their inner loops.
struct PadConv : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> pads = op.getPads();
    if (llvm::all_of(pads, [](int64_t pad) { return pad == 0; }))
      return failure();
    size_t spatial = pads.size() / 2;
    Value padded = padSpatial(rewriter, op.getLoc(), op.getInput(),
                              pads.take_front(spatial), pads.take_back(spatial),
                              SmallVector<int64_t>(spatial, 0));
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(padded);
      op.setPads(SmallVector<int64_t>(pads.size(), 0));
    });
    return success();
  }
};

/// The adjoint of a strided convolution is a convolution of the input with
/// zeros between its elements, by the mirrored filter with its channels
/// exchanged (Dumoulin and Visin, "A guide to convolution arithmetic", 4).
struct UnstrideConvTranspose : OpRewritePattern<ConvTransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvTransposeOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType filterType = typeOf(op.getFilter());
    if (!filterType.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "needs a filter of static shape");
    ArrayRef<int64_t> shape = filterType.getShape(), pads = op.getPads();
    size_t spatial = shape.size() - 2;
    int64_t groups = op.getGroups();
    SmallVector<int64_t> low, high, interior;
    for (size_t i = 0; i < spatial; ++i) {
      int64_t reach = op.getDilations()[i] * (shape[i + 2] - 1);
      low.push_back(reach - pads[i]);
      high.push_back(reach - pads[spatial + i] + op.getOutputPadding()[i]);
      interior.push_back(op.getStrides()[i] - 1);
    }
    Value spread =
        padSpatial(rewriter, loc, op.getInput(), low, high, interior);
    // [g * ci, co, k...] -> [g, ci, co, k...] -> [g, co, ci, k...]
    auto at = [&](int64_t size) -> OpFoldResult {
      return rewriter.getIndexAttr(size);
    };
    SmallVector<OpFoldResult> split{at(groups), at(shape[0] / groups),
                                    at(shape[1])};
    SmallVector<int64_t> permutation{0, 2, 1};
    SmallVector<OpFoldResult> joined{at(shape[1] * groups),
                                     at(shape[0] / groups)};
    SmallVector<OpFoldResult> starts{at(0), at(0)}, steps{at(1), at(1)};
    for (size_t i = 2; i < shape.size(); ++i) {
      split.push_back(at(shape[i]));
      permutation.push_back(i + 1);
      joined.push_back(at(shape[i]));
      starts.push_back(at(shape[i] - 1));
      steps.push_back(at(-1));
    }
    Type element = filterType.getElementType();
    Value filter = reshape(rewriter, loc, op.getFilter(), split);
    SmallVector<OpFoldResult> swapped(split);
    std::swap(swapped[1], swapped[2]);
    filter = rewriter.create<TransposeOp>(loc, typeFor(swapped, element),
                                          filter, permutation);
    filter = reshape(rewriter, loc, filter, joined);
    filter = rewriter.create<SliceOp>(loc, typeFor(joined, element), filter,
                                      starts, steps, ValueRange());
    rewriter.replaceOpWithNewOp<ConvOp>(
        op, op.getResult().getType(), spread, filter, op.getBias(),
        SmallVector<int64_t>(spatial, 1), op.getDilations(),
        SmallVector<int64_t>(spatial * 2, 0), groups, op.getAlgorithmAttr());
    return success();
  }
};

/// A strided transposed convolution computes, for each element of its input,
/// `stride` neighbouring elements of its result in each dimension. They are the
/// channels of one convolution without strides, brought into place afterwards
/// (Shi et al., "Real-time single image and video super-resolution using an
/// efficient sub-pixel convolutional neural network", 2016): no multiplications
/// by zeros between the input's elements. Element `stride * q + phase` takes
/// the filter's positions `phase + stride * t` at the inputs `q - t`. Within a
/// group, phases are the outer part of the channels: with channels last, what
/// is brought into place is then runs of channels.
struct SubpixelConvTranspose : OpRewritePattern<ConvTransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvTransposeOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType filterType = typeOf(op.getFilter());
    ArrayRef<int64_t> strides = op.getStrides(), pads = op.getPads();
    const size_t spatial = strides.size();
    auto isOne = [](int64_t value) { return value == 1; };
    if (!filterType.hasStaticShape() || llvm::all_of(strides, isOne) ||
        !llvm::all_of(op.getDilations(), isOne))
      return rewriter.notifyMatchFailure(op, "is not plainly strided");
    ArrayRef<int64_t> shape = filterType.getShape();
    SmallVector<int64_t> taps, reach, none(spatial, 0);
    int64_t phases = 1;
    for (size_t i = 0; i < spatial; ++i) {
      taps.push_back(llvm::divideCeil(shape[2 + i], strides[i]));
      reach.push_back(taps.back() - 1);
      phases *= strides[i];
      if (shape[2 + i] + op.getOutputPadding()[i] - pads[spatial + i] >
          taps[i] * strides[i])
        return rewriter.notifyMatchFailure(op, "has elements without taps");
    }
    Value input = padSpatial(rewriter, loc, op.getInput(), reach, reach, none);
    Value filter = phasesAsChannels(op, rewriter, taps);
    Value bias = op.getBias();
    const int64_t groups = op.getGroups(), channels = groups * shape[1];
    if (bias) {
      // One element for all phases of a channel.
      Type element = typeOf(bias).getElementType();
      bias = reshape(rewriter, loc, bias,
                     indices(rewriter, {groups, 1, shape[1]}));
      bias = rewriter.create<BroadcastOp>(
          loc, RankedTensorType::get({groups, phases, shape[1]}, element), bias,
          ValueRange(), rewriter.getDenseI64ArrayAttr({}));
      bias =
          reshape(rewriter, loc, bias, indices(rewriter, {channels * phases}));
    }

    // [n, (group, phases, channel), q...] -> [n, group, channel, (q, phase)...]
    SizeBuilder size{rewriter, loc};
    SmallVector<OpFoldResult> padded = dimsOf(rewriter, loc, input);
    SmallVector<OpFoldResult> result{padded[0],
                                     rewriter.getIndexAttr(channels * phases)};
    SmallVector<OpFoldResult> apart{padded[0], rewriter.getIndexAttr(groups)};
    SmallVector<OpFoldResult> turned(apart),
        joined{padded[0], rewriter.getIndexAttr(channels)};
    SmallVector<int64_t> permutation{0, 1, int64_t(2 + spatial)};
    for (int64_t stride : strides)
      apart.push_back(rewriter.getIndexAttr(stride));
    apart.push_back(rewriter.getIndexAttr(shape[1]));
    turned.push_back(apart.back());
    for (size_t i = 0; i < spatial; ++i) {
      OpFoldResult q = size.affine(padded[2 + i], 1, -reach[i]);
      result.push_back(q);
      apart.push_back(q);
      turned.append({q, rewriter.getIndexAttr(strides[i])});
      joined.push_back(size.affine(q, strides[i], 0));
      permutation.append({int64_t(3 + spatial + i), int64_t(2 + i)});
    }
    Type element = typeOf(op.getResult()).getElementType();
    Value full = rewriter.create<ConvOp>(
        loc, typeFor(result, element), input, filter, bias,
        SmallVector<int64_t>(spatial, 1), SmallVector<int64_t>(spatial, 1),
        SmallVector<int64_t>(2 * spatial, 0), groups, op.getAlgorithmAttr());
    full = reshape(rewriter, loc, full, apart);
    full = rewriter.create<TransposeOp>(loc, typeFor(turned, element), full,
                                        permutation);
    full = reshape(rewriter, loc, full, joined);

    // What the padding takes away.
    SmallVector<OpFoldResult> starts(2, rewriter.getIndexAttr(0)),
        steps(2 + spatial, rewriter.getIndexAttr(1));
    for (size_t i = 0; i < spatial; ++i)
      starts.push_back(rewriter.getIndexAttr(pads[i]));
    RankedTensorType type = typeOf(op.getResult());
    SmallVector<OpFoldResult> wanted = dimsOf(rewriter, loc, op.getResult());
    rewriter.replaceOpWithNewOp<SliceOp>(
        op, type, full, starts, steps,
        dynamicDims(rewriter, loc, type, wanted));
    return success();
  }

private:
  static SmallVector<OpFoldResult> indices(OpBuilder &builder,
                                           ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(builder.getContext(), values);
  }

  /// [g * ci, co, k...] -> [g * phases * co, ci, taps...], taps from the last.
  static Value phasesAsChannels(ConvTransposeOp op, OpBuilder &builder,
                                ArrayRef<int64_t> taps) {
    Location loc = op.getLoc();
    RankedTensorType type = typeOf(op.getFilter());
    ArrayRef<int64_t> shape = type.getShape(), strides = op.getStrides();
    const int64_t groups = op.getGroups(), spatial = strides.size();
    SmallVector<int64_t> grown;
    for (int64_t i = 0; i < spatial; ++i)
      grown.push_back(taps[i] * strides[i] - shape[2 + i]);
    SmallVector<int64_t> none(spatial, 0);
    Value filter = padSpatial(builder, loc, op.getFilter(), none, grown, none);
    SmallVector<int64_t> split{groups, shape[0] / groups, shape[1]};
    SmallVector<int64_t> order{0}, last{2, 1};
    int64_t channels = groups * shape[1];
    SmallVector<int64_t> joined{channels, shape[0] / groups};
    SmallVector<int64_t> starts(2, 0), steps(2, 1);
    for (int64_t i = 0; i < spatial; ++i) {
      split.append({taps[i], strides[i]});
      order.push_back(4 + 2 * i);
      last.push_back(3 + 2 * i);
      joined[0] *= strides[i];
      joined.push_back(taps[i]);
      starts.push_back(taps[i] - 1);
      steps.push_back(-1);
    }
    order.append(last);
    filter = reshape(builder, loc, filter, indices(builder, split));
    SmallVector<int64_t> turned;
    for (int64_t dim : order)
      turned.push_back(split[dim]);
    filter =
        builder.create<TransposeOp>(loc, type.clone(turned), filter, order);
    filter = reshape(builder, loc, filter, indices(builder, joined));
    return builder.create<SliceOp>(loc, type.clone(joined), filter,
                                   indices(builder, starts),
                                   indices(builder, steps), ValueRange());
  }
};

/// softmax(scale * q k^T + mask) v, with the score matrix in memory.
struct UnfuseAttention : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (op.fitsKernel())
      return rewriter.notifyMatchFailure(op, "has a kernel of its own");
    if (op.getHeadsInner())
      return rewriter.notifyMatchFailure(op, "has its kernel's layout already");
    Location loc = op.getLoc();
    Value query = op.getQuery(), key = op.getKey(), value = op.getValue();
    auto q = dimsOf(rewriter, loc, query), k = dimsOf(rewriter, loc, key),
         v = dimsOf(rewriter, loc, value);
    auto heads = getConstantIntValue(q[1]), shared = getConstantIntValue(k[1]);
    if (!heads || !shared)
      return rewriter.notifyMatchFailure(op, "needs static numbers of heads");
    // Query heads that share a key head become a dimension of their own.
    OpFoldResult repeat = rewriter.getIndexAttr(*shared ? *heads / *shared : 1);
    OpFoldResult one = rewriter.getIndexAttr(1);
    query = reshape(rewriter, loc, query, {q[0], k[1], repeat, q[2], q[3]});
    key = reshape(rewriter, loc, key, {k[0], k[1], one, k[2], k[3]});
    value = reshape(rewriter, loc, value, {v[0], v[1], one, v[2], v[3]});
    Type element = typeOf(query).getElementType();
    SmallVector<OpFoldResult> scoreSizes{q[0], k[1], repeat, q[2], k[2]};
    RankedTensorType scoreType = typeFor(scoreSizes, element);
    Value scores = rewriter.create<MatmulOp>(
        loc, scoreType, query, key, Value(), /*transpose_lhs=*/false,
        /*transpose_rhs=*/true, false, false, op.getAlgorithmAttr());
    auto dims = dynamicDims(rewriter, loc, scoreType, scoreSizes);
    auto splat = [&](double constant) -> Value {
      Value scalar = rewriter.create<arith::ConstantOp>(
          loc, rewriter.getFloatAttr(element, constant));
      return rewriter.create<SplatOp>(loc, scoreType, scalar, dims);
    };
    scores = rewriter.create<arith::MulFOp>(
        loc, scores, splat(op.getScale().convertToFloat()));
    if (Value mask = op.getMask()) {
      SmallVector<OpFoldResult> flat{q[0], q[1], q[2], k[2]};
      RankedTensorType full = typeFor(flat, element);
      mask = rewriter.createOrFold<BroadcastOp>(
          loc, full, mask, dynamicDims(rewriter, loc, full, flat),
          rewriter.getDenseI64ArrayAttr({}));
      scores = rewriter.create<arith::AddFOp>(
          loc, scores, reshape(rewriter, loc, mask, scoreSizes));
    }
    if (op.getCausal()) {
      RankedTensorType positions = scoreType.clone(rewriter.getI64Type());
      Value row = rewriter.create<IotaOp>(loc, positions, 3, dims);
      Value column = rewriter.create<IotaOp>(loc, positions, 4, dims);
      Value seen = rewriter.create<arith::CmpIOp>(
          loc, arith::CmpIPredicate::sle, column, row);
      scores = rewriter.create<arith::SelectOp>(
          loc, seen, scores, splat(-std::numeric_limits<double>::infinity()));
    }
    Value weights = rewriter.create<SoftmaxOp>(loc, scoreType, scores, 4,
                                               /*log=*/false);
    // The second product is of numbers of the algorithm's format too.
    if (AlgorithmAttr algorithm = op.getAlgorithmAttr();
        algorithm && element.isF32() &&
        algorithm.getMultiply() != Format::F32 &&
        formatType(op.getContext(), algorithm.getMultiply()))
      weights = rewriter.create<RoundToOp>(loc, scoreType, weights,
                                           algorithm.getMultiply());
    SmallVector<OpFoldResult> outSizes{q[0], k[1], repeat, q[2], v[3]};
    Value out = rewriter.create<MatmulOp>(loc, typeFor(outSizes, element),
                                          weights, value, Value(), false, false,
                                          false, false, op.getAlgorithmAttr());
    out = reshape(rewriter, loc, out, {q[0], q[1], q[2], v[3]});
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getResult().getType(),
                                                out);
    return success();
  }
};

/// Many operands are joined in groups first, at the price of moving them twice:
/// bufferization takes time that grows with the fourth power of the number of
/// those that are written into one buffer.
struct GroupConcat : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    constexpr size_t most = 32;
    ValueRange sources = op.getSources();
    if (sources.size() <= most)
      return failure();
    auto type = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<Value> groups;
    for (size_t i = 0; i < sources.size(); i += most) {
      ValueRange group = sources.slice(i, std::min(most, sources.size() - i));
      SmallVector<int64_t> shape(type.getShape());
      int64_t &total = shape[op.getAxis()] = 0;
      for (Value source : group) {
        int64_t size =
            cast<RankedTensorType>(source.getType()).getDimSize(op.getAxis());
        total = ShapedType::isDynamic(total) || ShapedType::isDynamic(size)
                    ? ShapedType::kDynamic
                    : total + size;
      }
      groups.push_back(rewriter.create<ConcatOp>(
          op.getLoc(), RankedTensorType::get(shape, type.getElementType()),
          op.getAxis(), group));
    }
    rewriter.modifyOpInPlace(op,
                             [&] { op.getSourcesMutable().assign(groups); });
    return success();
  }
};

struct DecomposeOps : public amp::impl::DecomposeOpsBase<DecomposeOps> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<PadConv, UnstrideConvTranspose, UnfuseAttention, GroupConcat>(
        &getContext());
    patterns.add<SubpixelConvTranspose>(&getContext(), /*benefit=*/2);
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    WalkResult left = getOperation()->walk([](Operation *op) {
      auto attention = dyn_cast<AttentionOp>(op);
      if (!isa<ConvTransposeOp>(op) && (!attention || attention.fitsKernel()))
        return WalkResult::advance();
      op->emitOpError("needs a filter of static shape and static numbers of "
                      "heads; give the dimensions that are dynamic with --dim");
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
