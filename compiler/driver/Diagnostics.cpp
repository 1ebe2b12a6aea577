//===- Diagnostics.cpp - One line an error --------------------------------===//

#include "compiler/driver/Diagnostics.h"

#include "compiler/ir/SourceNodes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ampc;

std::string ampc::oneLine(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef &line : lines)
    line = line.trim();
  std::string line = llvm::join(lines, " ");
  for (char &c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == 127)
      c = '?';
  constexpr size_t most = 1000, front = 700;
  if (line.size() > most)
    line.replace(front, line.size() - most, " [...] ");
  return line;
}

Diagnostics::Diagnostics(MLIRContext &context, StringRef file,
                         llvm::raw_ostream &stream)
    : file(file), stream(stream),
      handler(&context, [this](Diagnostic &diagnostic) {
        print(diagnostic);
        return success();
      }) {}

void Diagnostics::print(Diagnostic &diagnostic) {
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Note:
  case DiagnosticSeverity::Remark:
    return;
  case DiagnosticSeverity::Warning:
    stream << "ampc: warning: ";
    break;
  case DiagnosticSeverity::Error:
    ++count;
    stream << "ampc: error: ";
    break;
  }
  Location location = diagnostic.getLocation();
  SmallVector<amp::SourceNode> nodes = amp::sourceNodes(location);
  if (auto place = dyn_cast<FileLineColLoc>(location))
    stream << place.getFilename().getValue() << ":" << place.getLine() << ":"
           << place.getColumn() << ": ";
  else
    stream << file << ": ";
  std::string message = diagnostic.str();
  // The importer says more of a node than its name, and then says all.
  if (!nodes.empty() && !StringRef(message).starts_with("node '"))
    message = ("node '" + nodes.front().name + "': " + message).str();
  stream << oneLine(message) << "\n";
}

void Diagnostics::error(const Twine &message) {
  ++count;
  stream << "ampc: error: " << oneLine(message.str()) << "\n";
}

void Diagnostics::error(llvm::Error problem) {
  llvm::handleAllErrors(
      std::move(problem),
      [&](const llvm::ErrorInfoBase &info) { error(info.message()); });
}
