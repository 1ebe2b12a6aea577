//===- AmpBase.td - Shared bases of op definitions -------*- tablegen -*-===//

#ifndef AMP_BASE
#define AMP_BASE

include "AmpAttrs.td"
include "AmpInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

/// The result's dynamic dims can be computed from the operands.
def ReifyShapes : DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface>;
def Elemental : DeclareOpInterfaceMethods<Amp_ElementalOpInterface>;
def ElementalAnyOrder
    : DeclareOpInterfaceMethods<Amp_ElementalOpInterface, ["keepsInnermost"]>;
def ElementalMergeable
    : DeclareOpInterfaceMethods<Amp_ElementalOpInterface,
                                ["keepsInnermost", "mergeDims"]>;
def Permutable : DeclareOpInterfaceMethods<Amp_PermutableOpInterface, ["spread"]>;
def PermutableTogether : DeclareOpInterfaceMethods<Amp_PermutableOpInterface>;
def PermutableWithGain
    : DeclareOpInterfaceMethods<Amp_PermutableOpInterface,
                                ["spread", "getPreferredOrder", "getOrderGain"]>;
def Precision : DeclareOpInterfaceMethods<Amp_PrecisionOpInterface>;
class PrecisionWith<list<string> methods>
    : DeclareOpInterfaceMethods<Amp_PrecisionOpInterface, methods>;

/// Moves elements: exact in every format, no arithmetic.
class Amp_MoveOp<string mnemonic, list<Trait> traits = []>
    : Amp_Op<mnemonic, [Pure, ReifyShapes, Precision] # traits>;

/// Gives the kernel its loops.
class Amp_RootOp<string mnemonic, list<string> precision, list<Trait> traits = []>
    : Amp_Op<mnemonic, [Pure, ReifyShapes, PrecisionWith<precision>] # traits>;

def Amp_Tensor : RankedTensorOf<[AnyType]>;
def Amp_FloatTensor : RankedTensorOf<[AnyFloat]>;
def Amp_Scalar : AnyTypeOf<[AnyFloat, AnySignlessInteger, Index]>;
def Amp_TensorOrBuffer : AnyTypeOf<[Amp_Tensor, AnyMemRef]>;

#endif // AMP_BASE
