//===- MicrosoftFused.cpp - What onnxruntime's optimizer writes -----------===//
//
// Float ops of the domain com.microsoft, as onnxruntime's ContribOperators.md
// documents them.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/OpTable.h"

namespace ampc::onnx_import {

void registerMicrosoftFusedOps(OpTable &t) {
  static constexpr const char *floats = "T = float float16 double bfloat16";
  t.add({"BiasGelu", "A:T B:T", "C:T", floats, {}, R"({
           sum = Add(A, B)
           C = Gelu(sum)
         })"});
}

} // namespace ampc::onnx_import
