//===- SanitizerOptions.cpp - For builds with sanitizers ------------------===//
//
// Some tests ask for impossible memory on purpose, and expect null.
//
//===----------------------------------------------------------------------===//

extern "C" {
const char *__asan_default_options();
const char *__tsan_default_options();

const char *__asan_default_options() { return "allocator_may_return_null=1"; }
const char *__tsan_default_options() {
  return "allocator_may_return_null=1:die_after_fork=0";
}
}
