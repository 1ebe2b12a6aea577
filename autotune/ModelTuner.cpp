//===- ModelTuner.cpp - All kernels of a model, measured ------------------===//

#include "autotune/ModelTuner.h"

#include "autotune/Progress.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace ampc::tune;

namespace {

/// Records measurements, or keeps them until that is possible.
class Recorder {
public:
  explicit Recorder(const TuningSession &session) : session(session) {}

  llvm::Error record(StringRef kernel, std::vector<Measurement> measurements) {
    waiting.push_back({kernel.str(), std::move(measurements)});
    return flush();
  }
  /// An error if something is left to record.
  llvm::Error flush() {
    while (!waiting.empty()) {
      auto &[kernel, measurements] = waiting.front();
      if (llvm::Error error =
              session.database.record(session.machine, kernel, measurements))
        return error;
      waiting.erase(waiting.begin());
    }
    return llvm::Error::success();
  }

private:
  const TuningSession &session;
  std::vector<std::pair<std::string, std::vector<Measurement>>> waiting;
};

} // namespace

std::string ampc::tune::summaryOf(const TunableKernel &tunable) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  amp::KernelOp kernel = tunable.kernel;
  auto types = [&](TypeRange all) {
    llvm::interleave(
        all, stream,
        [&](Type type) {
          auto shaped = cast<ShapedType>(type);
          for (int64_t size : shaped.getShape())
            stream << size << "x";
          stream << shaped.getElementType();
        },
        " ");
  };
  Operation *root = kernel.getRoot();
  stream << root->getName().stripDialect() << " ";
  types(TypeRange(root->getOperandTypes()).take_front(2));
  stream << " -> ";
  types(root->getResultTypes());
  return text;
}

/// What came of a kernel, in words.
static std::string describe(const TunableKernel &kernel,
                            ArrayRef<Measurement> measurements) {
  std::optional<size_t> chosen = choose(kernel.schedules, measurements);
  if (!chosen)
    return ("left as it is: " + nameOf(measurements[0].outcome)).str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::format("%.1f us", measurements[0].nanoseconds / 1e3);
  if (*chosen)
    stream << llvm::format(" -> %.1f us by ",
                           measurements[*chosen].nanoseconds / 1e3)
           << kernel.schedules[*chosen];
  unsigned failed = llvm::count_if(measurements, [](const Measurement &m) {
    return m.outcome != Outcome::Measured;
  });
  if (failed)
    stream << " (" << failed << " candidates failed)";
  return text;
}

llvm::Error ampc::tune::tuneKernels(ModuleOp module,
                                    const TuningSession &session) {
  std::vector<TunableKernel> kernels;
  llvm::StringSet<> seen;
  unsigned known = 0, leftOut = 0;
  llvm::Error failure = llvm::Error::success();
  llvm::ErrorAsOutParameter unchecked(&failure);
  module.walk([&](amp::KernelOp kernel) {
    llvm::Expected<TunableKernel> tunable =
        isolate(kernel, session.processor.kernelTarget());
    if (!tunable) {
      std::string reason = llvm::toString(tunable.takeError());
      leftOut += bool(kernel.getRoot());
      if (session.verbose && kernel.getRoot())
        session.messages << "ampc: " << kernel.getRoot()->getName()
                         << " is not tuned: " << reason << "\n";
      return WalkResult::advance();
    }
    if (!seen.insert(tunable->text).second)
      return WalkResult::advance();
    llvm::Expected<std::vector<Measurement>> measured =
        session.database.find(session.machine, tunable->text);
    if (!measured) {
      failure = measured.takeError();
      return WalkResult::interrupt();
    }
    if (session.effort.isSpentOn(*tunable, *measured))
      ++known;
    else
      kernels.push_back(std::move(*tunable));
    return WalkResult::advance();
  });
  if (failure)
    return failure;

  session.messages << "ampc: " << kernels.size() << " kernels to measure, "
                   << known << " measured before, " << leftOut
                   << " left as they are (of sizes that are not known without "
                      "--dim, or without schedules to choose from)\n";
  Recorder recorder(session);
  Progress progress(session.messages, kernels.size());
  for (const TunableKernel &kernel : kernels) {
    progress.begin(summaryOf(kernel));
    llvm::Expected<std::vector<Measurement>> measured = measureKernel(
        kernel, session.effort, session.registry, session.processor);
    if (!measured) {
      progress.done("left out: " + llvm::toString(measured.takeError()));
      continue;
    }
    progress.done(describe(kernel, *measured));
    // If not now, then with the next one.
    consumeError(recorder.record(kernel.text, std::move(*measured)));
  }
  return recorder.flush();
}
