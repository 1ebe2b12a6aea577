//===- DType.h - Element types at the C interface ----------------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_DTYPE_H
#define AMPC_RUNTIME_DTYPE_H

#include "ampc.h"

namespace ampc::rt {

/// What is known of `dtype`, or null if no tensor at the interface has it.
const ampc_dtype_info *dtypeInfo(int32_t dtype);

/// Whether a tensor described as `dl` may be passed for `dtype`.
bool acceptsDLType(int32_t dtype, DLDataType dl);

/// Writes a name such as "float32" or "bfloat16" for messages.
void describeDLType(DLDataType dl, char *buffer, size_t size);

} // namespace ampc::rt

#endif // AMPC_RUNTIME_DTYPE_H
