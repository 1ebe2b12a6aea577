//===- LowerAbi.cpp - Host ops become calls of the runtime ----------------===//
//
// The contract is runtime/abi.h. What is left of amp afterwards is nothing.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/SourceNodes.h"
#include "compiler/ir/WeightLayout.h"
#include "compiler/target/cpu/CpuPasses.h"
#include "compiler/target/cpu/PackedArguments.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ampc::cpu {
#define GEN_PASS_DEF_CPULOWERABI
#include "compiler/target/cpu/CpuPasses.h.inc"
} // namespace ampc::cpu

using namespace mlir;
using namespace amp;
using namespace ampc::cpu;

namespace {

/// The global with the times of launches.
constexpr StringLiteral launchTimesName = "ampc_launch_times";

/// Rewrites one module.
class AbiLowering {
public:
  explicit AbiLowering(ModuleOp module)
      : module(module), context(module.getContext()),
        converter(context, LowerToLLVMOptions(context)), weights(module),
        pointer(LLVM::LLVMPointerType::get(context)),
        i32(IntegerType::get(context, 32)), i64(IntegerType::get(context, 64)) {
  }

  LogicalResult run();

private:
  void unpackKernelArguments(func::FuncOp kernel);
  void takeContext(func::FuncOp main);
  void lower(WeightOp op);
  void lower(CheckOp op);
  void lower(LaunchOp op);
  void lower(ArenaOp op);
  void lower(SideAllocOp op);
  void lower(OutputOp op);

  Type launchTimesType();
  DictionaryAttr describe(LaunchOp op);
  void addLaunches();
  LLVM::LLVMFuncOp runtime(StringRef name, Type result, TypeRange arguments);
  Value call(OpBuilder &builder, Location loc, StringRef name, Type result,
             ValueRange arguments);
  Value global(OpBuilder &builder, Location loc, StringRef name, Type type,
               Attribute value);
  Value stack(Location loc, int64_t bytes);
  void failUnless(Value pointer, Operation *after);
  Block *failure(Region &body);
  void buffer(Operation *op, MemRefType type, Value pointer,
              ValueRange dynamicSizes);

  static Value toI64(OpBuilder &builder, Location loc, Value index) {
    return builder.create<arith::IndexCastOp>(loc, builder.getI64Type(), index);
  }
  static Value constant(OpBuilder &builder, Location loc, Type type,
                        int64_t value) {
    return builder.create<LLVM::ConstantOp>(loc, type, value);
  }

  ModuleOp module;
  MLIRContext *context;
  LLVMTypeConverter converter;
  WeightLayout weights;
  Type pointer, i32, i64;

  // Of @main while it is rewritten. Nothing branches to its entry block, so
  // what is allocated there is allocated once.
  Value exec, weightsBase, packed;
  Block *entry = nullptr, *failed = nullptr;
  llvm::StringMap<LLVM::GlobalOp> messages;
  unsigned constants = 0;
  SmallVector<Attribute> profiled; ///< Launches, by their numbers.
};

} // namespace

LogicalResult AbiLowering::run() {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal())
    return module.emitError("has no function 'main' to compile");
  if (main.getNumResults())
    return main.emitOpError(
        "still returns values; amp-plan-arena must run before");

  SymbolTable symbols(module);
  llvm::SetVector<func::FuncOp> kernels;
  int64_t packedBytes = 0;
  main.walk([&](LaunchOp launch) {
    kernels.insert(symbols.lookup<func::FuncOp>(launch.getCallee()));
    PackedArguments arguments(converter, launch.getArguments().getTypes());
    packedBytes = std::max(packedBytes, arguments.size());
  });
  for (func::FuncOp kernel : kernels)
    unpackKernelArguments(kernel);

  takeContext(main);
  // Launches run one after another, so their arguments share memory.
  if (packedBytes)
    packed = stack(main.getLoc(), packedBytes);
  // Lowering splits blocks, which a walk does not survive.
  SmallVector<Operation *> ops;
  main.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    llvm::TypeSwitch<Operation *>(op)
        .Case<WeightOp, CheckOp, LaunchOp, ArenaOp, SideAllocOp, OutputOp>(
            [&](auto typed) { lower(typed); });
  addLaunches();
  for (auto data : llvm::make_early_inc_range(module.getOps<WeightDataOp>()))
    data.erase();
  return success();
}

