//===- Select.h - Elements whose number only the run knows ------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_SELECT_H
#define AMPC_IMPORT_ONNX_OPS_SELECT_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// The positions at which `mask`, a list of booleans, is true: int64, in order.
/// Counting comes first, as it gives the size of the result.
Tensor positionsOfTrue(NodeBuilder &b, const Tensor &mask);

/// The sum of the elements before and at each position of a list.
Tensor runningSum(NodeBuilder &b, const Tensor &list);

/// A list of `size` elements int64, zero but for those at `positions`, which
/// are `values`, or with `add` their sum.
Tensor scatterList(NodeBuilder &b, Scalar size, const Tensor &positions,
                   const Tensor &values, bool add = false);

/// `x` as a list of all its elements.
Tensor flatten(NodeBuilder &b, const Tensor &x);

/// A number in every element, int64.
Tensor filled(NodeBuilder &b, Scalar number, const Dims &dims);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_SELECT_H
