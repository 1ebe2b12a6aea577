//===- ExportTable.cpp - Databases become tables of schedules -------------===//

#include "autotune/ExportTable.h"

#include "autotune/ModelTuner.h"
#include "autotune/Schedules.h"
#include "compiler/target/cpu/KernelEmitter.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace ampc::tune;

namespace {
/// What machines of one class chose for one kernel; empty: no schedule.
struct Choice {
  std::string schedule, summary;
  bool agreed = true;
};
} // namespace

/// The kernels' view of a machine in a database.
static ampc::cpu::CpuTarget targetOf(const MachineKey &machine) {
  ampc::cpu::Processor processor;
  for (StringRef feature : llvm::split(machine.features, ','))
    processor.features.push_back(feature.str());
  return processor.kernelTarget();
}

llvm::Error ampc::tune::exportTable(const TuningDatabase &database,
                                    const DialectRegistry &registry,
                                    llvm::raw_ostream &stream) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  context.loadAllAvailableDialects();
  std::map<std::pair<std::string, std::string>, Choice> choices;
  llvm::Error error =
      database.visit([&](const MachineKey &machine, StringRef text,
                         ArrayRef<Measurement> measurements) -> llvm::Error {
        cpu::CpuTarget target = targetOf(machine);
        if (machine.emitter != cpu::kEmitterVersion)
          return llvm::Error::success();
        // A kernel that this ampc would write otherwise.
        llvm::Expected<TunableKernel> kernel =
            parseTunable(text, target, &context);
        if (!kernel) {
          consumeError(kernel.takeError());
          return llvm::Error::success();
        }
        std::optional<size_t> chosen = choose(kernel->schedules, measurements);
        if (!chosen)
          return llvm::Error::success();
        Choice choice{*chosen ? kernel->schedules[*chosen] : std::string(),
                      summaryOf(*kernel)};
        auto [place, isNew] =
            choices.try_emplace({classOf(target).str(), hashOf(text)}, choice);
        place->second.agreed &=
            isNew || place->second.schedule == choice.schedule;
        return llvm::Error::success();
      });
  if (error)
    return error;
  stream << "# Schedules that come with ampc: what `ampc-tune export` found to "
            "be faster than\n# what the emitters do by themselves, by more "
            "than noise.\nemitter "
         << cpu::kEmitterVersion << "\n";
  for (const auto &[key, choice] : choices)
    if (choice.agreed && !choice.schedule.empty())
      stream << key.first << " " << key.second << " " << choice.schedule
             << " # " << choice.summary << "\n";
  return llvm::Error::success();
}
