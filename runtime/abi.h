//===- abi.h - Between generated code and the runtime ------------*- C -*-===//
//
// The contract between the code that ampc generates and the runtime linked
// into the same shared object. Both sides are always built together, so this
// may change between versions; what callers see is ampc.h.
//
// All functions here are called on the thread that runs the context unless a
// comment says otherwise. Sizes and offsets are in bytes, dims in elements.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_RUNTIME_ABI_H
#define AMPC_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One input or output of the model. `dims[i]` is -1 where the size is
/// dynamic; `symbols[i]` is then its name, or null if it is anonymous.
/// `dtype` is an ampc_dtype (numbered as ONNX's TensorProto.DataType).
typedef struct ampc_tensor_desc {
  const char *name;
  int32_t dtype;
  int32_t rank;
  const int64_t *dims;
  const char *const *symbols;
} ampc_tensor_desc;

struct ampc_exec;
struct ampc_launch_times;

/// Constant description of a compiled model, emitted next to its code.
typedef struct ampc_model_desc {
  uint32_t abi_version; ///< AMPC_ABI_VERSION of the compiler that wrote it.
  uint32_t num_inputs;
  uint32_t num_outputs;
  uint32_t num_arenas; ///< Calls of ampc_rt_arena with distinct ids.
  const char *name;
  const char *info_json;    ///< Signature, target and compile record.
  const char *cpu_features; ///< Comma-separated LLVM names, e.g. "avx2,fma".
  const ampc_tensor_desc *inputs;
  const ampc_tensor_desc *outputs;
  const void *weights;      ///< Embedded weights, or null if external.
  uint64_t weights_size;    ///< Bytes, embedded or external.
  const char *weights_file; ///< File name beside the library, or null.
  uint64_t weights_hash;    ///< XXH64 (seed 0) of the external file.
  int32_t (*entry)(struct ampc_exec *); ///< Returns an ampc_status.
} ampc_model_desc;

#define AMPC_ABI_VERSION 1u

/// Defined by generated code, with hidden visibility. Only the runtime's entry
/// object (Entry.cpp) refers to it.
extern const ampc_model_desc ampc_model_description
#if defined(__GNUC__)
    __attribute__((visibility("hidden")))
#endif
    ;

/// The part of a context that generated code reads directly. `inputs[i]`
/// points to input i's descriptor {void *allocated, *aligned; int64 offset,
/// sizes[rank], strides[rank]} (MLIR's ranked memref layout; rank 0 has no
/// sizes or strides). Inputs are contiguous and never written. Inputs and
/// buffers of outputs may be the caller's and are aligned to their elements
/// only; of types under 8 bits, see ampc_dtype for the unused bits. Every
/// buffer that generated code is given, empty ones too, has 256 readable bytes
/// at its start.
struct ampc_exec {
  void *const *inputs;
  const void *weights;
};

/// A function below that returns null has noted status and message in the
/// context. The entry function then returns any non-zero value; the noted
/// status is what the caller gets.

/// Lays out `n` buffers in the context's arena number `id` so that buffers
/// whose live ranges [first[i], last[i]] overlap do not, each 64-byte aligned,
/// writes their offsets and returns the base, or null (out of memory or a
/// size that is negative; the context then holds the message). The plan is
/// kept and reused while `sizes` stay equal. `first`/`last` are constants.
void *ampc_rt_arena(struct ampc_exec *, int32_t id, int64_t n,
                    const int64_t *sizes, const int32_t *first,
                    const int32_t *last, int64_t *offsets);

/// A buffer whose size was not known at entry; lives until the run ends.
/// 64-byte aligned; never moves others. Null as above.
void *ampc_rt_side_alloc(struct ampc_exec *, int64_t size);

/// The buffer for output `index`: the caller's if it gave one of this shape,
/// else one of ours. Null (with a message) when the caller's does not fit.
/// Called exactly once per output per successful run.
void *ampc_rt_output(struct ampc_exec *, int32_t index, const int64_t *dims);

/// Records `message` as the reason for `status` (an ampc_status, AMPC_FAILED
/// for errors in the data); returns it.
int32_t ampc_rt_fail(struct ampc_exec *, int32_t status, const char *message);

/// Runs `fn(args, lo, hi)` over [0, n) in chunks that begin at multiples of
/// `grain` and hold at least `grain`, on the pool. Returns when all is done.
/// `fn` runs on several threads at a time and calls none of these functions.
void ampc_rt_parallel(struct ampc_exec *, void (*fn)(void *, int64_t, int64_t),
                      void *args, int64_t n, int64_t grain);

/// The same, adding the time it took to `times`.
void ampc_rt_profiled_parallel(struct ampc_exec *,
                               void (*fn)(void *, int64_t, int64_t), void *args,
                               int64_t n, int64_t grain,
                               struct ampc_launch_times *times);

#ifdef __cplusplus
}
#endif
#endif // AMPC_RUNTIME_ABI_H
