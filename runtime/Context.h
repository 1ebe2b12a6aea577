//===- Context.h - The memory of one run at a time ---------------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_CONTEXT_H
#define AMPC_RUNTIME_CONTEXT_H

#include "Arena.h"
#include "Checks.h"
#include "Message.h"
#include "Model.h"
#include "Output.h"
#include "SideArena.h"
#include "Symbols.h"

#include <atomic>

/// Everything generated code and a run need. Calls that look at outputs or
/// errors belong to the thread that runs; only `running` is shared.
struct ampc_context {
  /// First, so that the ampc_exec that generated code passes back is us.
  ampc_exec exec;
  ampc_model *model;
  std::atomic<uint32_t> running;
  int32_t threads;
  ampc::rt::Message error;

  /// Input i's memref descriptor: 3 + 2 * rank words.
  int64_t **descriptors;
  ampc::rt::Symbols symbols;
  ampc::rt::Output *outputs;
  ampc::rt::Extent *extents; ///< Of this run's inputs, then of its outputs.
  bool haveOutputs;          ///< The last run succeeded.
  ampc::rt::Arena *arenas;
  ampc::rt::SideArena side;
};

namespace ampc::rt {

ampc_status createContext(ampc_model *model,
                          const ampc_context_options *options,
                          ampc_context **context, Message &message);
void destroyContext(ampc_context *context);

/// Sets the number of threads after checking it.
ampc_status setThreads(int32_t threads, int32_t &result, Message &message);

/// ampc_api_v1.run, on a context that no other thread is running.
ampc_status run(ampc_context &context, const DLTensor *const *inputs,
                size_t numInputs, DLTensor *const *outputs, size_t numOutputs);

/// The context that an ampc_exec is part of.
inline ampc_context &contextOf(ampc_exec *exec) {
  return *reinterpret_cast<ampc_context *>(exec);
}

} // namespace ampc::rt

#endif // AMPC_RUNTIME_CONTEXT_H
