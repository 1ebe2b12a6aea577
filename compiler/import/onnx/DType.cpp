//===- DType.cpp - ONNX element types -------------------------------------===//

#include "compiler/import/onnx/DType.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace ampc::onnx_import {

std::string dtypeName(DType dtype) {
  static constexpr const char *names[] = {
      "undefined",      "float",        "uint8",          "int8",
      "uint16",         "int16",        "int32",          "int64",
      "string",         "bool",         "float16",        "double",
      "uint32",         "uint64",       "complex64",      "complex128",
      "bfloat16",       "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
      "float8e5m2fnuz", "uint4",        "int4",           "float4e2m1",
      "float8e8m0",     "uint2",        "int2",           "float6e2m3",
      "float6e3m2"};
  auto number = static_cast<uint32_t>(dtype);
  if (number < std::size(names))
    return names[number];
  return ("type #" + llvm::Twine(number)).str();
}

Type elementType(MLIRContext *context, DType dtype) {
  switch (dtype) {
  case DType::Float:
    return Float32Type::get(context);
  case DType::Double:
    return Float64Type::get(context);
  case DType::Float16:
    return Float16Type::get(context);
  case DType::BFloat16:
    return BFloat16Type::get(context);
  case DType::Float8E4M3FN:
    return Float8E4M3FNType::get(context);
  case DType::Float8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case DType::Float8E5M2:
    return Float8E5M2Type::get(context);
  case DType::Float8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case DType::Bool:
    return IntegerType::get(context, 1);
  case DType::UInt8:
  case DType::Int8:
  case DType::UInt4:
  case DType::Int4:
  case DType::UInt2:
  case DType::Int2:
  case DType::Float4E2M1:
  case DType::Float6E2M3:
  case DType::Float6E3M2:
  case DType::Float8E8M0:
    return IntegerType::get(context, 8);
  case DType::UInt16:
  case DType::Int16:
    return IntegerType::get(context, 16);
  case DType::UInt32:
  case DType::Int32:
    return IntegerType::get(context, 32);
  case DType::UInt64:
  case DType::Int64:
    return IntegerType::get(context, 64);
  default:
    return {};
  }
}

amp::ByteFormat byteFormat(DType dtype) {
  switch (dtype) {
  case DType::UInt2:
    return amp::ByteFormat::U2;
  case DType::Int2:
    return amp::ByteFormat::I2;
  case DType::UInt4:
    return amp::ByteFormat::U4;
  case DType::Int4:
    return amp::ByteFormat::I4;
  case DType::Float4E2M1:
    return amp::ByteFormat::F4E2M1;
  case DType::Float6E2M3:
    return amp::ByteFormat::F6E2M3;
  case DType::Float6E3M2:
    return amp::ByteFormat::F6E3M2;
  case DType::Float8E8M0:
    return amp::ByteFormat::F8E8M0;
  default:
    return amp::ByteFormat::Byte;
  }
}

unsigned bitWidth(DType dtype) {
  switch (dtype) {
  case DType::UInt2:
  case DType::Int2:
    return 2;
  case DType::UInt4:
  case DType::Int4:
  case DType::Float4E2M1:
    return 4;
  case DType::Float6E2M3:
  case DType::Float6E3M2:
    return 6;
  case DType::UInt16:
  case DType::Int16:
  case DType::Float16:
  case DType::BFloat16:
    return 16;
  case DType::Float:
  case DType::UInt32:
  case DType::Int32:
    return 32;
  case DType::Double:
  case DType::UInt64:
  case DType::Int64:
    return 64;
  default:
    return 8;
  }
}

Type scalarType(MLIRContext *context, DType dtype) {
  return isIndex(dtype) ? Type(IndexType::get(context))
                        : elementType(context, dtype);
}

bool isAddressable(ArrayRef<int64_t> shape, Type element) {
  constexpr int64_t most = int64_t(1) << 47;
  int64_t bytes = std::max(1u, element.getIntOrFloatBitWidth() / 8);
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size) || size == 0)
      continue;
    if (size < 0 || size > most / bytes)
      return false;
    bytes *= size;
  }
  return true;
}

bool isFloat(DType dtype) {
  switch (dtype) {
  case DType::Float:
  case DType::Double:
  case DType::Float16:
  case DType::BFloat16:
  case DType::Float8E4M3FN:
  case DType::Float8E4M3FNUZ:
  case DType::Float8E5M2:
  case DType::Float8E5M2FNUZ:
    return true;
  default:
    return false;
  }
}

bool isUnsigned(DType dtype) {
  return dtype == DType::UInt8 || dtype == DType::UInt16 ||
         dtype == DType::UInt32 || dtype == DType::UInt64 ||
         dtype == DType::UInt4 || dtype == DType::UInt2;
}

bool isInteger(DType dtype) {
  return isUnsigned(dtype) || dtype == DType::Int8 || dtype == DType::Int16 ||
         dtype == DType::Int32 || dtype == DType::Int64 ||
         dtype == DType::Int4 || dtype == DType::Int2;
}

bool isIndex(DType dtype) {
  return dtype == DType::Int32 || dtype == DType::Int64;
}

} // namespace ampc::onnx_import
