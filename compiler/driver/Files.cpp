//===- Files.cpp - Paths that a user gives --------------------------------===//

#include "compiler/driver/Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

Error ampc::checkInputFile(StringRef path) {
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(path, status))
    return createStringError("cannot read '%s': %s", path.str().c_str(),
                             code == std::errc::no_such_file_or_directory
                                 ? "no such file"
                                 : code.message().c_str());
  if (!sys::fs::is_regular_file(status))
    return createStringError("cannot read '%s': it is no regular file",
                             path.str().c_str());
  return Error::success();
}

/// Absolute, with links in the path to the file followed.
static std::string wholePath(StringRef path) {
  SmallString<256> folder(sys::path::parent_path(path)), real;
  if (folder.empty())
    folder = ".";
  if (sys::fs::real_path(folder, real))
    real = folder;
  sys::path::append(real, sys::path::filename(path));
  return real.str().str();
}

bool ampc::isSameFile(StringRef a, StringRef b) {
  return sys::fs::equivalent(a, b) || wholePath(a) == wholePath(b);
}
