//===- Recurrent.h - What LSTM, GRU and RNN share ---------------*- C++ -*-===//
//
// A layer projects all of its input by one product before its loop; an
// iteration multiplies the hidden state and combines gates. Layouts,
// directions, lengths of sequences and activations are the same for all; a
// family says what one step of its cell is.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IMPORT_ONNX_OPS_RECURRENT_H
#define AMPC_IMPORT_ONNX_OPS_RECURRENT_H

#include "compiler/import/onnx/NodeBuilder.h"

#include <numeric>

namespace ampc::onnx_import {

/// A function of the ONNX op of that name, with its parameters.
struct Activation {
  std::string name;
  double alpha, beta;

  /// Of `x` clipped to [-clip, clip] if `clip` is not zero.
  Tensor apply(NodeBuilder &b, Tensor x, double clip) const;
};

/// One direction's weights, ready for products from the right. H is the hidden
/// size, G the number of gates.
struct Direction {
  bool reverse;
  Tensor input; ///< [I, G H]
  /// [H, gates H] for each product of a step.
  llvm::SmallVector<Tensor> recurrent;
  std::optional<Tensor> inputBias, recurrentBias; ///< [G H]
  std::optional<Tensor> peephole;                 ///< [3 H]
  llvm::SmallVector<Activation> activations;
};

/// What one step works with.
struct Step {
  NodeBuilder &b;
  const Direction &direction;
  Tensor projected;              ///< [B, G H], with its bias.
  llvm::ArrayRef<Tensor> states; ///< [B, H] each, the hidden state first.
  double clip;

  Scalar hidden() const { return states[0].dims[1]; }
  /// Part `i` of something made of parts of H along its last dimension.
  Tensor part(const Tensor &x, int64_t i, int64_t count = 1) const;
  /// x times the recurrent weights of product `i`, on top of `bias`.
  Tensor product(const Tensor &x, unsigned i, const Tensor &bias) const;
  Tensor activate(unsigned function, const Tensor &x) const {
    return direction.activations[function].apply(b, x, clip);
  }
  /// 1 - x
  Tensor complement(const Tensor &x) const {
    return b.sub(b.splatLike(1, x), x);
  }
};

struct Cell {
  /// How many gates each product of a step gives.
  llvm::SmallVector<unsigned> products;
  unsigned states;
  /// Of the activations, by name.
  llvm::SmallVector<llvm::StringRef> defaults;
  /// The first gate whose recurrent bias the step adds itself.
  unsigned ownBias;
  llvm::function_ref<llvm::SmallVector<Tensor>(const Step &)> step;

  unsigned gates() const {
    return std::accumulate(products.begin(), products.end(), 0u);
  }
};

mlir::LogicalResult buildRecurrent(NodeBuilder &b, const Cell &cell);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_RECURRENT_H
