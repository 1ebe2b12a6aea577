//===- HostOps.td - Weights, views, checks, places -------*- tablegen -*-===//

include "AmpBase.td"

def Amp_WeightDataOp : Amp_Op<"weight_data", [Symbol]> {
  let summary = "bytes of a constant too large for the IR";
  let description = [{
    Names a constant of over 1 KiB. The bytes are a resource that usually lies in the
    mapped source file; they never travel through LLVM IR. Identical weights are one.

    ```mlir
    amp.weight_data @conv1.w = dense_resource<conv1.w> : tensor<64x3x7x7xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ElementsAttr:$value);
  let assemblyFormat = "$sym_name `=` $value attr-dict";
  let hasVerifier = 1;
}

def Amp_WeightOp : Amp_Op<"weight", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a weight as a value";
  let description = [{
    The constant named by an `amp.weight_data` of the module. After bufferization the
    result is a read-only memref into the model's weights.

    ```mlir
    %w = amp.weight @conv1.w : tensor<64x3x7x7xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$data);
  let results = (outs Amp_TensorOrBuffer:$result);
  let assemblyFormat = "$data attr-dict `:` type($result)";
}

def Amp_ReshapeOp : Amp_MoveOp<"reshape", [Permutable]> {
  let summary = "the same elements, in row-major order, under another shape";
  let description = [{
    Never copies a contiguous operand: it is a view in host code and no kernel
    contains it. The element counts must agree; where types do not prove it, the importer
    places an `amp.check`.

    ```mlir
    %r = amp.reshape %x to [%d0] : tensor<?x4x8xf32> to tensor<?x32xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$source, Variadic<Index>:$dims);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat =
      "$source `to` ` ` `[` $dims `]` attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Amp_CheckOp : Amp_Op<"check"> {
  let summary = "a condition that ends the run with a status when false";
  let description = [{
    Stands in host code before the kernels that rely on it. The run returns
    `status` (an `ampc_status` of the C ABI) and the message.

    ```mlir
    amp.check %same, 5, "node 'Add_3': dimensions 1 of its inputs differ"
    ```
  }];
  let arguments = (ins I1:$condition, I32Attr:$status, StrAttr:$message);
  let assemblyFormat = "$condition `,` $status `,` $message attr-dict";
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// AMPC_WRONG_SHAPE of runtime/ampc.h.
    static constexpr int32_t kShapeMismatch = 5;
  }];
}

class Amp_PlaceOp<string mnemonic> : Amp_MoveOp<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins Amp_Tensor:$source);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasFolder = 1;
}

def Amp_ToHostOp : Amp_PlaceOp<"to_host"> {
  let summary = "the value in memory that host code can read";
  let description = [{
    On targets where kernels run in host memory it is the identity.

    ```mlir
    %h = amp.to_host %x : tensor<4xi64>
    ```
  }];
}

def Amp_ToDeviceOp : Amp_PlaceOp<"to_device"> {
  let summary = "the value in memory that kernels can read";
  let description = [{
    The inverse of `amp.to_host`.

    ```mlir
    %d = amp.to_device %x : tensor<4xi64>
    ```
  }];
}
