//===- FoldConstants.cpp - Compute at compile time what weights decide ----===//

#include "compiler/driver/FoldConstants.h"

#include "compiler/driver/Pipelines.h"
#include "compiler/export/Export.h"
#include "compiler/export/TemporaryFile.h"
#include "compiler/target/cpu/CodeGenerator.h"
#include "compiler/target/cpu/Pipeline.h"
#include "runtime/ampc_load.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace ampc;

namespace {

/// Ops that may be computed ahead when all they read is constant.
bool isFoldable(Operation *op) {
  if (!isa<amp::KernelOp, amp::ReshapeOp, amp::WeightOp>(op) &&
      !isa<tensor::CastOp, tensor::EmptyOp, tensor::InsertSliceOp,
           tensor::ExtractSliceOp, tensor::FromElementsOp>(op) &&
      !(op->getNumRegions() == 0 && isPure(op) &&
        isa<arith::ArithDialect>(op->getDialect())))
    return false;
  return llvm::all_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.hasStaticShape();
  });
}

/// Whether `op` only names or views what exists, so that computing it ahead
/// gains nothing.
bool isFree(Operation *op) {
  return !isa<amp::KernelOp, tensor::InsertSliceOp>(op);
}

uint64_t bytesOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? amp::weightBytes(tensor) : 0;
}

struct Candidates {
  llvm::SetVector<Operation *> ops; ///< Depend on constants alone.
  SmallVector<Value> results;       ///< Of those, what others read.
};

/// Bytes of the weights that the results of `root` are computed from.
uint64_t sourceBytes(Operation *root, const llvm::SetVector<Operation *> &ops) {
  uint64_t bytes = 0;
  llvm::SetVector<Operation *> work;
  work.insert(root);
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i];
    bytes += amp::storedBytes(op);
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && ops.contains(producer))
        work.insert(producer);
  }
  return bytes;
}

/// Whether what `op` computes is in proportion to its weights, though others
/// may only reduce it again: a model may repeat a small weight to any size.
bool isInProportion(Operation *op, const llvm::SetVector<Operation *> &ops) {
  constexpr uint64_t small = 16 << 20, growth = 4;
  uint64_t bytes = 0;
  // An insertion adds to what is there, which has been judged.
  if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op))
    bytes = bytesOf(insertion.getSourceType());
  else
    for (Type type : op->getResultTypes())
      bytes = std::max(bytes, bytesOf(type));
  return isFree(op) || bytes <= small || bytes / growth <= sourceBytes(op, ops);
}

Candidates findCandidates(func::FuncOp main) {
  Candidates found;
  for (Operation &op : main.getBody().front())
    if (isFoldable(&op) &&
        llvm::all_of(op.getOperands(),
                     [&](Value operand) {
                       Operation *producer = operand.getDefiningOp();
                       return producer && found.ops.contains(producer);
                     }) &&
        isInProportion(&op, found.ops))
      found.ops.insert(&op);
  for (Operation *op : found.ops) {
    SmallVector<Value> read;
    uint64_t bytes = 0;
    for (Value result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || isFree(op) || type.getElementType().isInteger(1) ||
          type.getNumElements() == 0)
        continue;
      bool isRead = llvm::any_of(result.getUsers(), [&](Operation *user) {
        return !found.ops.contains(user) || isa<amp::ReshapeOp>(user);
      });
      if (!isRead)
        continue;
      read.push_back(result);
      bytes += bytesOf(type);
    }
    if (read.empty())
      continue;
    // What comes from no weight (fills, iotas) is cheaper to compute than read,
    // and a library much larger than its model is no gain: quantised weights
    // stay as they are, while others may be padded, up to twice their size.
    constexpr uint64_t small = 64 << 10;
    uint64_t source = sourceBytes(op, found.ops);
    if (source && (bytes <= small || bytes < 2 * source))
      found.results.append(read);
  }
  return found;
}

/// A model without inputs whose outputs are the results of `candidates`.
OwningOpRef<ModuleOp> outline(ModuleOp module, const Candidates &candidates) {
  OwningOpRef<ModuleOp> outlined = ModuleOp::create(module.getLoc());
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(outlined->getBody());
  for (auto data : module.getOps<amp::WeightDataOp>())
    builder.clone(*data);
  auto main = builder.create<func::FuncOp>(
      module.getLoc(), "main",
      builder.getFunctionType({}, TypeRange(ValueRange(candidates.results))));
  builder.setInsertionPointToEnd(main.addEntryBlock());
  IRMapping map;
  for (Operation *op : candidates.ops)
    builder.clone(*op, map);
  SmallVector<Value> results;
  for (Value result : candidates.results)
    results.push_back(map.lookup(result));
  builder.create<func::ReturnOp>(module.getLoc(), results);
  return outlined;
}

