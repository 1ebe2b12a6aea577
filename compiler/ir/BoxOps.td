//===- BoxOps.td - Ops of object detection ---------------*- tablegen -*-===//

include "AmpBase.td"

def Amp_SuppressBoxesOp : Amp_RootOp<"suppress_boxes", ["getFlops"],
    [DeclareOpInterfaceMethods<Amp_KernelRootOpInterface, ["allowsEpilogue"]>]> {
  let summary = "marks the boxes that non-maximum suppression keeps";
  let description = [{
    For each batch `b` and class `c`, box `order[b, c, k]` is kept, for ascending `k`, if its score is above
    `score_threshold`, fewer than `limit` are kept so far, and its intersection over union with
    none of those is above `overlap_threshold` (ONNX NonMaxSuppression). Boxes are two opposite corners
    `y, x, y, x`, or with `centered` `x, y` of the center, width and height. Arithmetic is f32. What is
    out of bounds in `order` is clamped.

    ```mlir
    %keep = amp.suppress_boxes %boxes, %scores, %order limit %n overlap %o score %s
       : tensor<2x?x4xf32>, tensor<2x8x?xf32>, tensor<2x8x?xi64> to tensor<2x8x?xi1>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$boxes, Amp_FloatTensor:$scores,
                       RankedTensorOf<[AnySignlessInteger]>:$order, Index:$limit,
                       F32:$overlap_threshold, F32:$score_threshold, UnitAttr:$centered);
  let results = (outs RankedTensorOf<[I1]>:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $boxes `,` $scores `,` $order `limit` $limit `overlap` $overlap_threshold
    `score` $score_threshold attr-dict
    `:` type($boxes) `,` type($scores) `,` type($order) `to` type($result)
  }];
}
