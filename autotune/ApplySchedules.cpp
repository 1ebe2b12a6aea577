//===- ApplySchedules.cpp - Give kernels their schedules ------------------===//

#include "autotune/Passes.h"
#include "autotune/TunableKernel.h"
#include "compiler/ir/Amp.h"

#include "llvm/Support/MemoryBuffer.h"

namespace ampc::tune {
#define GEN_PASS_DEF_CPUAPPLYSCHEDULES
#include "autotune/Passes.h.inc"
} // namespace ampc::tune

using namespace mlir;
using namespace ampc::tune;

namespace {

struct CpuApplySchedules
    : public ampc::tune::impl::CpuApplySchedulesBase<CpuApplySchedules> {
  CpuApplySchedules() = default;
  CpuApplySchedules(const ScheduleSources &sources,
                    const ampc::cpu::CpuTarget &target)
      : sources(sources), target(target) {}

  void runOnOperation() override {
    ampc::cpu::CpuTarget used =
        target ? *target : ampc::cpu::CpuTarget::withVectorBytes(vectorBytes);
    ScheduleTable table;
    if (!tableFile.empty()) {
      if (llvm::Error error = readTable(table)) {
        getOperation().emitError(llvm::toString(std::move(error)));
        return signalPassFailure();
      }
      sources.table = &table;
    }
    WalkResult walk = getOperation().walk([&](amp::KernelOp kernel) {
      llvm::Expected<TunableKernel> tunable = isolate(kernel, used);
      if (!tunable) {
        // Left to its emitter.
        consumeError(tunable.takeError());
        return WalkResult::advance();
      }
      llvm::Expected<std::string> found = sources.find(*tunable, used);
      if (!found) {
        getOperation().emitError(llvm::toString(found.takeError()));
        return WalkResult::interrupt();
      }
      if (!found->empty())
        kernel.setScheduleAttr(parseSchedule(*found, &getContext()));
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  llvm::Error readTable(ScheduleTable &table) {
    auto text = llvm::MemoryBuffer::getFile(tableFile);
    if (!text)
      return llvm::createStringError("cannot read '%s': %s", tableFile.c_str(),
                                     text.getError().message().c_str());
    llvm::Expected<ScheduleTable> parsed =
        ScheduleTable::parse((*text)->getBuffer());
    if (!parsed)
      return parsed.takeError();
    table = std::move(*parsed);
    return llvm::Error::success();
  }

  ScheduleSources sources;
  std::optional<ampc::cpu::CpuTarget> target;
};

} // namespace

std::unique_ptr<Pass> ampc::tune::createCpuApplySchedulesPass() {
  return std::make_unique<CpuApplySchedules>();
}

std::unique_ptr<Pass>
ampc::tune::createCpuApplySchedulesPass(const ScheduleSources &sources,
                                        const cpu::CpuTarget &target) {
  return std::make_unique<CpuApplySchedules>(sources, target);
}
