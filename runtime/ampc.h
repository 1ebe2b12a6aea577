/*===- ampc.h - Calling a compiled model ---------------------------*- C
-*-===*\
|*
|* A model compiled by ampc is a shared library. It exports one function,
|* `ampc_entry_v1`, found through the library's own handle (dlsym), so any
|* number of models live in one process. The function returns a table of
|* functions; everything else goes through that table. ampc_load.h wraps the
|* dlopen and dlsym. (Profiles, for developers, are at the end.)
|*
|* Objects
|*   ampc_model    the weights and the signature. Immutable, shared by threads.
|*   ampc_context  the working memory of one run at a time. One per thread.
|*
|* Rules that hold for all functions
|*   - No function throws, aborts, prints, or touches process-wide state
|*     (signal handlers, locale, affinity, floating-point environment). Loading
|*     a model that uses AMX asks the operating system to allow it.
|*   - A call that fails leaves its objects as usable as before.
|*   - Tensors are DLPack 0.6 DLTensors in CPU memory. The library does not
|*     keep pointers to the caller's tensors after a call returns.
|*   - A context used by two threads at once answers AMPC_BUSY; everything else
|*     may be called from any thread.
|*   - A run takes up to 512 KiB of the calling thread's stack.
|*
|* Versions: within v1, functions are only ever appended to the table (compare
|* `struct_size`), and numbers of statuses and dtypes keep their meaning.
|*
\*===----------------------------------------------------------------------===*/

#ifndef AMPC_RUNTIME_AMPC_H
#define AMPC_RUNTIME_AMPC_H

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AMPC_API_VERSION 1u
#define AMPC_ENTRY_NAME "ampc_entry_v1"

/** Why a call failed. The numbers never change; new ones may be added. */
typedef enum ampc_status {
  AMPC_OK = 0,
  AMPC_INVALID_ARGUMENT = 1, /**< A null pointer, an index out of range, ... */
  AMPC_WRONG_COUNT = 2,      /**< Number of inputs or outputs. */
  AMPC_WRONG_RANK = 3,
  AMPC_WRONG_DTYPE = 4,
  AMPC_WRONG_SHAPE = 5,  /**< Static or symbolic dimension, overflow. */
  AMPC_WRONG_LAYOUT = 6, /**< Misaligned; an output that is not contiguous. */
  AMPC_WRONG_DEVICE = 7, /**< Not CPU memory. */
  AMPC_ALIASED = 8,      /**< An output overlaps an input or output. */
  AMPC_OUT_OF_MEMORY = 9,
  AMPC_UNSUPPORTED_CPU = 10, /**< The CPU lacks a feature the model uses. */
  AMPC_BAD_WEIGHTS = 11,     /**< External weights missing or not the ones. */
  AMPC_BUSY = 12,            /**< The context is running on another thread. */
  AMPC_FAILED = 13,          /**< The model met an error in its data. */
  AMPC_NO_OUTPUT = 14, /**< No output to look at: no successful run, taken. */
  AMPC_INCOMPATIBLE = 15, /**< Generated code and runtime do not match. */
  AMPC_INTERNAL = 16      /**< A bug in ampc. */
} ampc_status;

/** Element types, numbered as ONNX's TensorProto.DataType.
 *
 * How elements cross this interface (DLPack code, bits):
 *   floats, ints, uints, complex   their own code and width
 *   BFLOAT16                       kDLBfloat, 16
 *   BOOL                           kDLUInt, 8 (also accepted: code 6, 8 bits)
 *   8-bit floats                   kDLUInt, 8: the bit pattern
 *   types under 8 bits             kDLUInt, 8: one element a byte, in the low
 *                                  bits (kDLInt, 8 is accepted for INT4 and
 *                                  INT2). The other bits of inputs are not
 *                                  looked at; in outputs they are zeros, or
 *                                  the sign of an INT4 or INT2.
 */
