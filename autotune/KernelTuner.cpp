//===- KernelTuner.cpp - Schedules of one kernel, measured ----------------===//

#include "autotune/KernelTuner.h"

#include "autotune/KernelCompiler.h"
#include "autotune/WideCheck.h"

using namespace mlir;
using namespace ampc::tune;

bool Effort::isSpentOn(const TunableKernel &kernel,
                       ArrayRef<Measurement> known) const {
  auto isDone = [&](const std::string &schedule) {
    return llvm::any_of(known, [&](const Measurement &measurement) {
      return measurement.schedule == schedule &&
             (measurement.outcome != Outcome::Measured ||
              measurement.rounds >= rounds);
    });
  };
  // Without a first one there is nothing to check others against.
  for (const Measurement &measurement : known)
    if (measurement.schedule == kernel.schedules[0] &&
        measurement.outcome != Outcome::Measured)
      return true;
  return llvm::all_of(of(kernel), isDone);
}

/// The buffers of the kernel, as `main` takes them.
static llvm::Expected<std::vector<BufferShape>>
shapesOf(const TunableKernel &tunable) {
  std::vector<BufferShape> shapes;
  amp::KernelOp kernel = tunable.kernel;
  for (OpOperand &operand : kernel->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    unsigned index = operand.getOperandNumber();
    Type element = type.getElementType();
    if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 ||
        element.getIntOrFloatBitWidth() > 64)
      return llvm::createStringError("it has elements that cannot be made up");
    BufferShape shape;
    shape.isOutput = index >= kernel.getIns().size();
    int64_t offset;
    SmallVector<int64_t> strides;
    if (failed(getStridesAndOffset(type, strides, offset)))
      return llvm::createStringError("it has operands without strides");
    // One that the type leaves open is part of the address.
    shape.offset = ShapedType::isDynamic(offset) ? 0 : offset;
    shape.sizes = type.getShape().vec();
    shape.strides.assign(strides.begin(), strides.end());
    shape.bytes = element.getIntOrFloatBitWidth() / 8;
    shape.isBF16 = element.isBF16();
    if (!isa<FloatType>(element) || shape.bytes == 1)
      shape.kind = ElementKind::Integer;
    if (!shape.isOutput)
      if (auto tensor = dyn_cast<RankedTensorType>(
              kernel.getBody().getArgument(index).getType());
          tensor && tensor.getElementType().isInteger(1))
        shape.kind = ElementKind::Boolean;
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

/// Whether the first candidate computes in f32 what it would in f64, as far as
/// that can be told.
static bool agreesWithWide(const TunableKernel &kernel, Operands &operands,
                           KernelCode code, KernelCompiler &compiler,
                           const ampc::cpu::Processor &processor) {
  std::string text = widened(kernel.text);
  if (text.empty())
    return true;
  amp::KernelOp op = kernel.kernel;
  MLIRContext *context = op.getContext();
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) {});
  llvm::Expected<TunableKernel> wide =
      parseTunable(text, processor.kernelTarget(), context);
  if (!wide) {
    consumeError(wide.takeError());
    return true;
  }
  llvm::Expected<std::vector<BufferShape>> shapes = shapesOf(*wide);
  if (!shapes) {
    consumeError(shapes.takeError());
    return true;
  }
  llvm::Expected<std::unique_ptr<Operands>> wideOperands =
      Operands::create(*shapes);
  if (!wideOperands) {
    consumeError(wideOperands.takeError());
    return true;
  }
  KernelCode wideCode = compiler.compile(text, {wide->schedules[0]})[0];
  return !wideCode || agree(operands, code, **wideOperands, wideCode,
                            TrialOptions().patience);
}

llvm::Expected<std::vector<Measurement>>
ampc::tune::measureKernel(const TunableKernel &kernel, const Effort &effort,
                          const DialectRegistry &registry,
                          const cpu::Processor &processor) {
  llvm::Expected<std::vector<BufferShape>> shapes = shapesOf(kernel);
  if (!shapes)
    return shapes.takeError();
  llvm::Expected<std::unique_ptr<Operands>> operands =
      Operands::create(*shapes);
  if (!operands)
    return operands.takeError();
  ArrayRef<std::string> schedules = effort.of(kernel);
  KernelCompiler compiler(registry, processor);
  std::vector<KernelCode> codes = compiler.compile(kernel.text, schedules);
  if (codes[0] &&
      !agreesWithWide(kernel, **operands, codes[0], compiler, processor))
    return std::vector<Measurement>{{schedules[0], Outcome::Wrong, 0, 0}};
  TrialOptions options;
  options.rounds = effort.rounds;
  options.secondsPerRound = effort.secondsPerRound;
  std::vector<Trial> trials = tryCandidates(**operands, codes, options);
  std::vector<Measurement> measurements;
  for (auto [schedule, trial] : llvm::zip(schedules, trials)) {
    // Of the others nothing is known without it.
    if (trials[0].outcome != Outcome::Measured && !measurements.empty())
      break;
    bool timed = trial.outcome == Outcome::Measured;
    measurements.push_back({schedule, trial.outcome, trial.nanoseconds,
                            timed ? effort.rounds : 0});
  }
  return measurements;
}
