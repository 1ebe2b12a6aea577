//===- NodeBuilder.h - What the builder of one node works with --*- C++ -*-===//
//
// A builder function reads the inputs and attributes of a node through this
// class, emits ops, and sets the outputs. Helpers that several families share
// are members, each group in a file of its own.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IMPORT_ONNX_NODEBUILDER_H
#define AMPC_IMPORT_ONNX_NODEBUILDER_H

#include "compiler/import/onnx/Importer.h"
#include "compiler/import/onnx/Node.h"
#include "compiler/ir/Amp.h"

namespace ampc::onnx_import {

class NodeBuilder {
public:
  NodeBuilder(Importer &importer, Node &node)
      : importer(importer), node(node), scalars(importer.scalars) {}

  Importer &importer;
  Node &node;
  ScalarBuilder &scalars;

  //===--- Inputs ---------------------------------------------------------===//

  unsigned numInputs() const { return node.inputs.size(); }
  bool has(unsigned i) const { return i < numInputs() && node.inputs[i]; }
  NamedValue &input(unsigned i) { return *node.inputs[i]; }
  DType dtype(unsigned i) { return input(i).dtype; }
  const Dims &dims(unsigned i) { return input(i).dims; }
  int64_t rank(unsigned i) { return input(i).rank(); }
  Tensor tensor(unsigned i);
  /// Input `i` if the node has it.
  std::optional<Tensor> optionalTensor(unsigned i);
  /// All inputs from `first` on, which must be present.
  llvm::SmallVector<Tensor> tensors(unsigned first = 0);

  /// The elements of a tensor of rank <= 1 and static size as scalars; fails
  /// with a message otherwise.
  mlir::FailureOr<llvm::SmallVector<Scalar>> list(unsigned i);
  /// The elements of a constant integer input; fails with a message otherwise.
  mlir::FailureOr<llvm::SmallVector<int64_t>> constantInts(unsigned i);
  /// The one element of a constant numeric input.
  mlir::FailureOr<double> constantNumber(unsigned i);

  /// Whether to compute on lists of scalars: each input is one, or a small
  /// constant, and at least one is a list already.
  bool onScalars();

  //===--- Attributes: of the node, else the schema's default
  //---------------===//

  int64_t intAttr(llvm::StringRef name, int64_t missing = 0) {
    return node.intAttr(name).value_or(missing);
  }
  double floatAttr(llvm::StringRef name, double missing = 0) {
    return node.floatAttr(name).value_or(missing);
  }
  std::string stringAttr(llvm::StringRef name, llvm::StringRef missing = "") {
    return node.stringAttr(name).value_or(missing.str());
  }
  /// The attribute as an axis of a tensor of this rank, counted from the front.
  mlir::FailureOr<int64_t> axisAttr(llvm::StringRef name, int64_t rank,
                                    int64_t missing = 0);
  /// Axes counted from the front; rejects the node where one is out of range or
  /// repeated.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);
  mlir::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank);

  //===--- Outputs and errors ---------------------------------------------===//

  unsigned numOutputs() const { return node.outputNames.size(); }
  /// Whether anyone could read output `i`.
  bool wants(unsigned i) const {
    return i < numOutputs() && !node.outputNames[i].empty();
  }
  /// Both return success, so that a builder can end with them.
  mlir::LogicalResult output(unsigned i, const Tensor &tensor);
  mlir::LogicalResult output(unsigned i, ValueRef value);
  mlir::LogicalResult outputList(unsigned i, DType dtype, int64_t rank,
                                 llvm::SmallVector<Scalar> list);

  /// The node asks for what ampc cannot do. A node that fails before it has set
  /// an output is built from its function body if it has one.
  llvm::LogicalResult fail(const llvm::Twine &message);
  /// The node is wrong, and its function body would be so too.
  llvm::LogicalResult reject(const llvm::Twine &message);

  /// The run ends with `message` unless the condition holds; rejects the node
  /// if it is known not to.
  mlir::LogicalResult require(Scalar condition, const llvm::Twine &message);
  mlir::LogicalResult requireEqual(Scalar lhs, Scalar rhs,
                                   const llvm::Twine &message);
  /// Indexed reads clamp their indices, which takes one element at least: the
  /// run ends if one of the `indexed` sizes is zero though the result, of shape
  /// `dims`, has elements.
  mlir::LogicalResult requireReadable(llvm::ArrayRef<Scalar> indexed,
                                      llvm::ArrayRef<Scalar> dims);

  //===--- Emitting ops ---------------------------------------------------===//

  mlir::OpBuilder &builder() { return importer.builder; }
  mlir::MLIRContext *context() { return importer.builder.getContext(); }
  mlir::Location loc() const { return node.loc; }
  template <typename Op, typename... Args> Op create(Args &&...args) {
    return importer.builder.create<Op>(loc(), std::forward<Args>(args)...);
  }
  mlir::RankedTensorType type(DType dtype, llvm::ArrayRef<Scalar> dims) {
    return importer.forms.type(dtype, dims);
  }
  /// Values of the sizes that are not constant.
  llvm::SmallVector<mlir::Value> dynamic(llvm::ArrayRef<Scalar> dims);

