//===- Entry.cpp - What a model library exports ---------------------------===//
//
// The only object of the runtime that refers to ampc_model_description, and
// the only one nothing else refers to: link with `-u ampc_entry_v1`, or leave
// it out and give another entry function a table from makeApi.
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
