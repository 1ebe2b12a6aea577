//===- CpuFeatures.cpp - Can this machine run the code? -------------------===//

#include "CpuFeatures.h"

#include <string.h>

using namespace ampc::rt;

ampc_status ampc::rt::checkCpuFeatures(const char *features, Message &message) {
  for (const char *p = features ? features : ""; *p;) {
    int length = int(strcspn(p, ","));
    const char *name = *p == '+' ? p + 1 : p;
    int nameLength = length - int(name - p);
    if (nameLength && *name != '-')
      switch (cpuSupports(name, nameLength)) {
      case CpuSupport::yes:
        break;
      case CpuSupport::no:
        return message.fail(AMPC_UNSUPPORTED_CPU,
                            "the model was compiled for CPUs with \"%.*s\", "
                            "which this machine lacks (it needs: %s)",
                            nameLength, name, features);
      case CpuSupport::unknownName:
        return message.fail(AMPC_UNSUPPORTED_CPU,
                            "the model needs the CPU feature \"%.*s\", which "
                            "is unknown on this architecture (it needs: %s)",
                            nameLength, name, features);
      }
    p += length;
    if (*p == ',')
      ++p;
  }
  return AMPC_OK;
}
