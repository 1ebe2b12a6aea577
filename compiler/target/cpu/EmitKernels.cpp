//===- EmitKernels.cpp - Turn kernels into functions and launches ---------===//

#include "compiler/target/cpu/CpuPasses.h"
#include "compiler/target/cpu/IndexBuilder.h"
#include "compiler/target/cpu/KernelEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ampc::cpu {
#define GEN_PASS_DEF_CPUEMITKERNELS
#include "compiler/target/cpu/CpuPasses.h.inc"
} // namespace ampc::cpu

using namespace mlir;
using namespace ampc::cpu;

namespace {

/// A kernel whose function exists. `kernel` is a copy made before emission,
/// which may add shape arithmetic to the body.
struct EmittedKernel {
  OwningOpRef<amp::KernelOp> kernel;
  func::FuncOp function;
};

/// Kernels that compute the same in the same way from operands of the same
/// types.
bool areEqual(amp::KernelOp a, amp::KernelOp b) {
  return a.getOperandTypes() == b.getOperandTypes() &&
         a.getIns().size() == b.getIns().size() &&
         a.getScheduleAttr() == b.getScheduleAttr() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

/// Kernels without a root whose outputs differ in shape become one kernel a
/// shape: each gets loops of its own.
SmallVector<amp::KernelOp> splitByShape(amp::KernelOp kernel) {
  SmallVector<SmallVector<int64_t>> shapes;
  SmallVector<SmallVector<unsigned>> outputs;
  for (auto [index, out] : llvm::enumerate(kernel.getOuts())) {
    ArrayRef<int64_t> shape = cast<MemRefType>(out.getType()).getShape();
    auto known = llvm::find(shapes, shape);
    if (known == shapes.end()) {
      shapes.emplace_back(shape);
      outputs.push_back({unsigned(index)});
    } else {
      outputs[known - shapes.begin()].push_back(index);
    }
  }
  if (outputs.size() <= 1)
    return {kernel};
  SmallVector<amp::KernelOp> kernels;
  OpBuilder b(kernel);
  for (ArrayRef<unsigned> subset : outputs) {
    auto part = cast<amp::KernelOp>(b.clone(*kernel));
    amp::YieldOp yield = part.getYield();
    SmallVector<Value> outs, yields;
    for (unsigned index : subset) {
      outs.push_back(part.getOuts()[index]);
      yields.push_back(yield.getValues()[index]);
    }
    part.getOutsMutable().assign(outs);
    yield.getValuesMutable().assign(yields);
    kernels.push_back(part);
  }
  kernel.erase();
  return kernels;
}

class KernelFunctions {
public:
  KernelFunctions(ModuleOp module, const CpuTarget &target)
      : module(module), target(target) {}

  LogicalResult launch(amp::KernelOp kernel);

private:
  /// The function of `kernel`, emitted unless an equal kernel has one.
  func::FuncOp functionFor(amp::KernelOp kernel);
  func::FuncOp emit(amp::KernelOp kernel);
  std::string freshName(amp::KernelOp kernel);

  ModuleOp module;
  const CpuTarget &target;
  llvm::DenseMap<size_t, std::vector<EmittedKernel>> emitted;
  unsigned next = 0;
};

/// Says what the kernel is about, for those who look at profiles.
std::string KernelFunctions::freshName(amp::KernelOp kernel) {
  Operation *root = kernel.getRoot();
  StringRef kind = root ? root->getName().stripDialect() : "pointwise";
  std::string name;
  do
    name = (kind + "_" + Twine(next++)).str();
  while (module.lookupSymbol(name));
  return name;
}

func::FuncOp KernelFunctions::emit(amp::KernelOp kernel) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = kernel.getLoc();
  SmallVector<Type> types(kernel.getOperandTypes());
  types.append(2, b.getIndexType());
  auto function = b.create<func::FuncOp>(loc, freshName(kernel),
                                         b.getFunctionType(types, {}));
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto end = b.create<func::ReturnOp>(loc);
  // Sizes and scalars are computed before this marker, the rest after it.
  auto marker = OpBuilder(end).create<arith::ConstantIndexOp>(loc, 0);
  ValueRange arguments = entry->getArguments();
  KernelValues values(kernel, arguments.drop_back(2), OpBuilder(marker));
  OpBuilder body(end);
  KernelEmission emission{values, target, body, arguments[arguments.size() - 2],
                          arguments.back()};
  Operation *root = kernel.getRoot();
  LogicalResult done =
      root ? cast<CpuKernelEmitterInterface>(root).emitKernel(emission)
           : emitPointwiseKernel(emission);
  if (failed(done)) {
    function.erase();
    return nullptr;
  }
  marker.erase();
  return function;
}

func::FuncOp KernelFunctions::functionFor(amp::KernelOp kernel) {
  auto hash = llvm::hash_combine(kernel.getOperandTypes().size(),
                                 kernel.getScheduleAttr());
  for (Type type : kernel.getOperandTypes())
    hash = llvm::hash_combine(hash, type);
  for (Operation &op : kernel.getBody().front())
    hash = llvm::hash_combine(hash, op.getName(), op.getRawDictionaryAttrs());
  std::vector<EmittedKernel> &candidates = emitted[hash];
  for (EmittedKernel &candidate : candidates)
    if (areEqual(*candidate.kernel, kernel))
      return candidate.function;
  OwningOpRef<amp::KernelOp> copy(kernel.clone());
  func::FuncOp function = emit(kernel);
  if (function)
    candidates.push_back({std::move(copy), function});
  return function;
}

LogicalResult KernelFunctions::launch(amp::KernelOp kernel) {
  Operation *root = kernel.getRoot();
  if (root && !isa<CpuKernelEmitterInterface>(root))
    return root->emitOpError("has no kernel for CPU targets");
  func::FuncOp function = functionFor(kernel);
  if (!function)
    return failure();
  KernelValues values(kernel, kernel.getOperands(), OpBuilder(kernel));
  ParallelRange range =
      root ? cast<CpuKernelEmitterInterface>(root).getParallelRange(values,
                                                                    target)
           : getPointwiseRange(values, target);
  OpBuilder(kernel).create<amp::LaunchOp>(
      kernel.getLoc(), function.getSymName(), kernel.getOperands(), range.count,
      uint64_t(range.grain));
  kernel.erase();
  return success();
}

struct CpuEmitKernels
    : public ampc::cpu::impl::CpuEmitKernelsBase<CpuEmitKernels> {
  CpuEmitKernels() = default;
  explicit CpuEmitKernels(const CpuTarget &target) : target(target) {}

  void runOnOperation() override {
    CpuTarget used = target ? *target : CpuTarget::withVectorBytes(vectorBytes);
    KernelFunctions functions(getOperation(), used);
    SmallVector<amp::KernelOp> kernels;
    getOperation().walk(
        [&](amp::KernelOp kernel) { kernels.push_back(kernel); });
    for (amp::KernelOp kernel : kernels) {
      if (!kernel.isBufferized() && !kernel.getOuts().empty()) {
        kernel.emitOpError("must be bufferized before CPU code is emitted");
        return signalPassFailure();
      }
      if (kernel.getOuts().empty()) {
        kernel.erase();
        continue;
      }
      SmallVector<amp::KernelOp> parts{kernel};
      if (!kernel.getRoot())
        parts = splitByShape(kernel);
      for (amp::KernelOp part : parts)
        if (failed(functions.launch(part)))
          return signalPassFailure();
    }
  }

  std::optional<CpuTarget> target;
};

} // namespace

std::unique_ptr<Pass> ampc::cpu::createCpuEmitKernelsPass() {
  return std::make_unique<CpuEmitKernels>();
}

std::unique_ptr<Pass>
ampc::cpu::createCpuEmitKernelsPass(const CpuTarget &target) {
  return std::make_unique<CpuEmitKernels>(target);
}
