//===- KernelValues.cpp - What a kernel's operands are somewhere ----------===//

#include "compiler/target/cpu/KernelValues.h"

#include "compiler/target/cpu/IndexBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace ampc::cpu {

KernelValues::KernelValues(amp::KernelOp kernel, ValueRange operands,
                           OpBuilder site)
    : kernel(kernel), operands(operands.begin(), operands.end()), builder(site),
      loc(kernel.getLoc()) {}

Value KernelValues::in(BlockArgument argument) const {
  return operands[argument.getArgNumber()];
}

Value KernelValues::out(unsigned index) {
  return operands[kernel.getIns().size() + index];
}

OpFoldResult KernelValues::bufferDim(Value buffer, int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  OpFoldResult &size = sizes[{buffer, dim}];
  if (!size)
    size = builder.createOrFold<memref::DimOp>(loc, buffer, dim);
  return size;
}

OpFoldResult KernelValues::outDim(unsigned index, int64_t dim) {
  return bufferDim(out(index), dim);
}

SmallVector<OpFoldResult> KernelValues::outDims(unsigned index) {
  SmallVector<OpFoldResult> result;
  int64_t rank = cast<MemRefType>(out(index).getType()).getRank();
  for (int64_t i = 0; i < rank; ++i)
    result.push_back(outDim(index, i));
  return result;
}

OpFoldResult KernelValues::dim(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return bufferDim(in(argument), dim);
  // What is stored has the size of the buffer it is stored to.
  for (auto [index, value] : llvm::enumerate(kernel.getYield().getValues()))
    if (value == tensor)
      return outDim(index, dim);
  if (OpFoldResult known = sizes.lookup({tensor, dim}))
    return known;
  OpFoldResult size;
  if (OpTrait::hasElementwiseMappableTraits(tensor.getDefiningOp())) {
    for (Value operand : tensor.getDefiningOp()->getOperands())
      if (isa<RankedTensorType>(operand.getType())) {
        size = this->dim(operand, dim);
        break;
      }
  } else {
    // The body's own shape arithmetic, computed here instead of there.
    OpBuilder body(tensor.getDefiningOp());
    size = amp::dimOf(body, loc, tensor, dim);
    if (auto value = dyn_cast<Value>(size))
      size = scalar(value);
  }
  sizes[{tensor, dim}] = size;
  return size;
}

SmallVector<OpFoldResult> KernelValues::dims(Value tensor) {
  SmallVector<OpFoldResult> result;
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  for (int64_t i = 0; i < rank; ++i)
    result.push_back(dim(tensor, i));
  return result;
}

OpFoldResult KernelValues::stride(Value buffer, int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> known;
  int64_t offset;
  if (succeeded(getStridesAndOffset(type, known, offset)) &&
      !ShapedType::isDynamic(known[dim]))
    return builder.getIndexAttr(known[dim]);
  SmallVector<OpFoldResult> &all = strides[buffer];
  if (all.empty()) {
    all.resize(type.getRank());
    if (type.getLayout().isIdentity()) {
      IndexBuilder ix(builder, loc);
      OpFoldResult run = builder.getIndexAttr(1);
      for (int64_t i = type.getRank(); i-- > 0;) {
        all[i] = run;
        run = ix.mul(run, bufferDim(buffer, i));
      }
    } else {
      auto metadata =
          builder.create<memref::ExtractStridedMetadataOp>(loc, buffer);
      for (int64_t i = 0; i < type.getRank(); ++i)
        all[i] = metadata.getStrides()[i];
    }
  }
  return all[dim];
}

Value KernelValues::flat(Value buffer) {
  Value &result = flats[buffer];
  if (result)
    return result;
  auto type = cast<MemRefType>(buffer.getType());
  auto metadata = builder.create<memref::ExtractStridedMetadataOp>(loc, buffer);
  SmallVector<int64_t> strides;
  int64_t known;
  OpFoldResult offset = metadata.getOffset();
  if (succeeded(getStridesAndOffset(type, strides, known)) &&
      !ShapedType::isDynamic(known))
    offset = builder.getIndexAttr(known);
  auto layout = StridedLayoutAttr::get(
      builder.getContext(),
      IndexBuilder::known(offset).value_or(ShapedType::kDynamic), {1});
  bool plain = IndexBuilder::isConstant(offset, 0);
  auto flatType = MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                                  plain ? MemRefLayoutAttrInterface()
                                        : MemRefLayoutAttrInterface(layout),
                                  type.getMemorySpace());
  // The size is never looked at.
  Value size = builder.create<arith::ConstantIndexOp>(loc, 0);
  result = builder.create<memref::ReinterpretCastOp>(
      loc, flatType, metadata.getBaseBuffer(), offset,
      ArrayRef<OpFoldResult>{size},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  return result;
}

Value KernelValues::scalar(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return in(argument);
  if (Value known = scalars.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (auto size = dyn_cast<tensor::DimOp>(op)) {
    if (std::optional<int64_t> index = size.getConstantIndex())
      return scalars[value] = getValueOrCreateConstantIndexOp(
                 builder, loc, dim(size.getSource(), *index));
    return nullptr;
  }
  if (!isMemoryEffectFree(op) || op->getNumRegions())
    return nullptr;
  IRMapping map;
  for (Value operand : op->getOperands()) {
    Value here = scalar(operand);
    if (!here)
      return nullptr;
    map.map(operand, here);
  }
  Operation *clone = builder.clone(*op, map);
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
    scalars[from] = to;
  return scalars[value];
}

Value KernelValues::constantBuffer(arith::ConstantOp constant) {
  Value &buffer = constants[constant.getResult()];
  if (buffer)
    return buffer;
  auto elements = cast<DenseElementsAttr>(constant.getValue());
  auto tensor = cast<RankedTensorType>(elements.getType());
  Type stored = tensor.getElementType();
  if (stored.isInteger(1)) {
    SmallVector<int8_t> bytes;
    for (bool bit : elements.getValues<bool>())
      bytes.push_back(bit);
    stored = builder.getI8Type();
    elements = DenseElementsAttr::get(
        RankedTensorType::get(tensor.getShape(), stored), ArrayRef(bytes));
  }
  auto type = MemRefType::get(tensor.getShape(), stored);
  auto module = kernel->getParentOfType<ModuleOp>();
  std::string name;
  for (unsigned i = 0;
       module.lookupSymbol(name = "kernel_constant_" + std::to_string(i)); ++i)
    ;
  OpBuilder globals = OpBuilder::atBlockBegin(module.getBody());
  globals.create<memref::GlobalOp>(loc, name, globals.getStringAttr("private"),
                                   type, elements, /*constant=*/true,
                                   /*alignment=*/globals.getI64IntegerAttr(64));
  return buffer = builder.create<memref::GetGlobalOp>(loc, type, name);
}

bool isDense(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
}

bool canMergeDims(MemRefType type, int64_t dim) {
  if (type.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(getStridesAndOffset(type, strides, offset)))
    return false;
  // Nothing runs over leading dimensions of size 1. Others of size 1 are no
  // exception: a third dimension may be merged with them.
  if (llvm::all_of(type.getShape().take_front(dim + 1),
                   [](int64_t size) { return size == 1; }))
    return true;
  return !type.isDynamicDim(dim + 1) && !ShapedType::isDynamic(strides[dim]) &&
         !ShapedType::isDynamic(strides[dim + 1]) &&
         strides[dim] == strides[dim + 1] * type.getDimSize(dim + 1);
}

bool hasUnitInnermostStride(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(getStridesAndOffset(type, strides, offset)) &&
         (strides.empty() || strides.back() == 1);
}

} // namespace ampc::cpu
