//===- AmpInterfaces.td - Op interfaces of amp -----------*- tablegen -*-===//

#ifndef AMP_INTERFACES
#define AMP_INTERFACES

include "mlir/IR/OpBase.td"

def Amp_PrecisionOpInterface : OpInterface<"PrecisionOpInterface"> {
  let cppNamespace = "::amp";
  let description = [{
    What precision assignment needs to know of an op: the formats it may use and
    the work it does. Implemented by every amp op that computes and, by external
    models, by the `arith`, `math` and `tensor` ops that appear on tensors.

    Quantities take a `DimFn`, which gives the size of a dimension of a tensor value,
    or a negative number where it is not known; the quantity is then unknown (negative).
  }];
  let methods = [
    InterfaceMethod<[{
      Formats the op may be given, widest first. Empty: the op computes on integers or
      moves values, and takes the format of what it is given.
    }], "::llvm::SmallVector<::amp::Format>", "getLegalFormats", (ins), "",
      [{ return ::amp::defaultLegalFormats($_op); }]>,
    InterfaceMethod<"Class of rounding error.", "::amp::ErrorClass",
      "getErrorClass", (ins), "", [{ return ::amp::defaultErrorClass($_op); }]>,
    InterfaceMethod<[{
      Floating-point operations (a fused multiply-add counts 2, a comparison or a
      transcendental 1); integer operations count alike.
    }], "double", "getFlops", (ins "::amp::DimFn":$dimOf), "",
      [{ return ::amp::defaultFlops($_op, dimOf); }]>,
    InterfaceMethod<[{
      Bytes read and written if nothing is fused: operands plus results, at their
      current types.
    }], "double", "getBytes", (ins "::amp::DimFn":$dimOf), "",
      [{ return ::amp::defaultBytes($_op, dimOf); }]>,
    InterfaceMethod<"Number of terms summed into one result element.", "double",
      "getReductionLength", (ins "::amp::DimFn":$dimOf), "",
      [{ return 1; }]>
  ];
}

def Amp_ElementalOpInterface : OpInterface<"ElementalOpInterface"> {
  let cppNamespace = "::amp";
  let description = [{
    An op each element of whose results is computed from a few elements of its
    operands: data movement and pointwise ops. (`arith` and `math` ops are elemental
    by their ElementwiseMappable trait.) A kernel evaluates such ops on demand at the
    place where the value is used, so they cost no buffer.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits the element of `result` at `indices` (one `index` value a dimension).
      Operands are read through `access`, at any indices, which must be in bounds.
      With `access.lanes() > 1` the value is a vector of that many elements, consecutive
      in the innermost dimension, starting at `indices`.
    }], "::mlir::Value", "emitElement",
      (ins "::mlir::OpBuilder &":$builder, "::amp::ElementAccess &":$access,
           "unsigned":$result, "::mlir::ArrayRef<::mlir::Value>":$indices)>,
    InterfaceMethod<[{
      Whether consecutive elements of the result's innermost dimension are computed from
      consecutive (or one and the same) elements of every operand, so that lanes > 1
      may be asked for.
    }], "bool", "keepsInnermost", (ins), "", [{ return true; }]>,
    InterfaceMethod<[{
      Whether elements may be asked for with one index over result dimensions `dim` and
      `dim + 1`: that of `dim` is then zero and that of `dim + 1` runs over both. If so,
      `operands` is set to the dimension of each operand that is read likewise (it and
      the next), or -1 where what is read does not depend on the two.
    }], "bool", "mergeDims",
      (ins "int64_t":$dim, "::llvm::SmallVectorImpl<int64_t> &":$operands), "",
      [{ return ::amp::mergeDimsOfSameShape($_op, dim, operands); }]>,
    InterfaceMethod<[{
      Whether an element costs next to nothing beyond the reads, so that consumers may
      each evaluate it again instead of reading a buffer.
    }], "bool", "isCheapToRepeat", (ins), "", [{ return true; }]>
  ];
}

def Amp_PermutableOpInterface : OpInterface<"PermutableOpInterface"> {
  let cppNamespace = "::amp";
  let description = [{
    An op that can work on tensors whose dimensions stand in another order, with the same
    bits as result. (Ops whose operands and results all have one shape can, by their trait.)
    Dimension `i` of a tensor in the order of a permutation is dimension `permutation[i]` of
    the tensor itself. `spreadPermutations` and `clonePermuted` serve ops with and without
    the interface.
  }];
  let methods = [
    InterfaceMethod<[{
      Completes an assignment of permutations to operands and results, of which some are
      given and the others empty. Operands that are taken as they are stay empty. Fails
      where the op cannot work so. By default the results and all operands of their rank
      have one order.
    }], "::llvm::LogicalResult", "spread",
      (ins "::amp::Permutations &":$operands, "::amp::Permutations &":$results), "",
      [{ return ::amp::spreadOnePermutation($_op, operands, results); }]>,
    InterfaceMethod<[{
      Adds the op that works in the orders that `spread` has completed, on `values` in the
      place of its operands, and returns its results.
    }], "::llvm::SmallVector<::mlir::Value>", "createPermuted",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$values,
           "const ::amp::Permutations &":$operands,
           "const ::amp::Permutations &":$results)>,
    InterfaceMethod<[{
      Orders of the results that the op has faster kernels for than for its own; empty if
      it has none.
    }], "::amp::Permutations", "getPreferredOrder", (ins), "", [{ return {}; }]>,
    InterfaceMethod<[{
      An estimate of the nanoseconds that the preferred order saves.
    }], "double", "getOrderGain", (ins "::amp::DimFn":$dimOf), "", [{ return 0; }]>
  ];
}

def Amp_ContractionOpInterface : OpInterface<"ContractionOpInterface"> {
  let cppNamespace = "::amp";
  let description = [{
    An op that sums products of operands' elements, in formats that it can be told.
  }];
  let methods = [
    InterfaceMethod<"Operands whose elements are multiplied.",
      "::llvm::SmallVector<unsigned>", "getFactors", (ins), "",
      [{ return {0, 1}; }]>,
    InterfaceMethod<"How products are formed and summed; may be null.",
      "::amp::AlgorithmAttr", "getAlgorithmAttr">,
    InterfaceMethod<"Says how products are to be formed and summed.",
      "void", "setAlgorithmAttr", (ins "::amp::AlgorithmAttr":$algorithm)>
  ];
}

def Amp_KernelRootOpInterface : OpInterface<"KernelRootOpInterface"> {
  let cppNamespace = "::amp";
  let description = [{
    An op that dictates the loops of the kernel it stands in; a kernel has at most
    one. Back ends attach an emitter to each (see compiler/target/cpu/KernelEmitter.h).
  }];
  let methods = [
    InterfaceMethod<[{
      Whether pointwise ops on its (only) result may be computed in registers before
      the result is stored.
    }], "bool", "allowsEpilogue", (ins), "", [{ return $_op->getNumResults() == 1; }]>,
    InterfaceMethod<[{
      Whether operand `index` may be an elemental expression, evaluated whenever an
      element is needed. False for operands read many times per element.
    }], "bool", "allowsPrologue", (ins "unsigned":$index), "", [{ return false; }]>,
    InterfaceMethod<[{
      Whether operand `index` may be a transpose in the kernel, which the op undoes by
      reading with other strides. For operands that it reads element by element anyway.
    }], "bool", "readsTransposed", (ins "unsigned":$index), "", [{ return false; }]>
  ];
}

#endif // AMP_INTERFACES
