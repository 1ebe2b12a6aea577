//===- OpTable.h - Which function builds which op ---------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPTABLE_H
#define AMPC_IMPORT_ONNX_OPTABLE_H

#include "compiler/import/onnx/Schema.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace ampc::onnx_import {

class NodeBuilder;

/// Emits the ops for one node and sets its outputs. Fails after
/// NodeBuilder::fail, and then the op's function body is used if it has one.
using BuildFn = mlir::LogicalResult (*)(NodeBuilder &);

class OpTable {
public:
  /// The first call makes libonnx know the schemas of ops outside the standard.
  static const OpTable &get();

  /// `build` handles the versions of `op` that were introduced in the opsets
  /// `first` to `last`. A version that is not listed is not supported: its
  /// meaning may differ.
  void add(llvm::StringRef op, int first, int last, BuildFn build,
           llvm::StringRef domain = "");

  /// An op that the standard does not have, defined by its schema and by
  /// `build`, or by the schema's function body if that is null.
  void add(const Schema &schema, BuildFn build = nullptr);

  /// The function for the version introduced in opset `since`, or null.
  BuildFn find(llvm::StringRef domain, llvm::StringRef op, int since) const;

private:
  OpTable();

  struct Entry {
    int first, last;
    BuildFn build;
  };
  llvm::StringMap<llvm::SmallVector<Entry, 2>> entries;
};

// One a family; each in the file of that name.
void registerActivationOps(OpTable &table);
void registerBatchNormOps(OpTable &table);
void registerCastOps(OpTable &table);
void registerComparisonOps(OpTable &table);
void registerConstantOps(OpTable &table);
void registerControlOps(OpTable &table);
void registerConvOps(OpTable &table);
void registerDeformConvOps(OpTable &table);
void registerDeterminantOps(OpTable &table);
void registerEinsumOps(OpTable &table);
void registerFusedAttentionOps(OpTable &table);
void registerFusedNormOps(OpTable &table);
void registerFusedProductsOps(OpTable &table);
void registerGatherOps(OpTable &table);
void registerGridSampleOps(OpTable &table);
void registerGruOps(OpTable &table);
void registerLoopOps(OpTable &table);
void registerLstmOps(OpTable &table);
void registerMathOps(OpTable &table);
void registerMatmulOps(OpTable &table);
void registerMicrosoftFusedOps(OpTable &table);
void registerMicrosoftQuantizedOps(OpTable &table);
void registerMicrosoftQuantizedProductOps(OpTable &table);
void registerMovementOps(OpTable &table);
void registerNonMaxSuppressionOps(OpTable &table);
void registerNormOps(OpTable &table);
void registerPadOps(OpTable &table);
void registerPointwiseOps(OpTable &table);
void registerPoolOps(OpTable &table);
void registerRandomOps(OpTable &table);
void registerQuantizeOps(OpTable &table);
void registerQuantizedProductOps(OpTable &table);
void registerRangeOps(OpTable &table);
void registerReduceOps(OpTable &table);
void registerRegionOps(OpTable &table);
void registerResizeOps(OpTable &table);
void registerRnnOps(OpTable &table);
void registerRotaryEmbeddingOps(OpTable &table);
void registerScanOps(OpTable &table);
void registerScatterOps(OpTable &table);
void registerSelectOps(OpTable &table);
void registerSequenceOps(OpTable &table);
void registerShapeOps(OpTable &table);
void registerSignalOps(OpTable &table);
void registerSliceOps(OpTable &table);
void registerSoftmaxOps(OpTable &table);
void registerSqueezeOps(OpTable &table);
void registerTabularOps(OpTable &table);
void registerTfIdfOps(OpTable &table);
void registerUniqueOps(OpTable &table);
void registerUnpoolOps(OpTable &table);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPTABLE_H
