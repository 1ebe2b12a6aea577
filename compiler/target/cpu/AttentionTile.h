//===- AttentionTile.h - Attention of a few queries -------------*- C++ -*-===//
//
// Lanes are queries: a vector holds the scores of one key, or one element of
// the results. Largest scores, sums and scales then are vectors too, nothing is
// combined across lanes, and keys and values are read where they lie, element
// by element. Only queries are turned, once a tile, and results at its end.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_TARGET_CPU_ATTENTIONTILE_H
#define AMPC_TARGET_CPU_ATTENTIONTILE_H

#include "compiler/target/cpu/IndexBuilder.h"
#include "compiler/target/cpu/KernelEmitter.h"

namespace ampc::cpu {

/// Keys between which sums are scaled. Part of what amp.attention computes.
inline constexpr int64_t kKeyBlock = 64;

/// Matrices of an operand: where rows and their elements lie.
struct AttentionMatrix {
  mlir::Value buffer; ///< One-dimensional; null: there is none.
  mlir::OpFoldResult rowStride, elementStride;
};

/// The sizes and operands of an attention.
struct Attention {
  using Index = mlir::OpFoldResult;

  int64_t d, e; ///< Sizes of keys and values.
  Index queryCount, keyCount;
  AttentionMatrix query, key, value, mask;
  bool oneMaskRow = false; ///< One for all queries.
  double scale = 1;
  bool causal = false;
};

/// Memory that tiles use one after the other.
struct AttentionScratch {
  mlir::Value queries; ///< d rows of a tile's queries.
  mlir::Value scores;  ///< kKeyBlock rows.
  mlir::Value mask;    ///< kKeyBlock rows, if each query has its own; or null.
  mlir::Value results; ///< e rows.

  AttentionScratch(const Attention &attention, int64_t queries,
                   mlir::OpBuilder &b, mlir::Location loc);
};

/// The offsets of a head in its operands.
struct AttentionOffsets {
  mlir::OpFoldResult query, key, value, mask;
};

/// Vectors of queries in a tile at most.
inline constexpr int64_t kMostQueryVectors = 3;

/// Computes the results of `vectors` vectors of queries from `firstQuery` on:
/// element by element rows of `scratch.results`, as wide as the tile. Lanes
/// without a query repeat the last.
void emitAttentionTile(mlir::OpBuilder &b, mlir::Location loc,
                       const Attention &attention,
                       const AttentionScratch &scratch,
                       const AttentionOffsets &offsets, mlir::Value firstQuery,
                       int64_t vectors, const CpuTarget &target);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_ATTENTIONTILE_H
