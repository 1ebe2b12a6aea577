//===- AmpOps.td - All ops of the amp dialect ------------*- tablegen -*-===//

#ifndef AMP_OPS
#define AMP_OPS

include "HostOps.td"
include "PointwiseOps.td"
include "MovementOps.td"
include "ContractionOps.td"
include "ReductionOps.td"
include "BoxOps.td"
include "KernelOps.td"

#endif // AMP_OPS
