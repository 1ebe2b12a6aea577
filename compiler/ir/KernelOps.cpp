//===- KernelOps.cpp - Kernels and the memory they run in -----------------===//

#include "compiler/ir/Amp.h"

using namespace mlir;
using namespace amp;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

Operation *KernelOp::getRoot() {
  for (Operation &op : getBody().front())
    if (isa<KernelRootOpInterface>(op))
      return &op;
  return nullptr;
}

YieldOp KernelOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

bool KernelOp::isBufferized() {
  return llvm::any_of(getOperands(),
                      [](Value v) { return isa<MemRefType>(v.getType()); });
}

void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getInsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  for (OpOperand &operand : getOutsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
}

LogicalResult KernelOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  for (Value out : getOuts()) {
    if (!isa<RankedTensorType>(out.getType()))
      return failure();
    shapes.push_back(dimsOf(builder, getLoc(), out));
  }
  return success();
}

void KernelOp::getAsmBlockArgumentNames(Region &, OpAsmSetValueNameFn) {}

/// Whether `buffer` can stand for the tensor `value`: same shape and element
/// type, where booleans may have become bytes.
static bool represents(Type buffer, RankedTensorType value) {
  if (isa<RankedTensorType>(buffer))
    return buffer == value;
  auto memref = dyn_cast<MemRefType>(buffer);
  if (!memref || memref.getShape() != value.getShape())
    return false;
  Type element = memref.getElementType();
  return element == value.getElementType() ||
         (value.getElementType().isInteger(1) && element.isInteger(8));
}

LogicalResult KernelOp::verify() {
  Block &block = getBody().front();
  if (block.getNumArguments() != getIns().size())
    return emitOpError("has ")
           << block.getNumArguments() << " block arguments for "
           << getIns().size() << " ins";
  for (auto [argument, operand] : llvm::zip(block.getArguments(), getIns())) {
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    if (tensor ? !represents(operand.getType(), tensor)
               : operand.getType() != argument.getType())
      return emitOpError("passes ")
             << operand.getType() << " as " << argument.getType();
  }
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("must end in amp.yield");
  if (getSchedule() && (!isBufferized() || !getRoot()))
    return emitOpError("has a schedule, which only bufferized kernels with a "
                       "root may have");
  if (yield.getValues().size() != getOuts().size())
    return emitOpError("yields ") << yield.getValues().size() << " values for "
                                  << getOuts().size() << " outs";
  for (auto [value, out] : llvm::zip(yield.getValues(), getOuts()))
    if (!represents(out.getType(), cast<RankedTensorType>(value.getType())))
      return emitOpError("yields ")
             << value.getType() << " into " << out.getType();
  SmallVector<Type> expected;
  for (Value out : getOuts())
    if (isa<RankedTensorType>(out.getType()))
      expected.push_back(out.getType());
  if (TypeRange(expected) != TypeRange(getResultTypes()))
    return emitOpError("must have one result of the same type for each tensor "
                       "in outs");
  unsigned roots = 0;
  for (Operation &op : block.without_terminator()) {
    bool root = isa<KernelRootOpInterface>(op);
    if (!root && !isElemental(&op) && !op.hasTrait<OpTrait::ConstantLike>() &&
        !llvm::none_of(op.getResultTypes(), llvm::IsaPred<TensorType>))
      return op.emitOpError("is neither elemental nor a kernel root, so it may "
                            "not stand in a kernel");
    roots += root;
  }
  if (roots > 1)
    return emitOpError("has more than one root");
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << " ins(";
  llvm::interleaveComma(
      llvm::zip(getBody().getArguments(), getIns()), printer, [&](auto pair) {
        printer << std::get<0>(pair) << " = " << std::get<1>(pair);
      });
  if (!getIns().empty())
    printer << " : " << getIns().getTypes();
  printer << ") outs(";
  printer.printOperands(getOuts());
  if (!getOuts().empty())
    printer << " : " << getOuts().getTypes();
  printer << ") ";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getOperandSegmentSizesAttrName()});
  // After bufferization argument types no longer follow from the operands'.
  if (isBufferized()) {
    printer << "args(";
    llvm::interleaveComma(getBody().getArgumentTypes(), printer);
    printer << ") ";
  }
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  if (getNumResults())
    printer << " : " << getResultTypes();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> ins, outs;
  SmallVector<Type> inTypes, outTypes, argTypes, resultTypes;
  SMLoc loc = parser.getCurrentLocation();
  auto parseIn = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(ins.emplace_back()));
  };
  if (parser.parseKeyword("ins") || parser.parseLParen())
    return failure();
  if (failed(parser.parseOptionalRParen()))
    if (parser.parseCommaSeparatedList(parseIn) ||
        parser.parseColonTypeList(inTypes) || parser.parseRParen())
      return failure();
  if (parser.parseKeyword("outs") || parser.parseLParen())
    return failure();
  if (failed(parser.parseOptionalRParen()))
    if (parser.parseOperandList(outs) || parser.parseColonTypeList(outTypes) ||
        parser.parseRParen())
      return failure();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  argTypes = inTypes;
  if (succeeded(parser.parseOptionalKeyword("args"))) {
    argTypes.clear();
    auto parseType = [&] { return parser.parseType(argTypes.emplace_back()); };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseType))
      return failure();
  }
  if (argTypes.size() != arguments.size())
    return parser.emitError(loc, "has ")
           << arguments.size() << " ins but " << argTypes.size() << " types";
  for (auto [argument, type] : llvm::zip(arguments, argTypes))
    argument.type = type;
  if (parser.parseRegion(*result.addRegion(), arguments) ||
      parser.parseOptionalColonTypeList(resultTypes) ||
      parser.resolveOperands(ins, inTypes, loc, result.operands) ||
      parser.resolveOperands(outs, outTypes, loc, result.operands))
    return failure();
  result.addTypes(resultTypes);
  result.addAttribute(getOperandSegmentSizesAttrName(result.name),
                      parser.getBuilder().getDenseI32ArrayAttr(
                          {int32_t(ins.size()), int32_t(outs.size())}));
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchOp, ArenaOp, SideAllocOp, OutputOp
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("launches '")
           << getCallee() << "', which is no function";
  SmallVector<Type> expected(getArguments().getTypes());
  expected.append(2, IndexType::get(getContext()));
  if (TypeRange(expected) != TypeRange(callee.getArgumentTypes()) ||
      callee.getNumResults())
    return emitOpError("does not fit '")
           << getCallee() << "', which has type " << callee.getFunctionType();
  return success();
}

LogicalResult ArenaOp::verify() {
  if (getFirst().size() != getSizes().size() ||
      getLast().size() != getSizes().size() ||
      getOffsets().size() != getSizes().size())
    return emitOpError("needs one size, offset and live range for each buffer");
  for (auto [first, last] : llvm::zip(getFirst(), getLast()))
    if (first > last)
      return emitOpError("has a live range that ends before it starts");
  return success();
}

void SideAllocOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       getOperation()->getOpResult(0));
}

void OutputOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       getOperation()->getOpResult(0));
  // Asking for an output has an effect even if nothing is written to it.
  effects.emplace_back(MemoryEffects::Write::get());
}
