//===- Symbols.h - Named dimensions of one run -------------------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_SYMBOLS_H
#define AMPC_RUNTIME_SYMBOLS_H

#include "Message.h"
#include "abi.h"

namespace ampc::rt {

/// Remembers the size each symbol got first, and where. Names are compared
/// when a context is made, not in runs.
struct Symbols {
  /// Finds the distinct names among the inputs of `desc`. False: no memory.
  bool create(const ampc_model_desc &desc);
  void release();

  void forget(); ///< At the begin of a run.

  /// Dimension `dim` of input `input` is `size`: records or compares it.
  ampc_status bind(const ampc_model_desc &desc, uint32_t input, int32_t dim,
                   int64_t size, Message &message);

private:
  struct Binding {
    int64_t size; ///< -1: none yet.
    uint32_t input;
    int32_t dim;
  };
  int32_t count;
  Binding *bindings;
  int32_t **ids; ///< ids[input][dim], -1 where there is no symbol.
  uint32_t numInputs;
};

} // namespace ampc::rt

#endif // AMPC_RUNTIME_SYMBOLS_H
