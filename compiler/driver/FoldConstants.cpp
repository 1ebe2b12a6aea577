//===- FoldConstants.cpp - Compute at compile time what weights decide ----===//

#include "compiler/driver/FoldConstants.h"

#include "compiler/driver/Pipelines.h"
#include "compiler/export/Export.h"
#include "compiler/target/cpu/CodeGenerator.h"
#include "compiler/target/cpu/Pipeline.h"
#include "runtime/ampc_load.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

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

/// Bytes of the weights that `value` is computed from.
uint64_t sourceBytes(Value value, const llvm::SetVector<Operation *> &ops) {
  uint64_t bytes = 0;
  llvm::SetVector<Operation *> work;
  work.insert(value.getDefiningOp());
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i];
    if (isa<amp::WeightOp, arith::ConstantOp>(op))
      bytes += bytesOf(op->getResult(0).getType());
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && ops.contains(producer))
        work.insert(producer);
  }
  return bytes;
}

Candidates findCandidates(func::FuncOp main) {
  Candidates found;
  for (Operation &op : main.getBody().front())
    if (isFoldable(&op) && llvm::all_of(op.getOperands(), [&](Value operand) {
          Operation *producer = operand.getDefiningOp();
          return producer && found.ops.contains(producer);
        }))
      found.ops.insert(&op);
  constexpr uint64_t small = 64 << 10, growth = 4;
  for (Operation *op : found.ops)
    for (Value result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || isFree(op) || type.getElementType().isInteger(1) ||
          type.getNumElements() == 0)
        continue;
      bool isRead = llvm::any_of(result.getUsers(), [&](Operation *user) {
        return !found.ops.contains(user) || isa<amp::ReshapeOp>(user);
      });
      // What comes from no weight (fills, iotas) is cheaper to compute than
      // read.
      uint64_t source = sourceBytes(result, found.ops);
      if (isRead && source && bytesOf(type) <= std::max(small, growth * source))
        found.results.push_back(result);
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

/// A folder for the library, removed with what is in it.
struct TemporaryFolder {
  SmallString<128> path;
  ~TemporaryFolder() {
    if (!path.empty())
      llvm::sys::fs::remove_directories(path);
  }
};

} // namespace

llvm::Error ampc::foldConstants(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  Candidates candidates = findCandidates(main);
  if (candidates.results.empty())
    return llvm::Error::success();
  TemporaryFolder folder;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("ampc", folder.path))
    return llvm::createStringError("cannot create a temporary folder: %s",
                                   code.message().c_str());
  SmallString<128> path(folder.path);
  llvm::sys::path::append(path, "constants.so");
  OwningOpRef<ModuleOp> outlined = outline(module, candidates);
  if (llvm::Error error = buildShared(*outlined, path))
    return error;
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