typedef enum ampc_dtype {
  AMPC_UNDEFINED = 0,
  AMPC_FLOAT = 1,
  AMPC_UINT8 = 2,
  AMPC_INT8 = 3,
  AMPC_UINT16 = 4,
  AMPC_INT16 = 5,
  AMPC_INT32 = 6,
  AMPC_INT64 = 7,
  AMPC_STRING = 8, /**< Never crosses this interface. */
  AMPC_BOOL = 9,
  AMPC_FLOAT16 = 10,
  AMPC_DOUBLE = 11,
  AMPC_UINT32 = 12,
  AMPC_UINT64 = 13,
  AMPC_COMPLEX64 = 14,
  AMPC_COMPLEX128 = 15,
  AMPC_BFLOAT16 = 16,
  AMPC_FLOAT8E4M3FN = 17,
  AMPC_FLOAT8E4M3FNUZ = 18,
  AMPC_FLOAT8E5M2 = 19,
  AMPC_FLOAT8E5M2FNUZ = 20,
  AMPC_UINT4 = 21,
  AMPC_INT4 = 22,
  AMPC_FLOAT4E2M1 = 23,
  AMPC_FLOAT8E8M0 = 24,
  AMPC_UINT2 = 25,
  AMPC_INT2 = 26,
  AMPC_FLOAT6E2M3 = 27,
  AMPC_FLOAT6E3M2 = 28
} ampc_dtype;

/** One input or output. The pointers belong to the library and stay valid
 * while it is loaded. */
typedef struct ampc_tensor_info {
  const char *name;
  int32_t dtype; /**< An ampc_dtype. */
  int32_t rank;
  const int64_t *dims;        /**< `rank` sizes, -1 where dynamic. */
  const char *const *symbols; /**< `rank` names, null where static or unnamed.
                                   Equal names are equal sizes in one run. */
} ampc_tensor_info;

/** How DLPack describes elements of a dtype, and their size. */
typedef struct ampc_dtype_info {
  const char *name; /**< ONNX's name in lower case: "float", "int64", ... */
  DLDataType dl;    /**< As outputs are described. */
  int32_t size;     /**< Bytes an element takes. */
  int32_t alignment;
} ampc_dtype_info;

typedef struct ampc_model ampc_model;
typedef struct ampc_context ampc_context;
struct ampc_model_desc;

enum {
  /** Do not hash external weights at load (their size is still compared). */
  AMPC_TRUST_WEIGHTS = 1
};

/** Set `struct_size` to sizeof(ampc_model_options), zero the rest. */
typedef struct ampc_model_options {
  size_t struct_size;
  const char *weights_dir; /**< Folder of the external weights file; null: the
                                folder of the library. */
  uint32_t flags;          /**< Of the AMPC_ enum above. */
} ampc_model_options;

/** Set `struct_size` to sizeof(ampc_context_options), zero the rest. */
typedef struct ampc_context_options {
  size_t struct_size;
  int32_t threads; /**< Threads one run may use, the caller's included, at most
                        256; 0: as many as CPUs the calling thread may use. */
} ampc_context_options;

