//===- Message.h - The text of a failure -------------------------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_MESSAGE_H
#define AMPC_RUNTIME_MESSAGE_H

#include "ampc.h"

#include <stddef.h>

namespace ampc::rt {

/// A fixed buffer: reporting a failure must not itself allocate. Long texts
/// are cut.
struct Message {
  static constexpr size_t size = 512;
  ampc_status status;
  char text[size];

  void clear() {
    status = AMPC_OK;
    text[0] = 0;
  }

  /// Sets status and text and returns the status, so that failing is one
  /// statement.
  __attribute__((format(printf, 3, 4))) ampc_status fail(ampc_status reason,
                                                         const char *format,
                                                         ...);
};

/// Gives `message` to a caller's buffer of `size` bytes (may be null).
void copyMessage(const Message &message, char *buffer, size_t size);

const char *statusName(ampc_status status);

} // namespace ampc::rt

#endif // AMPC_RUNTIME_MESSAGE_H
