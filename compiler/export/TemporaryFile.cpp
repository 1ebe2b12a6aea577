//===- TemporaryFile.cpp - Files that appear whole or not at all ----------===//

#include "compiler/export/TemporaryFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <sys/stat.h>

using namespace llvm;
using namespace ampc;

static Error cannotWrite(StringRef destination, std::error_code code) {
  return createStringError("cannot write '%s': %s", destination.str().c_str(),
                           code.message().c_str());
}

Error TemporaryFile::create(StringRef wanted) {
  destination = wanted.str();
  // Renaming onto a folder, a device or another special file would replace it.
  if (sys::fs::exists(destination) && !sys::fs::is_regular_file(destination))
    return createStringError("cannot write '%s': it is no regular file",
                             destination.c_str());
  SmallString<128> path;
  int descriptor;
  if (std::error_code code = sys::fs::createUniqueFile(
          destination + ".%%%%%%%%.tmp", descriptor, path, sys::fs::OF_None,
          sys::fs::owner_read | sys::fs::owner_write))
    return cannotWrite(destination, code);
  sys::fs::file_t handle = sys::fs::convertFDToNativeFile(descriptor);
  sys::fs::closeFile(handle);
  name = path.str().str();
  sys::RemoveFileOnSignal(name);
  return Error::success();
}

std::error_code ampc::closeStream(raw_fd_ostream &stream) {
  stream.close();
  std::error_code code = stream.error();
  stream.clear_error(); // Else it would end the process.
  return code;
}

Error TemporaryFile::fill(function_ref<Error(raw_pwrite_stream &)> write) {
  std::error_code code;
  raw_fd_ostream stream(name, code);
  if (code)
    return cannotWrite(destination, code);
  Error error = write(stream);
  if ((code = closeStream(stream))) {
    consumeError(std::move(error));
    return cannotWrite(destination, code);
  }
  return error;
}

Error TemporaryFile::keep() {
  // As if it had been created in the usual way: 0666, or 0777 where a linker
  // made it executable, less the umask.
  mode_t mask = umask(0);
  umask(mask);
  struct stat info;
  mode_t mode = 0666;
  if (::stat(name.c_str(), &info) == 0 && (info.st_mode & S_IXUSR))
    mode = 0777;
  ::chmod(name.c_str(), mode & ~mask);
  if (std::error_code code = sys::fs::rename(name, destination))
    return cannotWrite(destination, code);
  sys::DontRemoveFileOnSignal(name);
  name.clear();
  return Error::success();
}

void TemporaryFile::discard() {
  if (name.empty())
    return;
  sys::fs::remove(name);
  sys::DontRemoveFileOnSignal(name);
  name.clear();
}

Error ampc::writeFile(StringRef destination,
                      function_ref<Error(raw_pwrite_stream &)> write) {
  TemporaryFile file;
  if (Error error = file.create(destination))
    return error;
  if (Error error = file.fill(write))
    return error;
  return file.keep();
}
