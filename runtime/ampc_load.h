/*===- ampc_load.h - Opening a compiled model from C or C++ --------*- C
-*-===*\
|*
|* Header only: dlopen, dlsym and the version test, and a way to describe a
|* contiguous array. Link with -ldl where libc is older than glibc 2.34.
|*
\*===----------------------------------------------------------------------===*/

#ifndef AMPC_RUNTIME_AMPC_LOAD_H
#define AMPC_RUNTIME_AMPC_LOAD_H

#include "ampc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ampc_library {
  void *handle;
  const ampc_api_v1 *api;
} ampc_library;

/** Opens the model library at `path` (with a slash, else the system's search
 * path applies). Returns 1, or 0 with the reason in `message`. */
static inline int ampc_library_open(const char *path, ampc_library *library,
                                    char *message, size_t message_size) {
  ampc_entry_v1_fn entry = NULL;
  void *symbol;
  const char *reason = NULL;
  library->api = NULL;
  library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library->handle) {
    reason = dlerror();
    snprintf(message, message_size, "%s", reason ? reason : path);
    return 0;
  }
  symbol = dlsym(library->handle, AMPC_ENTRY_NAME);
  if (symbol) {
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no such cast. */
    library->api = entry();
  }
  if (!library->api || library->api->version != AMPC_API_VERSION ||
      library->api->struct_size < sizeof(ampc_api_v1)) {
    snprintf(message, message_size, "%s: %s", path,
             symbol ? "made by an ampc older than this program's ampc.h"
                    : "not a model compiled by ampc (no " AMPC_ENTRY_NAME ")");
    dlclose(library->handle);
    library->handle = NULL;
    library->api = NULL;
    return 0;
  }
  return 1;
}

/** Closes the library; destroy its models and contexts first. Outputs that
 * were taken outlive it. */
static inline void ampc_library_close(ampc_library *library) {
  if (library->handle)
    dlclose(library->handle);
  library->handle = NULL;
  library->api = NULL;
}

/** The times of the library's kernels; null if it was compiled without
 * --profile. */
static inline const ampc_profile *
ampc_library_profile(const ampc_library *library) {
  return (const ampc_profile *)dlsym(library->handle, AMPC_PROFILE_NAME);
}

/** Describes `data`, a contiguous array of shape `dims[rank]`. */
static inline DLTensor ampc_tensor(const ampc_api_v1 *api, ampc_dtype dtype,
                                   void *data, int rank, int64_t *dims) {
  DLTensor tensor;
  ampc_dtype_info info;
  memset(&tensor, 0, sizeof tensor);
  tensor.data = data;
  tensor.device.device_type = kDLCPU;
  tensor.ndim = rank;
  tensor.shape = dims;
  if (api->dtype_info(dtype, &info) == AMPC_OK)
    tensor.dtype = info.dl;
  return tensor;
}

#ifdef __cplusplus
}
#endif
#endif /* AMPC_RUNTIME_AMPC_LOAD_H */
