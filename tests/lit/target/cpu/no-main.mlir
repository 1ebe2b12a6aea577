// RUN: amp-opt %s -amp-cpu-lower-abi -split-input-file -verify-diagnostics

// expected-error @+1 {{has no function 'main' to compile}}
module {}

// -----

// expected-error @+1 {{still returns values; amp-plan-arena must run before}}
func.func @main(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}