/// `kernel(args..., lo, hi)` becomes `kernel(ptr args, i64 lo, i64 hi)`.
void AbiLowering::unpackKernelArguments(func::FuncOp kernel) {
  Location loc = kernel.getLoc();
  Block &body = kernel.front();
  unsigned count = body.getNumArguments() - 2;
  SmallVector<Type> types(
      llvm::drop_end(body.getArgumentTypes(), 2)); // lo and hi
  Value memory = body.insertArgument(0u, pointer, loc);
  auto builder = OpBuilder::atBlockBegin(&body);

  SmallVector<Value> values =
      PackedArguments(converter, types).load(builder, loc, memory);
  for (unsigned i = 0; i < count; ++i)
    body.getArgument(1 + i).replaceAllUsesWith(values[i]);
  body.eraseArguments(1, count);
  for (unsigned i : {1, 2}) {
    BlockArgument bound = body.getArgument(i);
    bound.setType(i64);
    Value index =
        builder.create<arith::IndexCastOp>(loc, builder.getIndexType(), bound);
    bound.replaceAllUsesExcept(index, index.getDefiningOp());
  }
  kernel.removeArgAttrsAttr();
  kernel.setFunctionType(
      FunctionType::get(context, body.getArgumentTypes(), {}));
  kernel->setAttr("llvm.linkage",
                  LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
}

/// `main(inputs...)` becomes `ampc_main(ptr exec) -> i32`.
void AbiLowering::takeContext(func::FuncOp main) {
  Location loc = main.getLoc();
  entry = &main.front();
  auto builder = OpBuilder::atBlockBegin(entry);
  unsigned count = entry->getNumArguments();
  exec = entry->insertArgument(0u, pointer, loc);
  auto field = [&](Value base, Type type, ArrayRef<LLVM::GEPArg> indices) {
    return builder.create<LLVM::GEPOp>(loc, pointer, type, base, indices);
  };
  auto layout = LLVM::LLVMStructType::getLiteral(context, {pointer, pointer});
  if (count) {
    Value inputs =
        builder.create<LLVM::LoadOp>(loc, pointer, field(exec, layout, {0, 0}));
    for (unsigned i = 0; i < count; ++i) {
      BlockArgument input = entry->getArgument(1 + i);
      Value description = builder.create<LLVM::LoadOp>(
          loc, pointer, field(inputs, pointer, {int32_t(i)}));
      Value whole = builder.create<LLVM::LoadOp>(
          loc, converter.convertType(input.getType()), description);
      Value memref =
          builder
              .create<UnrealizedConversionCastOp>(loc, input.getType(), whole)
              .getResult(0);
      input.replaceAllUsesWith(memref);
    }
    entry->eraseArguments(1, count);
  }
  weightsBase =
      builder.create<LLVM::LoadOp>(loc, pointer, field(exec, layout, {0, 1}));

  main.walk([&](func::ReturnOp ret) {
    OpBuilder atReturn(ret);
    ret.getOperandsMutable().append(
        constant(atReturn, ret.getLoc(), i32, /*AMPC_OK=*/0));
  });
  main.removeArgAttrsAttr();
  main->removeAttr("amp.outputs");
  main.setFunctionType(FunctionType::get(context, pointer, i32));
  main.setName("ampc_main");
  main->setAttr("llvm.linkage",
                LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void AbiLowering::lower(WeightOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value offset = constant(builder, loc, i64, weights.offsetOf(op.getData()));
  Value address =
      builder.create<LLVM::GEPOp>(loc, pointer, builder.getI8Type(),
                                  weightsBase, ArrayRef<LLVM::GEPArg>{offset});
  buffer(op, cast<MemRefType>(op.getResult().getType()), address, {});
}

void AbiLowering::lower(CheckOp op) {
  Location loc = op.getLoc();
  Block *here = op->getBlock();
  Block *next = here->splitBlock(op->getNextNode());
  OpBuilder builder(op);
  Block *fail =
      builder.createBlock(here->getParent(), here->getParent()->end());
  Value message = global(builder, loc, op.getMessage(), nullptr,
                         builder.getStringAttr(op.getMessage() + Twine('\0')));
  Value status = call(
      builder, loc, "ampc_rt_fail", i32,
      {exec, constant(builder, loc, i32, int32_t(op.getStatus())), message});
  builder.create<func::ReturnOp>(loc, status);
  builder.setInsertionPointToEnd(here);
  builder.create<cf::CondBranchOp>(loc, op.getCondition(), next, fail);
  op.erase();
}

void AbiLowering::lower(LaunchOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  PackedArguments arguments(converter, op.getArguments().getTypes());
  Value memory = packed;
  if (arguments.size() == 0)
    memory = builder.create<LLVM::ZeroOp>(loc, pointer);
  else
    arguments.store(builder, loc, op.getArguments(), memory);
  auto callee = module.lookupSymbol<func::FuncOp>(op.getCallee());
  Value address = builder.create<func::ConstantOp>(
      loc, callee.getFunctionType(), op.getCalleeAttr());
  address = builder.create<UnrealizedConversionCastOp>(loc, pointer, address)
                .getResult(0);
  SmallVector<Value> operands{exec, address, memory,
                              toI64(builder, loc, op.getCount()),
                              constant(builder, loc, i64, op.getGrain())};
  StringRef service = "ampc_rt_parallel";
  if (op->hasAttr(profileAttrName)) {
    service = "ampc_rt_profiled_parallel";
    Value times =
        builder.create<LLVM::AddressOfOp>(loc, pointer, launchTimesName);
    operands.push_back(builder.create<LLVM::GEPOp>(
        loc, pointer, launchTimesType(), times,
        ArrayRef<LLVM::GEPArg>{int32_t(profiled.size())}));
    profiled.push_back(describe(op));
  }
  call(builder, loc, service, LLVM::LLVMVoidType::get(context), operands);
  op.erase();
}

/// ampc_launch_times.
Type AbiLowering::launchTimesType() {
  return LLVM::LLVMStructType::getLiteral(context, {i64, i64});
}

/// What ampc_launch says.
DictionaryAttr AbiLowering::describe(LaunchOp op) {
  Builder builder(context);
  std::string operands;
  llvm::raw_string_ostream stream(operands);
  for (Type type : op.getArguments().getTypes())
    if (auto buffer = dyn_cast<MemRefType>(type)) {
      stream << (operands.empty() ? "" : ", ") << buffer.getElementType()
             << "[";
      llvm::interleave(
          buffer.getShape(), stream,
          [&](int64_t size) {
            if (ShapedType::isDynamic(size))
              stream << "?";
            else
              stream << size;
          },
          ",");
      stream << "]";
    }
  SmallVector<StringRef> nodes, ops;
  // What no node asks for, such as a copy of an input, has the file's location.
  SmallVector<SourceNode> file = sourceNodes(module.getLoc());
  for (const SourceNode &node : sourceNodes(op.getLoc())) {
    if (llvm::is_contained(file, node))
      continue;
    nodes.push_back(node.name);
    ops.push_back(node.op);
  }
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("kernel", op.getCalleeAttr().getAttr()),
       builder.getNamedAttr("operands", builder.getStringAttr(operands)),
       builder.getNamedAttr("nodes", builder.getStrArrayAttr(nodes)),
       builder.getNamedAttr("ops", builder.getStrArrayAttr(ops))});
}

/// Says what was profiled, and makes room for the times.
void AbiLowering::addLaunches() {
  module->removeAttr("amp.launches"); // Of the input, maybe.
  if (profiled.empty())
    return;
  module->setAttr("amp.launches", ArrayAttr::get(context, profiled));
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  Location loc = module.getLoc();
  auto global = builder.create<LLVM::GlobalOp>(
      loc, LLVM::LLVMArrayType::get(launchTimesType(), profiled.size()),
      /*isConstant=*/false, LLVM::Linkage::Internal, launchTimesName,
      /*value=*/Attribute());
  builder.createBlock(&global.getInitializerRegion());
  builder.create<LLVM::ReturnOp>(
      loc, builder.create<LLVM::ZeroOp>(loc, global.getType()).getResult());
}

void AbiLowering::lower(ArenaOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int64_t n = op.getSizes().size();
  Value sizes = stack(loc, 8 * n), offsets = stack(loc, 8 * n);
  auto element = [&](Value array, int64_t i) {
    return builder.create<LLVM::GEPOp>(loc, pointer, i64, array,
                                       ArrayRef<LLVM::GEPArg>{int32_t(i)});
  };
  for (auto [i, size] : llvm::enumerate(op.getSizes()))
    builder.create<LLVM::StoreOp>(loc, toI64(builder, loc, size),
                                  element(sizes, i));
  auto positions = [&](ArrayRef<int32_t> values) {
    auto type = RankedTensorType::get({n}, i32);
    return global(builder, loc, "", LLVM::LLVMArrayType::get(i32, n),
                  DenseElementsAttr::get(type, values));
  };
  Value base =
      call(builder, loc, "ampc_rt_arena", pointer,
           {exec, constant(builder, loc, i32, int32_t(op.getId())),
            constant(builder, loc, i64, n), sizes, positions(op.getFirst()),
            positions(op.getLast()), offsets});
  for (auto [i, offset] : llvm::enumerate(op.getOffsets())) {
    Value bytes = builder.create<LLVM::LoadOp>(loc, i64, element(offsets, i));
    offset.replaceAllUsesWith(
        builder.create<arith::IndexCastOp>(loc, builder.getIndexType(), bytes));
  }
  // How large the arena is only its slices know.
  Value all = constant(builder, loc, i64, INT64_MAX);
  Value memref =
      buildMemRef(builder, loc, converter,
                  cast<MemRefType>(op.getBase().getType()), base, all);
  op.getBase().replaceAllUsesWith(memref);
  failUnless(base, base.getDefiningOp());
  op.erase();
}

void AbiLowering::lower(SideAllocOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getResult().getType());
  int64_t fixed =
      (type.getElementType().isIndex() ? 64
                                       : type.getElementTypeBitWidth() + 7) /
      8;
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      fixed *= size;
  Value bytes = constant(builder, loc, i64, fixed), overflow;
  SmallVector<Value> dims;
  Type flag = builder.getI1Type();
  auto withFlag = LLVM::LLVMStructType::getLiteral(context, {i64, flag});
  for (Value dim : op.getDims()) {
    dims.push_back(toI64(builder, loc, dim));
    Value product = builder.create<LLVM::SMulWithOverflowOp>(
        loc, withFlag, bytes, dims.back());
    bytes = builder.create<LLVM::ExtractValueOp>(loc, i64, product, 0);
    Value here = builder.create<LLVM::ExtractValueOp>(loc, flag, product, 1);
    overflow =
        overflow ? builder.create<LLVM::OrOp>(loc, overflow, here) : here;
  }
  // Which the runtime refuses.
  if (overflow)
    bytes = builder.create<LLVM::SelectOp>(
        loc, overflow, constant(builder, loc, i64, -1), bytes);
  Value memory =
      call(builder, loc, "ampc_rt_side_alloc", pointer, {exec, bytes});
  buffer(op, type, memory, dims);
  failUnless(memory, memory.getDefiningOp());
}

