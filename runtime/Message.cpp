//===- Message.cpp - The text of a failure --------------------------------===//

#include "Message.h"

#include <stdarg.h>
#include <stdio.h>

using namespace ampc::rt;

ampc_status Message::fail(ampc_status reason, const char *format, ...) {
  status = reason;
  va_list args;
  va_start(args, format);
  vsnprintf(text, size, format, args);
  va_end(args);
  return reason;
}

void ampc::rt::copyMessage(const Message &message, char *buffer, size_t size) {
  if (buffer && size)
    snprintf(buffer, size, "%s", message.text);
}
