//===- Status.cpp - Names of statuses -------------------------------------===//

#include "Message.h"

const char *ampc::rt::statusName(ampc_status status) {
  switch (status) {
  case AMPC_OK:
    return "ok";
  case AMPC_INVALID_ARGUMENT:
    return "invalid argument";
  case AMPC_WRONG_COUNT:
    return "wrong count";
  case AMPC_WRONG_RANK:
    return "wrong rank";
  case AMPC_WRONG_DTYPE:
    return "wrong dtype";
  case AMPC_WRONG_SHAPE:
    return "wrong shape";
  case AMPC_WRONG_LAYOUT:
    return "wrong layout";
  case AMPC_WRONG_DEVICE:
    return "wrong device";
  case AMPC_ALIASED:
    return "aliased";
  case AMPC_OUT_OF_MEMORY:
    return "out of memory";
  case AMPC_UNSUPPORTED_CPU:
    return "unsupported CPU";
  case AMPC_BAD_WEIGHTS:
    return "bad weights";
  case AMPC_BUSY:
    return "busy";
  case AMPC_FAILED:
    return "failed";
  case AMPC_NO_OUTPUT:
    return "no output";
  case AMPC_INCOMPATIBLE:
    return "incompatible";
  case AMPC_INTERNAL:
    return "internal error";
  }
  return "unknown status";
}