void AbiLowering::lower(OutputOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value dims = stack(loc, 8 * std::max<int64_t>(1, op.getDims().size()));
  for (auto [i, dim] : llvm::enumerate(op.getDims())) {
    Value place = builder.create<LLVM::GEPOp>(
        loc, pointer, i64, dims, ArrayRef<LLVM::GEPArg>{int32_t(i)});
    builder.create<LLVM::StoreOp>(loc, toI64(builder, loc, dim), place);
  }
  Value memory =
      call(builder, loc, "ampc_rt_output", pointer,
           {exec, constant(builder, loc, i32, int32_t(op.getIndex())), dims});
  SmallVector<Value> sizes;
  for (Value dim : op.getViewDims())
    sizes.push_back(toI64(builder, loc, dim));
  buffer(op, cast<MemRefType>(op.getResult().getType()), memory, sizes);
  failUnless(memory, memory.getDefiningOp());
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Replaces the result of `op` by a memref at `pointer`, and erases `op`.
void AbiLowering::buffer(Operation *op, MemRefType type, Value pointer,
                         ValueRange dynamicSizes) {
  OpBuilder builder(op);
  Value memref = buildMemRef(builder, op->getLoc(), converter, type, pointer,
                             dynamicSizes);
  op->getResult(0).replaceAllUsesWith(memref);
  op->erase();
}

/// Ends the run behind `after` if `pointer` is null; the runtime has noted why.
void AbiLowering::failUnless(Value value, Operation *after) {
  Location loc = after->getLoc();
  Block *here = after->getBlock();
  Block *next = here->splitBlock(after->getNextNode());
  auto builder = OpBuilder::atBlockEnd(here);
  Value null = builder.create<LLVM::ZeroOp>(loc, pointer);
  Value ok =
      builder.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, value, null);
  builder.create<cf::CondBranchOp>(loc, ok, next, failure(*here->getParent()));
}

