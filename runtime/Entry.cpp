//===- Entry.cpp - What a model library exports ---------------------------===//
//
// The only object of the runtime that refers to ampc_model_description, and
// the only one nothing else refers to: link with `-u ampc_entry_v1`.
//
// Several models in one program, as objects: each is one relocatable object of
// generated code and runtime (`ld -r`), whose hidden symbols are then made
// local and whose entry gets a name of its own (`objcopy --localize-hidden
// --redefine-sym ampc_entry_v1=NAME_entry_v1`). What stays global is that
// entry, and ampc_pool_v1, of which the linker keeps one. The runtime has no
// other inline function or variable that the compiler leaves in a COMDAT group
// when it optimizes; such a group would lose its local symbols.
//
//===----------------------------------------------------------------------===//

#include "Api.h"

extern "C" {

__attribute__((visibility("default"))) const ampc_api_v1 *ampc_entry_v1(void) {
  static constexpr ampc_api_v1 table =
      ampc::rt::makeApi(&ampc_model_description);
  return &table;
}

} // extern "C"
