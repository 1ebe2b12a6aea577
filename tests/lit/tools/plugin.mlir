// The distribution's mlir-opt loads the dialect and runs a pipeline of passes.

// RUN: mlir-opt --load-dialect-plugin=%ampc_lib/AmpPlugin.so \
// RUN:   --load-pass-plugin=%ampc_lib/AmpPlugin.so \
// RUN:   --pass-pipeline='builtin.module(func.func(amp-form-kernels),amp-bufferize,func.func(amp-plan-arena),amp-cpu-emit-kernels)' %s \
// RUN:   | FileCheck %s

// CHECK:       func.func @main
// CHECK:         %[[Y:.*]] = amp.output 0
// CHECK:         amp.launch @{{[a-z_]+}}_0(%{{.*}}, %[[Y]])
// CHECK:       func.func private @{{[a-z_]+}}_0
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
