//===- ConvEmitter.cpp - Convolutions -------------------------------------===//
//
// Padding has been made explicit by then (amp-decompose-ops).
//
//===----------------------------------------------------------------------===//

#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/ConvLoops.h"
#include "compiler/target/cpu/Emitters.h"
#include "compiler/target/cpu/GemmClient.h"

using namespace mlir;

namespace ampc::cpu {

namespace {

FailureOr<ConvLoops> describe(amp::ConvOp op, KernelValues &values) {
  if (llvm::any_of(op.getPads(), [](int64_t pad) { return pad; }))
    return op.emitOpError(
        "has padding, which must be an amp.pad of its own before CPU code is "
        "emitted (run amp-decompose-ops)");
  return op.getChannelsLast() ? describeChannelsLast(op, values)
                              : describeChannelsFirst(op, values);
}

struct ConvEmitter
    : CpuKernelEmitterInterface::ExternalModel<ConvEmitter, amp::ConvOp> {
  ParallelRange getParallelRange(Operation *root, KernelValues &values,
                                 const CpuTarget &target) const {
    auto op = cast<amp::ConvOp>(root);
    if (op.getChannelsLast() && op.isDepthwise())
      return getDepthwiseRange(op, values);
    return getGemmRange(describe(op, values)->gemm, values, target);
  }

  SmallVector<amp::ScheduleAttr> getSchedules(Operation *root,
                                              KernelValues &values,
                                              const CpuTarget &target) const {
    auto op = cast<amp::ConvOp>(root);
    if (op.getChannelsLast() && op.isDepthwise())
      return getDepthwiseSchedules(op, values, target);
    return getGemmSchedules(describe(op, values)->gemm, values, target);
  }

  LogicalResult emitKernel(Operation *root, KernelEmission &emission) const {
    auto op = cast<amp::ConvOp>(root);
    if (op.getChannelsLast() && op.isDepthwise())
      return emitDepthwise(op, emission);
    auto loops = describe(op, emission.values);
    if (failed(loops))
      return failure();
    OpBuilder &b = emission.builder;
    Location loc = emission.loc();
    IndexBuilder ix(b, loc);
    Type accumulator = loops->gemm.accumulator;
    const bool vectorized = op.getChannelsLast(); // Channels run along lanes.
    GemmBorder border;
    border.init = [&](const GemmBorder::Place &place) -> Value {
      Value channel = loops->indices(ix, place)[loops->channelDim];
      if (vectorized)
        return initialSum(emission, op.getBias(), channel, accumulator,
                          place.lanes, place.mask);
      // One element for all pixels of a channel.
      Value sum =
          initialSum(emission, op.getBias(), channel, accumulator, 1, nullptr);
      return sum ? fillLanes(b, loc, sum, place.lanes) : sum;
    };
    border.store = [&](const GemmBorder::Place &place, Value sum) {
      return storeSum(emission, op.getResult(), loops->indices(ix, place), sum,
                      place.lanes, place.mask);
    };
    return emitStridedGemm(loops->gemm, emission, border);
  }
};

} // namespace

void registerConvEmitter(MLIRContext *context) {
  amp::ConvOp::attachInterface<ConvEmitter>(*context);
}

} // namespace ampc::cpu
