//===- DType.cpp - Element types at the C interface -----------------------===//

#include "DType.h"

#include <stdio.h>

using namespace ampc::rt;

namespace {

/// DLPack's boolean, which version 0.6 does not name yet.
constexpr uint8_t codeBool = 6;

/// Indexed by ONNX's number. A zero size marks what never crosses.
const ampc_dtype_info table[] = {
    {"undefined", {0, 0, 0}, 0, 0},
    {"float", {kDLFloat, 32, 1}, 4, 4},
    {"uint8", {kDLUInt, 8, 1}, 1, 1},
    {"int8", {kDLInt, 8, 1}, 1, 1},
    {"uint16", {kDLUInt, 16, 1}, 2, 2},
    {"int16", {kDLInt, 16, 1}, 2, 2},
    {"int32", {kDLInt, 32, 1}, 4, 4},
    {"int64", {kDLInt, 64, 1}, 8, 8},
    {"string", {0, 0, 0}, 0, 0},
    {"bool", {kDLUInt, 8, 1}, 1, 1},
    {"float16", {kDLFloat, 16, 1}, 2, 2},
    {"double", {kDLFloat, 64, 1}, 8, 8},
    {"uint32", {kDLUInt, 32, 1}, 4, 4},
    {"uint64", {kDLUInt, 64, 1}, 8, 8},
    {"complex64", {kDLComplex, 64, 1}, 8, 4},
    {"complex128", {kDLComplex, 128, 1}, 16, 8},
    {"bfloat16", {kDLBfloat, 16, 1}, 2, 2},
    {"float8e4m3fn", {kDLUInt, 8, 1}, 1, 1},
    {"float8e4m3fnuz", {kDLUInt, 8, 1}, 1, 1},
    {"float8e5m2", {kDLUInt, 8, 1}, 1, 1},
    {"float8e5m2fnuz", {kDLUInt, 8, 1}, 1, 1},
    {"uint4", {kDLUInt, 8, 1}, 1, 1},
    {"int4", {kDLUInt, 8, 1}, 1, 1},
    {"float4e2m1", {kDLUInt, 8, 1}, 1, 1},
    {"float8e8m0", {kDLUInt, 8, 1}, 1, 1},
    {"uint2", {kDLUInt, 8, 1}, 1, 1},
    {"int2", {kDLUInt, 8, 1}, 1, 1},
    {"float6e2m3", {kDLUInt, 8, 1}, 1, 1},
    {"float6e3m2", {kDLUInt, 8, 1}, 1, 1},
};

} // namespace

const ampc_dtype_info *ampc::rt::dtypeInfo(int32_t dtype) {
  if (dtype < 0 || dtype >= int32_t(sizeof(table) / sizeof(table[0])) ||
      table[dtype].size == 0)
    return nullptr;
  return &table[dtype];
}

bool ampc::rt::acceptsDLType(int32_t dtype, DLDataType dl) {
  const ampc_dtype_info *info = dtypeInfo(dtype);
  if (!info || dl.lanes != 1 || dl.bits != info->dl.bits)
    return false;
  if (dl.code == info->dl.code)
    return true;
  if (dtype == AMPC_BOOL)
    return dl.code == codeBool;
  return (dtype == AMPC_INT4 || dtype == AMPC_INT2) && dl.code == kDLInt;
}

void ampc::rt::describeDLType(DLDataType dl, char *buffer, size_t size) {
  const char *kind = nullptr;
  switch (dl.code) {
  case kDLInt:
    kind = "int";
    break;
  case kDLUInt:
    kind = "uint";
    break;
  case kDLFloat:
    kind = "float";
    break;
  case kDLBfloat:
    kind = "bfloat";
    break;
  case kDLComplex:
    kind = "complex";
    break;
  case codeBool:
    kind = "bool";
    break;
  }
  int used = kind ? snprintf(buffer, size, "%s%d", kind, dl.bits)
                  : snprintf(buffer, size, "type code %d with %d bits", dl.code,
                             dl.bits);
  if (dl.lanes != 1 && used > 0 && size_t(used) < size)
    snprintf(buffer + used, size - used, " x %d lanes", dl.lanes);
}