llvm::Error buildShared(ModuleOp module, StringRef path) {
  llvm::Expected<cpu::Processor> processor = cpu::findProcessor("native");
  if (!processor)
    return processor.takeError();
  ModelDescription description;
  description.signature =
      readSignature(module.lookupSymbol<func::FuncOp>("main"), "constants");
  PassManager buffers(module.getContext());
  addBufferPasses(buffers);
  if (failed(buffers.run(module)))
    return llvm::createStringError("constants cannot be bufferized");
  amp::WeightLayout weights(module);
  description.weightsSize = weights.size();
  description.cpuFeatures = processor->featureList();
  module.walk([&](amp::ArenaOp arena) {
    description.numArenas =
        std::max(description.numArenas, uint32_t(arena.getId()) + 1);
  });
  PassManager code(module.getContext());
  addCpuPasses(code, processor->kernelTarget());
  if (failed(code.run(module)))
    return llvm::createStringError("constants cannot be compiled");
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      cpu::translateToLLVM(module, context, *processor);
  if (!translated)
    return llvm::createStringError("constants cannot be translated to LLVM IR");
  addModelDescription(*translated, description);
  return exportShared(
      path,
      [&](llvm::raw_pwrite_stream &stream) {
        return cpu::writeObject(*translated, *processor, stream);
      },
      &weights);
}

/// Frees what running a library takes, in the right order.
struct Runner {
  ampc_library library{};
  ampc_model *model = nullptr;
  ampc_context *context = nullptr;

  ~Runner() {
    if (library.api) {
      library.api->context_destroy(context);
      library.api->model_destroy(model);
    }
    ampc_library_close(&library);
  }

  llvm::Error run(const std::string &path) {
    char message[512] = "";
    auto error = [&] {
      return llvm::createStringError("constants cannot be run: %s",
                                     &message[0]);
    };
    if (!ampc_library_open(path.c_str(), &library, message, sizeof message))
      return error();
    if (library.api->model_create(library.api, nullptr, &model, message,
                                  sizeof message) != AMPC_OK ||
        library.api->context_create(model, nullptr, &context, message,
                                    sizeof message) != AMPC_OK)
      return error();
    if (library.api->run(context, nullptr, 0, nullptr, 0) == AMPC_OK)
      return llvm::Error::success();
    return llvm::createStringError("constants cannot be run: %s",
                                   library.api->last_error(context));
  }
};

} // namespace

llvm::Error ampc::foldConstants(ModuleOp module, StringRef output) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  Candidates candidates = findCandidates(main);
  if (candidates.results.empty())
    return llvm::Error::success();
  TemporaryFile library;
  if (llvm::Error error = library.create(output))
    return error;
  OwningOpRef<ModuleOp> outlined = outline(module, candidates);
  if (llvm::Error error = buildShared(*outlined, library.path()))
    return error;
  // A name without a folder would be looked for where libraries are.
  SmallString<128> path(library.path());
  llvm::sys::fs::make_absolute(path);
  Runner runner;
  if (llvm::Error error = runner.run(path.str().str()))
    return error;

  SymbolTable symbols(module);
  OpBuilder builder(main);
  for (auto [index, result] : llvm::enumerate(candidates.results)) {
    DLTensor tensor;
    if (runner.library.api->output(runner.context, index, &tensor) != AMPC_OK)
      return llvm::createStringError(
          "constants cannot be read: %s",
          runner.library.api->last_error(runner.context));
    auto type = cast<RankedTensorType>(result.getType());
    ArrayRef<char> bytes(static_cast<const char *>(tensor.data) +
                             tensor.byte_offset,
                         bytesOf(type));
    auto value = DenseResourceElementsAttr::get(
        type, "folded",
        HeapAsmResourceBlob::allocateAndCopyWithAlign(
            bytes, amp::WeightLayout::alignment));
    builder.setInsertionPoint(main);
    auto data =
        builder.create<amp::WeightDataOp>(result.getLoc(), "folded", value);
    symbols.insert(data);
    builder.setInsertionPointToStart(&main.getBody().front());
    Value weight = builder.create<amp::WeightOp>(result.getLoc(), type,
                                                 FlatSymbolRefAttr::get(data));
    result.replaceAllUsesWith(weight);
  }
  for (Operation *op : llvm::reverse(candidates.ops))
    if (op->use_empty())
      op->erase();
  return llvm::Error::success();
}
