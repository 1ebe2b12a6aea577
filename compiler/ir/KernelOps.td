//===- KernelOps.td - Kernels and the memory they run in -*- tablegen -*-===//

include "AmpBase.td"

def Amp_KernelOp : Amp_Op<"kernel", [
    IsolatedFromAbove, AttrSizedOperandSegments, SingleBlock, ReifyShapes,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a group of ops computed together, between loads and stores";
  let description = [{
    The body says, on tensors and with value semantics, what is computed from `ins`; its
    results are stored to `outs`. Nothing inside touches memory, and nothing rounds that
    the body does not say. Block arguments are `ins`, as tensors even after bufferization
    has made the operands buffers (then there are no results). Scalars pass as they are. The
    body has at most one op with `KernelRootOpInterface`; all others are elemental.

    ```mlir
    %r = amp.kernel ins(%a = %x, %b = %y : tensor<?x8xf32>, tensor<?x8xf32>)
                    outs(%init : tensor<?x8xf32>) {
      %s = arith.addf %a, %b : tensor<?x8xf32>
      %t = math.exp %s : tensor<?x8xf32>
      amp.yield %t : tensor<?x8xf32>
    } : tensor<?x8xf32>
    ```

    `schedule`, which only bufferized kernels have, says how the root's emitter is to cut
    its loops; without it the emitter decides.
  }];
  let arguments = (ins Variadic<AnyType>:$ins, Variadic<Amp_TensorOrBuffer>:$outs,
                       OptionalAttr<Amp_ScheduleAttr>:$schedule);
  let results = (outs Variadic<Amp_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$ins,
                   "::mlir::ValueRange":$outs), [{
      build($_builder, $_state, results, ins, outs, ::amp::ScheduleAttr());
    }]>
  ];
  let extraClassDeclaration = [{
    /// The op that dictates the loops, or null in a pointwise kernel.
    ::mlir::Operation *getRoot();
    ::amp::YieldOp getYield();
    /// Whether operands are buffers.
    bool isBufferized();
  }];
}

def Amp_YieldOp : Amp_Op<"yield", [Pure, ReturnLike, Terminator,
                                   HasParent<"KernelOp">]> {
  let summary = "what a kernel stores";
  let description = [{
    One tensor for each of the kernel's `outs`; see `amp.kernel`.
  }];
  let arguments = (ins Variadic<Amp_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Amp_LaunchOp : Amp_Op<"launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel function over a range, in parallel";
  let description = [{
    Calls `@callee(operands..., lo, hi)` for disjoint chunks [lo, hi) of at least `grain` that
    cover [0, count).

    ```mlir
    amp.launch @kernel_3(%x, %y) range %n grain 16 : memref<?x8xf32>, memref<?x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$arguments,
                       Index:$count, I64Attr:$grain);
  let assemblyFormat = [{
    $callee `(` $arguments `)` `range` $count `grain` $grain attr-dict (`:` type($arguments)^)?
  }];
}

def Amp_ArenaOp : Amp_Op<"arena"> {
  let summary = "memory for buffers with known live ranges";
  let description = [{
    `sizes` are bytes; buffer `i` is live from `first[i]` to `last[i]`, positions in program order.
    The offsets of buffers whose ranges overlap do not. Laid out by the run time, once for each new
    set of sizes. A run that cannot get the memory ends with a status.

    ```mlir
    %base, %o:2 = amp.arena 0 sizes(%s0, %s1) first [0, 1] last [1, 3] : memref<?xi8>, index, index
    ```
  }];
  let arguments = (ins I32Attr:$id, Variadic<Index>:$sizes, DenseI32ArrayAttr:$first,
                       DenseI32ArrayAttr:$last);
  let results = (outs MemRefRankOf<[I8], [1]>:$base, Variadic<Index>:$offsets);
  let assemblyFormat = [{
    $id `sizes` `(` $sizes `)` `first` $first `last` $last attr-dict
    `:` type($base) (`,` type($offsets)^)?
  }];
  let hasVerifier = 1;
}

def Amp_SideAllocOp : Amp_Op<"side_alloc", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "memory for a buffer whose size is not known at entry";
  let description = [{
    Lives until the run ends.

    ```mlir
    %b = amp.side_alloc(%n) : memref<?x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Index>:$dims);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "`(` $dims `)` attr-dict `:` type($result)";
}

def Amp_OutputOp : Amp_Op<"output", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "the buffer of a model output";
  let description = [{
    The caller's buffer, or one of the context's; `dims` are all sizes of the output as the
    signature declares it, while the memref may be another view of the same elements.

    ```mlir
    %o = amp.output 0 [%n, %c] (%nc) : memref<?xf32>
    ```
  }];
  let arguments = (ins I32Attr:$index, Variadic<Index>:$dims, Variadic<Index>:$view_dims);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat =
      "$index `[` $dims `]` `(` $view_dims `)` attr-dict `:` type($result)";
}
