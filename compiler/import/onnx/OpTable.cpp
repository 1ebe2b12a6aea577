//===- OpTable.cpp - Which function builds which op -----------------------===//

#include "compiler/import/onnx/OpTable.h"

using namespace llvm;

namespace ampc::onnx_import {

static std::string key(StringRef domain, StringRef op) {
  if (domain.empty() || domain == "ai.onnx")
    return op.str();
  return (domain + "." + op).str();
}

OpTable::OpTable() {
  registerActivationOps(*this);
  registerBatchNormOps(*this);
  registerCastOps(*this);
  registerComparisonOps(*this);
  registerConstantOps(*this);
  registerControlOps(*this);
  registerConvOps(*this);
  registerDeformConvOps(*this);
  registerDeterminantOps(*this);
  registerEinsumOps(*this);
  registerFusedAttentionOps(*this);
  registerFusedNormOps(*this);
  registerFusedProductsOps(*this);
  registerGatherOps(*this);
  registerGridSampleOps(*this);
  registerGruOps(*this);
  registerLoopOps(*this);
  registerLstmOps(*this);
  registerMathOps(*this);
  registerMatmulOps(*this);
  registerMicrosoftFusedOps(*this);
  registerMicrosoftQuantizedOps(*this);
  registerMicrosoftQuantizedProductOps(*this);
  registerMovementOps(*this);
  registerNonMaxSuppressionOps(*this);
  registerNormOps(*this);
  registerPadOps(*this);
  registerPointwiseOps(*this);
  registerPoolOps(*this);
  registerRandomOps(*this);
  registerQuantizeOps(*this);
  registerQuantizedProductOps(*this);
  registerRangeOps(*this);
  registerReduceOps(*this);
  registerRegionOps(*this);
  registerResizeOps(*this);
  registerRnnOps(*this);
  registerRotaryEmbeddingOps(*this);
  registerScanOps(*this);
  registerScatterOps(*this);
  registerSelectOps(*this);
  registerSequenceOps(*this);
  registerShapeOps(*this);
  registerSignalOps(*this);
  registerSliceOps(*this);
  registerSoftmaxOps(*this);
  registerSqueezeOps(*this);
  registerTabularOps(*this);
  registerTfIdfOps(*this);
  registerUniqueOps(*this);
  registerUnpoolOps(*this);
}

const OpTable &OpTable::get() {
  static const OpTable table;
  return table;
}

void OpTable::add(StringRef op, int first, int last, BuildFn build,
                  StringRef domain) {
  entries[key(domain, op)].push_back({first, last, build});
}

void OpTable::add(const Schema &schema, BuildFn build) {
  registerSchema(schema);
  if (build)
    add(schema.name, 1, 1, build, schema.domain);
}

BuildFn OpTable::find(StringRef domain, StringRef op, int since) const {
  auto it = entries.find(key(domain, op));
  if (it == entries.end())
    return nullptr;
  for (const Entry &entry : it->second)
    if (entry.first <= since && since <= entry.last)
      return entry.build;
  return nullptr;
}

} // namespace ampc::onnx_import
