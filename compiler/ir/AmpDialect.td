//===- AmpDialect.td - The amp dialect -------------------*- tablegen -*-===//

#ifndef AMP_DIALECT
#define AMP_DIALECT

include "mlir/IR/OpBase.td"

def Amp_Dialect : Dialect {
  let name = "amp";
  let cppNamespace = "::amp";
  let summary = "Neural-network ops that have a numerical identity of their own";
  let description = [{
    Pointwise arithmetic is `arith` and `math` on tensors of equal shape, control
    flow is `scf`, and shapes are `index` arithmetic. The amp dialect adds what
    those lack: explicit broadcasts, data movement, contractions, reductions and
    norms that stay whole until precision is chosen, weights that live outside the
    IR, run-time checks, and the kernels that ops are grouped into.

    Conventions shared by all ops:
    - A result dimension that the type leaves dynamic and that does not follow from the
      operands is given by an `index` operand, in order of the dynamic dimensions.
    - Integers are signless. Where signedness matters the op says `unsigned`.
    - Shapes are static where known; `?` dims of operands that must agree are checked by
      `amp.check` in host code, never inside an op.
    - Every op keeps its source as `NameLoc("node name")`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect", "::mlir::func::FuncDialect",
    // Elements of ops are emitted in these (ElementalOpInterface).
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

class Amp_Op<string mnemonic, list<Trait> traits = []>
    : Op<Amp_Dialect, mnemonic, traits>;

#endif // AMP_DIALECT
