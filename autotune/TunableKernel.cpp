//===- TunableKernel.cpp - One kernel by itself ---------------------------===//

#include "autotune/TunableKernel.h"

#include "compiler/target/cpu/KernelEmitter.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace ampc::tune;

/// Whether the type of a buffer says where all its elements are.
static bool isStatic(MemRefType type) {
  int64_t offset; // Is part of the address that an argument is.
  SmallVector<int64_t> strides;
  return type.hasStaticShape() &&
         succeeded(getStridesAndOffset(type, strides, offset)) &&
         llvm::none_of(strides, ShapedType::isDynamic);
}

static llvm::Error listSchedules(TunableKernel &tunable,
                                 const ampc::cpu::CpuTarget &target) {
  auto emitter = dyn_cast_or_null<ampc::cpu::CpuKernelEmitterInterface>(
      tunable.kernel.getRoot());
  if (emitter) {
    ampc::cpu::KernelValues values(tunable.kernel, tunable.kernel.getOperands(),
                                   OpBuilder(tunable.kernel));
    for (amp::ScheduleAttr schedule : emitter.getSchedules(values, target))
      tunable.schedules.push_back(schedule.str());
  }
  return tunable.schedules.size() > 1
             ? llvm::Error::success()
             : llvm::createStringError("there is nothing to choose");
}

llvm::Expected<TunableKernel>
ampc::tune::isolate(amp::KernelOp kernel, const cpu::CpuTarget &target) {
  if (!isa_and_nonnull<cpu::CpuKernelEmitterInterface>(kernel.getRoot()))
    return llvm::createStringError("there is nothing to choose");
  if (!kernel.isBufferized())
    return llvm::createStringError("it is not bufferized");
  SmallVector<Type> types;
  for (Value operand : kernel.getOperands()) {
    if (auto buffer = dyn_cast<MemRefType>(operand.getType())) {
      if (!isStatic(buffer))
        return llvm::createStringError(
            "its sizes are known when it runs only (--dim fixes them)");
      types.push_back(buffer);
    } else if (!matchPattern(operand, m_Constant())) {
      return llvm::createStringError(
          "it takes a number that is known when it runs only");
    }
  }
  Location loc = UnknownLoc::get(kernel.getContext());
  TunableKernel result;
  result.module = ModuleOp::create(loc);
  auto b = OpBuilder::atBlockEnd(result.module->getBody());
  auto main = b.create<func::FuncOp>(loc, "main", b.getFunctionType(types, {}));
  Block *entry = main.addEntryBlock();
  b.setInsertionPointToStart(entry);
  // A buffer that is an operand twice becomes two: they are told apart.
  IRMapping map;
  SmallVector<Value> operands;
  auto arguments = entry->args_begin();
  for (Value operand : kernel.getOperands())
    operands.push_back(isa<MemRefType>(operand.getType())
                           ? Value(*arguments++)
                           : b.clone(*operand.getDefiningOp())->getResult(0));
  result.kernel = cast<amp::KernelOp>(b.clone(*kernel));
  result.kernel->setOperands(operands);
  result.kernel.removeScheduleAttr();
  b.create<func::ReturnOp>(loc);
  llvm::raw_string_ostream stream(result.text);
  main->print(stream, OpPrintingFlags().useLocalScope());
  if (llvm::Error error = listSchedules(result, target))
    return std::move(error);
  return std::move(result);
}

llvm::Expected<TunableKernel>
ampc::tune::parseTunable(StringRef text, const cpu::CpuTarget &target,
                         MLIRContext *context) {
  TunableKernel result;
  result.module = parseSourceString<ModuleOp>(text, context);
  if (result.module)
    result.module->walk([&](amp::KernelOp found) { result.kernel = found; });
  if (!result.kernel)
    return llvm::createStringError("its text does not parse");
  result.text = text.str();
  if (llvm::Error error = listSchedules(result, target))
    return std::move(error);
  return std::move(result);
}

amp::ScheduleAttr ampc::tune::parseSchedule(StringRef text,
                                            MLIRContext *context) {
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) {});
  return dyn_cast_or_null<amp::ScheduleAttr>(parseAttribute(text, context));
}
