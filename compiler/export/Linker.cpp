//===- Linker.cpp - Objects and the runtime become one file ---------------===//

#include "compiler/export/Linker.h"

#include "compiler/export/TemporaryFile.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cmath>
#include <cstdio>
#include <dlfcn.h>

using namespace llvm;
using namespace ampc;

/// The library of this process that defines `symbol`: a model gets the same.
static std::string libraryOf(const char *symbol) {
  Dl_info info;
  void *address = dlsym(RTLD_DEFAULT, symbol);
  if (address && dladdr(address, &info) && info.dli_fname)
    return info.dli_fname;
  return "";
}

Expected<Linker> Linker::find() {
  Linker linker;
  for (const char *name : {"ld.lld-19", "ld.lld"}) {
    SmallVector<StringRef> folders;
    if (StringRef(name) == "ld.lld") // Another version may be in the PATH.
      folders.push_back("/usr/lib/llvm-19/bin");
    if (ErrorOr<std::string> path = sys::findProgramByName(name, folders)) {
      linker.program = *path;
      break;
    }
  }
  if (linker.program.empty())
    return createStringError(
        "ld.lld-19 is needed to link a model and was not found in the PATH "
        "(Debian's package is lld-19)");
  std::string self = sys::fs::getMainExecutable(nullptr, nullptr);
  SmallString<128> archive(
      sys::path::parent_path(sys::path::parent_path(self)));
  sys::path::append(archive, "lib", "libampc_runtime.a");
  if (!sys::fs::exists(archive))
    return createStringError("the runtime library is missing: '%s'",
                             archive.c_str());
  linker.runtime = archive.str().str();
  return linker;
}

Error Linker::runLinker(ArrayRef<std::string> arguments,
                        StringRef output) const {
  TemporaryFile log;
  if (Error error = log.create((output + ".log").str()))
    return error;
  // Through mapped memory, a full disk would be a signal and leave a file.
  SmallVector<StringRef> argv{program, "--no-mmap-output-file"};
  argv.append(arguments.begin(), arguments.end());
  std::string problem;
  bool failedToRun = false;
  int code = sys::ExecuteAndWait(
      program, argv, std::nullopt,
      {StringRef(""), StringRef(log.path()), StringRef(log.path())},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &problem, &failedToRun);
  if (code == 0)
    return Error::success();
  if (failedToRun)
    return createStringError("cannot run '%s': %s", program.c_str(),
                             problem.c_str());
  std::string first;
  if (auto text = MemoryBuffer::getFile(log.path())) {
    StringRef line = (*text)->getBuffer().split('\n').first;
    line.consume_front("ld.lld: ");
    line.consume_front("error: ");
    first = line.str();
  }
  if (first.empty()) {
    // What it said had no place either.
    SmallString<128> folder(output);
    sys::fs::make_absolute(folder);
    sys::path::remove_filename(folder);
    if (ErrorOr<sys::fs::space_info> space = sys::fs::disk_space(folder);
        space && space->available < (1u << 20))
      return createStringError("no space left on device");
    first =
        problem.empty() ? "ended with code " + std::to_string(code) : problem;
  }
  return createStringError("the linker failed: %s", first.c_str());
}

Error Linker::linkShared(ArrayRef<std::string> objects, StringRef output,
                         StringRef soname) const {
  TemporaryFile script;
  if (Error error = script.create((output + ".exports").str()))
    return error;
  if (Error error = script.fill([](raw_pwrite_stream &stream) {
        // A name that need not be defined has to be a pattern.
        stream << "{ global: ampc_entry_v1; ampc_pool_v1; ampc_profile_v[1]; "
                  "local: *; };\n";
        return Error::success();
      }))
    return error;
  SmallVector<std::string> arguments{"-shared",
                                     "-o",
                                     output.str(),
                                     "--version-script=" + script.path(),
                                     "-soname",
                                     soname.str(),
                                     "-u",
                                     "ampc_entry_v1",
                                     "--gc-sections",
                                     "--build-id",
                                     "-z",
                                     "defs",
                                     "-z",
                                     "relro",
                                     "-z",
                                     "now",
                                     "-z",
                                     "noexecstack",
                                     "--hash-style=gnu",
                                     "--as-needed",
                                     "--eh-frame-hdr",
                                     "--threads=2"};
  arguments.append(objects.begin(), objects.end());
  arguments.push_back(runtime);
  // The C library as files: its linker script is part of a -dev package.
  for (const char *symbol : {"snprintf", "fmod", "dlopen", "pthread_create"})
    if (std::string library = libraryOf(symbol);
        !library.empty() && !is_contained(arguments, library))
      arguments.push_back(library);
  return runLinker(arguments, output);
}

Error Linker::linkRelocatable(ArrayRef<std::string> objects, StringRef prefix,
                              StringRef output) const {
  TemporaryFile joined;
  if (Error error = joined.create((output + ".o").str()))
    return error;
  SmallVector<std::string> arguments{"-r", "-o", joined.path(), "-u",
                                     "ampc_entry_v1"};
  arguments.append(objects.begin(), objects.end());
  arguments.push_back(runtime);
  if (Error error = runLinker(arguments, output))
    return error;

  auto file = object::ObjectFile::createObjectFile(joined.path());
  if (!file)
    return file.takeError();
  objcopy::ConfigManager config;
  std::string entry = (prefix + "_entry_v1").str();
  std::string profile = (prefix + "_profile_v1").str();
  config.Common.SymbolsToRename["ampc_entry_v1"] = entry;
  config.Common.SymbolsToRename["ampc_profile_v1"] = profile;
  for (StringRef name : {"ampc_entry_v1", "ampc_pool_v1", "ampc_profile_v1"}) {
    auto matcher = objcopy::NameOrPattern::create(
        name, objcopy::MatchStyle::Literal, [](Error error) { return error; });
    if (!matcher)
      return matcher.takeError();
    if (Error error =
            config.Common.SymbolsToKeepGlobal.addMatcher(std::move(matcher)))
      return error;
  }
  std::error_code code;
  raw_fd_ostream stream(output, code);
  if (code)
    return createStringError(code.message());
  if (Error error =
          objcopy::executeObjcopyOnBinary(config, *file->getBinary(), stream))
    return error;
  if ((code = closeStream(stream)))
    return createStringError(code.message());
  return Error::success();
}