  //===--- Elements.cpp: pointwise
  //------------------------------------------===//

  /// A pointwise op on tensors of one shape; the result has type `dtype`.
  template <typename Op, typename... Args>
  Tensor pointwise(DType dtype, const Tensor &first, Args &&...rest) {
    return {create<Op>(first.value, valueOf(rest)...).getResult(),
            dtype,
            first.dims,
            {}};
  }
  Tensor add(const Tensor &lhs, const Tensor &rhs);
  Tensor sub(const Tensor &lhs, const Tensor &rhs);
  Tensor mul(const Tensor &lhs, const Tensor &rhs);
  /// Floats only.
  Tensor div(const Tensor &lhs, const Tensor &rhs);
  Tensor sqrt(const Tensor &x);
  Tensor maximum(const Tensor &lhs, const Tensor &rhs);
  Tensor minimum(const Tensor &lhs, const Tensor &rhs);
  Tensor select(const Tensor &condition, const Tensor &yes, const Tensor &no);
  Tensor compare(mlir::arith::CmpIPredicate signedPredicate,
                 mlir::arith::CmpFPredicate predicate, const Tensor &lhs,
                 const Tensor &rhs);
  /// As amp.cast; `saturate` matters for 8-bit floats, `rounding` for E8M0.
  Tensor cast(const Tensor &x, DType to, bool saturate = false,
              amp::ScaleRounding rounding = amp::ScaleRounding::Nearest);
  /// A tensor filled with one number.
  Tensor splat(double value, DType dtype, const Dims &dims);
  Tensor splatLike(double value, const Tensor &like) {
    return splat(value, like.dtype, like.dims);
  }
  mlir::Value scalarConstant(double value, DType dtype);
  /// Constant tensors: integers, and floats rounded to `dtype`.
  Tensor constant(llvm::ArrayRef<int64_t> values, DType dtype,
                  llvm::ArrayRef<int64_t> shape);
  Tensor constant(mlir::ElementsAttr elements, DType dtype,
                  llvm::StringRef name);
  Tensor scalarTensor(Scalar scalar, DType dtype);

  //===--- Broadcast.cpp --------------------------------------------------===//

  /// The sizes that operands broadcast to by numpy's rules. Sizes that may
  /// differ are checked at run time.
  mlir::FailureOr<Dims> broadcastDims(llvm::ArrayRef<Dims> operands);
  /// `x` repeated to `dims`, which broadcastDims made from its sizes.
  Tensor broadcast(const Tensor &x, const Dims &dims);
  /// Broadcasts all to a common shape.
  mlir::LogicalResult broadcastAll(llvm::MutableArrayRef<Tensor> tensors);

  //===--- Movement.cpp ---------------------------------------------------===//

  /// Element counts must agree.
  Tensor reshape(const Tensor &x, const Dims &dims);
  Tensor transpose(const Tensor &x, llvm::ArrayRef<int64_t> permutation);
  Tensor slice(const Tensor &x, llvm::ArrayRef<Scalar> starts,
               llvm::ArrayRef<Scalar> steps, const Dims &dims);
  /// Elements [start, start + size) of one dimension.
  Tensor sliceAxis(const Tensor &x, int64_t axis, Scalar start, Scalar size);
  Tensor concat(llvm::ArrayRef<Tensor> parts, int64_t axis);
  /// Pads by a constant.
  Tensor pad(const Tensor &x, double value, llvm::ArrayRef<Scalar> low,
             llvm::ArrayRef<Scalar> high);
  Tensor padWith(const Tensor &x, mlir::Value value, llvm::ArrayRef<Scalar> low,
                 llvm::ArrayRef<Scalar> high, amp::PadMode mode);
  /// A reshape that inserts dimensions of size one at `axes` of the result.
  Tensor unsqueeze(const Tensor &x, llvm::ArrayRef<int64_t> axes);
  Tensor iota(DType dtype, int64_t dimension, const Dims &dims);
  Tensor gather(const Tensor &x, const Tensor &indices, int64_t axis);

  //===--- Reduction.cpp --------------------------------------------------===//

  Tensor reduce(amp::ReduceKind kind, const Tensor &x,
                llvm::ArrayRef<int64_t> axes, bool keepDims);
  Tensor divideByCount(const Tensor &sum, Scalar count);
  /// Sum divided by the element count.
  Tensor mean(const Tensor &x, llvm::ArrayRef<int64_t> axes, bool keepDims);

private:
  static mlir::Value valueOf(const Tensor &tensor) { return tensor.value; }
};

/// Describes sizes in messages, e.g. "[2, ?, 3]".
std::string toString(llvm::ArrayRef<Scalar> dims);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_NODEBUILDER_H