typedef struct ampc_api_v1 {
  size_t struct_size; /**< sizeof(ampc_api_v1) of the library. */
  uint32_t version;   /**< AMPC_API_VERSION. */
  uint32_t reserved;
  const struct ampc_model_desc *description; /**< For the library itself. */

  /*--- What the model is. None of these can fail on a valid index. ---------*/

  const char *(*name)(const struct ampc_api_v1 *);
  /** Signature, target and compile record as JSON. */
  const char *(*info_json)(const struct ampc_api_v1 *);
  uint32_t (*num_inputs)(const struct ampc_api_v1 *);
  uint32_t (*num_outputs)(const struct ampc_api_v1 *);
  ampc_status (*input_info)(const struct ampc_api_v1 *, uint32_t index,
                            ampc_tensor_info *info);
  ampc_status (*output_info)(const struct ampc_api_v1 *, uint32_t index,
                             ampc_tensor_info *info);
  /** AMPC_INVALID_ARGUMENT for a number that is no tensor element type. */
  ampc_status (*dtype_info)(int32_t dtype, ampc_dtype_info *info);
  /** "wrong shape" for AMPC_WRONG_SHAPE, ...; never null. */
  const char *(*status_name)(ampc_status);

  /*--- Models --------------------------------------------------------------*/

  /** Tests the CPU, maps external weights (read-only) and verifies their hash.
   * `options` may be null. On failure `*model` is null and `message` (may be
   * null) holds the reason, cut to `message_size` bytes. */
  ampc_status (*model_create)(const struct ampc_api_v1 *,
                              const ampc_model_options *options,
                              ampc_model **model, char *message,
                              size_t message_size);
  /** Gives up the caller's hold. Contexts keep their model alive. Null is
   * allowed. */
  void (*model_destroy)(ampc_model *);

  /*--- Contexts ------------------------------------------------------------*/

  /** `options` may be null; `message` as in model_create. */
  ampc_status (*context_create)(ampc_model *,
                                const ampc_context_options *options,
                                ampc_context **context, char *message,
                                size_t message_size);
  /** Frees everything but outputs that were taken. Null is allowed. */
  void (*context_destroy)(ampc_context *);
  /** As ampc_context_options.threads. */
  ampc_status (*set_threads)(ampc_context *, int32_t threads);
  /** The reason of the last failure in this context, "" after a success. Valid
   * until the next call on the context. Not changed by AMPC_BUSY. */
  const char *(*last_error)(const ampc_context *);

  /*--- Running -------------------------------------------------------------*/

  /** Runs the model.
   *
   * `inputs[i]` describes input i. It may be strided (then it is copied first)
   * and have a byte_offset; its address must be a multiple of the element's
   * alignment. `data` may be null if the tensor has no elements.
   *
   * `outputs` may be null, and so may any `outputs[i]`: the library then
   * provides the memory, see `output` and `take_output`. Otherwise the result
   * is written to that tensor: contiguous, of exactly the shape of the result,
   * overlapping no input and no other output. After a failure its content is
   * unspecified.
   */
  ampc_status (*run)(ampc_context *, const DLTensor *const *inputs,
                     size_t num_inputs, DLTensor *const *outputs,
                     size_t num_outputs);

  /** Describes output `index` of the last successful run, whoever provided
   * the memory. `shape`, `strides` and, if it was the library's, `data` are
   * valid until the next run or the context's end. */
  ampc_status (*output)(ampc_context *, uint32_t index, DLTensor *tensor);

  /** Hands output `index` of the last run, in the library's memory, to the
   * caller, who ends it by `tensor->deleter(tensor)`: at any time, on any
   * thread, also after the context and the library are gone. Each output can
   * be taken once. */
  ampc_status (*take_output)(ampc_context *, uint32_t index,
                             DLManagedTensor **tensor);
} ampc_api_v1;

/** The type of the function a library exports as AMPC_ENTRY_NAME. */
typedef const ampc_api_v1 *(*ampc_entry_v1_fn)(void);

/*--- Profiles --------------------------------------------------------------*\
|*
|* A library that was compiled with --profile also exports AMPC_PROFILE_NAME,
|* which is no function but an ampc_profile. All of it belongs to the library:
|* it is there as long as the library is loaded, and nobody frees it.
|*
|* There is one profile a library. All contexts, on whatever threads, add to
|* the same counters, without losing any; each counter only ever grows. Read
|* them while no context runs: then they count whole runs. For the time of
|* some runs, take the difference of what is there after and before them.
|*
\*---------------------------------------------------------------------------*/

#define AMPC_PROFILE_NAME "ampc_profile_v1"

/** One place in the code where a kernel is launched. Strings are UTF-8 as far
 * as the model's are. */
typedef struct ampc_launch {
  const char *kernel;   /**< The function, as debuggers name it: "conv_12". */
  const char *operands; /**< Types and sizes of its buffers: "f32[?,64]". */
  uint32_t num_nodes;
  const char *const *nodes; /**< `num_nodes` names: the nodes of the model that
                                 it computes, as a message would name them. */
  const char *const *ops;   /**< Their types, "Conv"; or, in their place, what
                                 the compiler adds, "layout change"; or "". */
} ampc_launch;

typedef struct ampc_launch_times {
  uint64_t calls;
  uint64_t total_ns; /**< Of all calls: nanoseconds of wall-clock time on the
                          thread that runs, which waits for the others. */
} ampc_launch_times;

typedef struct ampc_profile {
  size_t struct_size; /**< sizeof(ampc_profile) of the library. */
  uint32_t num_launches;
  const ampc_launch *launches;    /**< In the order of the code. */
  const ampc_launch_times *times; /**< Of each launch; all 0 at first. */
} ampc_profile;

#ifdef __cplusplus
}
#endif
#endif /* AMPC_RUNTIME_AMPC_H */