Block *AbiLowering::failure(Region &body) {
  if (failed)
    return failed;
  OpBuilder builder(context);
  failed = builder.createBlock(&body, body.end());
  Location loc = body.getLoc();
  // Any status but AMPC_OK: the one that the runtime noted counts.
  builder.create<func::ReturnOp>(loc, constant(builder, loc, i32, 1));
  return failed;
}

/// Memory that lives as long as the call of @main.
Value AbiLowering::stack(Location loc, int64_t bytes) {
  auto builder = OpBuilder::atBlockBegin(entry);
  Value count = constant(builder, loc, i64, bytes);
  return builder.create<LLVM::AllocaOp>(loc, pointer, builder.getI8Type(),
                                        count, /*alignment=*/16);
}

LLVM::LLVMFuncOp AbiLowering::runtime(StringRef name, Type result,
                                      TypeRange arguments) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  return builder.create<LLVM::LLVMFuncOp>(
      module.getLoc(), name,
      LLVM::LLVMFunctionType::get(result, llvm::to_vector(arguments)));
}

Value AbiLowering::call(OpBuilder &builder, Location loc, StringRef name,
                        Type result, ValueRange arguments) {
  LLVM::LLVMFuncOp function = runtime(name, result, arguments.getTypes());
  auto op = builder.create<LLVM::CallOp>(loc, function, arguments);
  return op.getNumResults() ? op.getResult() : Value();
}

/// The address of a constant; those with equal, non-empty `text` are one.
Value AbiLowering::global(OpBuilder &builder, Location loc, StringRef text,
                          Type type, Attribute value) {
  LLVM::GlobalOp found =
      text.empty() ? LLVM::GlobalOp() : messages.lookup(text);
  if (!found) {
    if (auto string = dyn_cast<StringAttr>(value))
      type = LLVM::LLVMArrayType::get(builder.getI8Type(), string.size());
    auto atTop = OpBuilder::atBlockBegin(module.getBody());
    found = atTop.create<LLVM::GlobalOp>(
        loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
        ("ampc_constant_" + Twine(constants++)).str(), value);
    if (!text.empty())
      messages[text] = found;
  }
  return builder.create<LLVM::AddressOfOp>(loc, found);
}

namespace {
struct LowerAbi : public ampc::cpu::impl::CpuLowerAbiBase<LowerAbi> {
  void runOnOperation() override {
    if (failed(AbiLowering(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
