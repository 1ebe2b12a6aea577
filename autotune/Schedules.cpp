//===- Schedules.cpp - Where schedules come from --------------------------===//

#include "autotune/Schedules.h"

#include "autotune/DefaultTable.h"
#include "autotune/TunableKernel.h"
#include "compiler/target/cpu/KernelEmitter.h"

#include <cpuid.h>
#include <cstring>

using namespace llvm;
using namespace ampc::tune;

Expected<ScheduleTable> ScheduleTable::parse(StringRef text) {
  ScheduleTable table;
  bool isCurrent = false;
  for (unsigned number = 1; !text.empty(); ++number) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    line = line.take_until([](char c) { return c == '\r'; });
    // Not within a schedule, which starts with the sign too.
    line = line.starts_with("#") ? "" : line.split(" # ").first.trim();
    if (line.empty())
      continue;
    auto [first, rest] = line.split(' ');
    auto [hash, schedule] = rest.split(' ');
    int64_t version;
    if (first == "emitter" && !rest.getAsInteger(10, version))
      isCurrent = version == cpu::kEmitterVersion;
    else if ((first == "avx2" || first == "avx512") && !hash.empty() &&
             schedule.starts_with("#amp.schedule<")) {
      if (isCurrent)
        table.entries[(first + " " + hash).str()] = schedule.trim().str();
    } else {
      return createStringError("line %u is no entry of a table of schedules",
                               number);
    }
  }
  return table;
}

const ScheduleTable &ScheduleTable::defaults() {
  static const ScheduleTable table = cantFail(parse(kDefaultTable));
  return table;
}

StringRef ScheduleTable::find(StringRef processorClass, StringRef hash) const {
  auto entry = entries.find((processorClass + " " + hash).str());
  return entry == entries.end() ? StringRef() : StringRef(entry->second);
}

StringRef ampc::tune::classOf(const cpu::CpuTarget &target) {
  return target.vectorBytes >= 64 ? "avx512" : "avx2";
}

Expected<std::string>
ScheduleSources::find(const TunableKernel &kernel,
                      const cpu::CpuTarget &target) const {
  // Only schedules that the emitter itself lists are ever looked at, so that
  // neither source can ask for anything else.
  std::optional<size_t> chosen;
  if (database) {
    Expected<std::vector<Measurement>> known =
        database->find(machine, kernel.text);
    if (!known)
      return known.takeError();
    chosen = choose(kernel.schedules, *known);
  }
  if (!chosen) {
    StringRef entry = table->find(classOf(target), hashOf(kernel.text));
    auto place = llvm::find(kernel.schedules, entry);
    chosen =
        place == kernel.schedules.end() ? 0 : place - kernel.schedules.begin();
  }
  return *chosen ? kernel.schedules[*chosen] : std::string();
}

MachineKey ampc::tune::machineOf(const cpu::Processor &processor,
                                 bool isNative) {
  MachineKey machine{processor.name, processor.featureList(),
                     cpu::kEmitterVersion};
  unsigned parts[12], most = __get_cpuid_max(0x80000000, nullptr);
  if (!isNative || most < 0x80000004)
    return machine;
  for (unsigned i = 0; i < 3; ++i) {
    unsigned *part = parts + 4 * i;
    __get_cpuid(0x80000002 + i, part, part + 1, part + 2, part + 3);
  }
  char text[sizeof parts + 1] = {};
  std::memcpy(text, parts, sizeof parts);
  machine.cpu += ", " + StringRef(text).trim().str();
  return machine;
}
