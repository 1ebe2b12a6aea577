//===- Random.h - Random numbers from a counter -----------------*- C++ -*-===//
//
// Philox4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3,
// SC 2011) of the element's index, keyed by the node's seed. So every run gives
// the same numbers, in whatever order and on however many threads they are
// made. They are made in f32; narrower types round them, so that a seed means
// the same numbers in every type.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IMPORT_ONNX_OPS_RANDOM_H
#define AMPC_IMPORT_ONNX_OPS_RANDOM_H

#include "compiler/import/onnx/Expr.h"

namespace ampc::onnx_import {

class Random {
public:
  /// Numbers in this shape for the node's `seed`; without one, the seed is the
  /// hash of what the node is called.
  Random(NodeBuilder &b, const Dims &dims);

  /// f32 in [0, 1), multiples of 2^-24.
  Expr uniform();
  /// f32 with mean 0 and deviation 1 (Box and Muller, 1958).
  Expr normal();

private:
  /// One of the four words for each element, as int64 in [0, 2^32).
  Expr word(unsigned i);

  NodeBuilder &b;
  const Dims dims;
  uint64_t key;
};

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_RANDOM_H
