//===- Tuning.cpp - What --tune asks for ----------------------------------===//

#include "compiler/driver/Tuning.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace ampc;

Expected<std::optional<tune::Effort>>
ampc::effortFor(const Options &options, const cpu::Processor &processor) {
  std::optional<tune::Effort> effort;
  if (options.tune == "quick")
    effort = tune::Effort::quick();
  else if (options.tune == "full")
    effort = tune::Effort::full();
  else if (options.tune != "off")
    return createStringError("unknown --tune '%s'; known are off, quick, full",
                             options.tune.c_str());
  if (!effort)
    return effort;
  Expected<cpu::Processor> native = cpu::findProcessor("native");
  if (!native)
    return native.takeError();
  for (const std::string &feature : processor.features)
    if (!native->has(feature))
      return createStringError(
          "--tune=%s runs code for --target '%s', and this machine lacks %s",
          options.tune.c_str(), options.target.c_str(), feature.c_str());
  return effort;
}

std::string ampc::tuningDatabasePath(const Options &options) {
  if (!options.tuneDatabase.empty())
    return options.tuneDatabase;
  SmallString<128> path;
  if (!sys::path::cache_directory(path))
    return "ampc-tuning.db";
  sys::path::append(path, "ampc", "tuning.db");
  return path.str().str();
}

Expected<tune::ScheduleSources>
ampc::openSchedules(const Options &options, const cpu::Processor &processor) {
  tune::ScheduleSources sources;
  sources.machine = tune::machineOf(processor, options.target == "native");
  const bool tunes = options.tune != "off";
  if (!tunes && options.tuneDatabase.empty())
    return sources;
  std::string path = tuningDatabasePath(options);
  if (options.tuneDatabase.empty())
    if (std::error_code code =
            sys::fs::create_directories(sys::path::parent_path(path)))
      return createStringError("tuning database '%s' cannot be made: %s",
                               path.c_str(), code.message().c_str());
  Expected<tune::TuningDatabase> database = tune::TuningDatabase::open(
      path, tunes ? tune::TuningDatabase::Access::Create
                  : tune::TuningDatabase::Access::Existing);
  if (!database)
    return database.takeError();
  sources.database =
      std::make_shared<tune::TuningDatabase>(std::move(*database));
  return sources;
}
