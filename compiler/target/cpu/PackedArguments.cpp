//===- PackedArguments.cpp - Kernel arguments in memory -------------------===//

#include "compiler/target/cpu/PackedArguments.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace ampc::cpu;

/// Dimensions of `type` whose stride a reader cannot know from the sizes.
static SmallVector<unsigned> openStrides(MemRefType type) {
  SmallVector<unsigned> open;
  if (type.getLayout().isIdentity())
    return open;
  auto [strides, offset] = getStridesAndOffset(type);
  for (auto [i, stride] : llvm::enumerate(strides))
    if (ShapedType::isDynamic(stride))
      open.push_back(i);
  return open;
}

PackedArguments::PackedArguments(const LLVMTypeConverter &converter,
                                 TypeRange types)
    : converter(converter), types(types) {
  MLIRContext *context = &converter.getContext();
  for (Type type : types) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref) {
      fields.push_back(converter.convertType(type));
      continue;
    }
    fields.push_back(LLVM::LLVMPointerType::get(context));
    fields.append(memref.getNumDynamicDims() + openStrides(memref).size(),
                  converter.getIndexType());
  }
}

Value PackedArguments::fieldPointer(OpBuilder &builder, Location loc,
                                    Value memory, unsigned field) const {
  auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(), fields);
  return builder.create<LLVM::GEPOp>(loc, memory.getType(), type, memory,
                                     ArrayRef<LLVM::GEPArg>{0, int32_t(field)});
}

static Value toLLVM(OpBuilder &builder, Location loc,
                    const LLVMTypeConverter &converter, Value value) {
  Type type = converter.convertType(value.getType());
  if (type == value.getType())
    return value;
  return builder.create<UnrealizedConversionCastOp>(loc, type, value)
      .getResult(0);
}

void PackedArguments::store(OpBuilder &builder, Location loc, ValueRange values,
                            Value memory) const {
  unsigned next = 0;
  auto put = [&](Value value) {
    Value pointer = fieldPointer(builder, loc, memory, next++);
    builder.create<LLVM::StoreOp>(loc, value, pointer);
  };
  for (Value value : values) {
    Value converted = toLLVM(builder, loc, converter, value);
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type) {
      put(converted);
      continue;
    }
    MemRefDescriptor descriptor(converted);
    // A known offset is added by the reader, whose type has it too.
    auto [strides, offset] = getStridesAndOffset(type);
    put(ShapedType::isDynamic(offset)
            ? descriptor.bufferPtr(builder, loc, converter, type)
            : descriptor.alignedPtr(builder, loc));
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        put(descriptor.size(builder, loc, i));
    for (unsigned i : openStrides(type))
      put(descriptor.stride(builder, loc, i));
  }
}

SmallVector<Value> PackedArguments::load(OpBuilder &builder, Location loc,
                                         Value memory) const {
  unsigned next = 0;
  auto get = [&]() -> Value {
    Value pointer = fieldPointer(builder, loc, memory, next);
    return builder.create<LLVM::LoadOp>(loc, fields[next++], pointer);
  };
  SmallVector<Value> values;
  for (Type type : types) {
    Value first = get();
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref) {
      values.push_back(
          first.getType() == type
              ? first
              : builder.create<UnrealizedConversionCastOp>(loc, type, first)
                    .getResult(0));
      continue;
    }
    SmallVector<Value> sizes, strides;
    for (int64_t i = 0; i < memref.getNumDynamicDims(); ++i)
      sizes.push_back(get());
    for (size_t i = 0; i < openStrides(memref).size(); ++i)
      strides.push_back(get());
    values.push_back(
        buildMemRef(builder, loc, converter, memref, first, sizes, strides));
  }
  return values;
}

Value ampc::cpu::buildMemRef(OpBuilder &builder, Location loc,
                             const LLVMTypeConverter &converter,
                             MemRefType type, Value pointer,
                             ValueRange dynamicSizes,
                             ValueRange dynamicStrides) {
  auto descriptor =
      MemRefDescriptor::undef(builder, loc, converter.convertType(type));
  Type index = converter.getIndexType();
  auto constant = [&](int64_t value) -> Value {
    return builder.create<LLVM::ConstantOp>(loc, index, value);
  };
  descriptor.setAllocatedPtr(builder, loc, pointer);
  descriptor.setAlignedPtr(builder, loc, pointer);
  auto [strides, offset] = getStridesAndOffset(type);
  descriptor.setOffset(builder, loc,
                       constant(ShapedType::isDynamic(offset) ? 0 : offset));

  int64_t rank = type.getRank();
  SmallVector<Value> sizes(rank);
  for (int64_t i = 0; i < rank; ++i) {
    if (type.isDynamicDim(i)) {
      sizes[i] = dynamicSizes.front();
      dynamicSizes = dynamicSizes.drop_front();
    } else {
      sizes[i] = constant(type.getDimSize(i));
    }
    descriptor.setSize(builder, loc, i, sizes[i]);
  }

  bool contiguous = type.getLayout().isIdentity();
  Value running;
  SmallVector<Value> values(rank);
  for (int64_t i = rank - 1; i >= 0; --i) {
    if (!ShapedType::isDynamic(strides[i]))
      values[i] = constant(strides[i]);
    else if (contiguous)
      values[i] = builder.create<LLVM::MulOp>(loc, values[i + 1], sizes[i + 1]);
  }
  for (int64_t i = 0; i < rank; ++i) {
    if (!values[i]) {
      values[i] = dynamicStrides.front();
      dynamicStrides = dynamicStrides.drop_front();
    }
    descriptor.setStride(builder, loc, i, values[i]);
  }
  return builder
      .create<UnrealizedConversionCastOp>(loc, type, Value(descriptor))
      .getResult(0);
}
