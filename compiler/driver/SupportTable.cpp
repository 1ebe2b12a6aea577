//===- SupportTable.cpp - What ampc can do with a model -------------------===//

#include "compiler/driver/SupportTable.h"

#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/Files.h"
#include "compiler/driver/Registration.h"
#include "compiler/import/onnx/Import.h"
#include "compiler/import/onnx/ImportRecord.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace mlir;
using namespace ampc;

/// Lines of a table, with columns as wide as their cells.
static void printTable(ArrayRef<SmallVector<std::string>> rows,
                       llvm::raw_ostream &stream) {
  SmallVector<size_t> widths;
  for (const auto &row : rows)
    for (auto [i, cell] : llvm::enumerate(row)) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], cell.size());
    }
  for (const auto &row : rows) {
    std::string line;
    for (auto [i, cell] : llvm::enumerate(row))
      line += cell + std::string(widths[i] + 2 - cell.size(), ' ');
    stream << StringRef(line).rtrim() << "\n";
  }
}

static std::string nodeCount(int64_t n) {
  return std::to_string(n) + (n == 1 ? " node" : " nodes");
}

static void printOps(const ImportRecord &record, llvm::raw_ostream &stream) {
  // Ops that are not supported first.
  std::map<std::tuple<bool, std::string, int, std::string>, int64_t> ops;
  for (const ImportRecord::Node &node : record.nodes)
    ++ops[{node.good, node.op, node.version, node.types}];
  SmallVector<SmallVector<std::string>> rows;
  for (const auto &[key, count] : ops) {
    const auto &[good, op, version, types] = key;
    rows.push_back({good ? "ok" : "NO", op,
                    version ? std::to_string(version) : "?", types,
                    nodeCount(count)});
  }
  printTable(rows, stream);
  if (record.unknown)
    stream << "?   " << nodeCount(record.unknown)
           << " more, whose types depend on what is not supported\n";
}

static void printDims(const ImportRecord &record, llvm::raw_ostream &stream) {
  SmallVector<SmallVector<std::string>> rows;
  for (const auto &[name, places] : record.dims)
    rows.push_back({name, llvm::join(places, ", "),
                    "any size; --dim " + name + "=N fixes it"});
  if (rows.empty())
    return;
  stream << "\ndimensions\n";
  printTable(rows, stream);
}

/// Where a node's name ends in a line about it, which begins as "node 'a' (" or
/// "node #3 (". 0 in other lines.
static size_t nameEnd(StringRef line) {
  size_t end = StringRef::npos;
  if (line.starts_with("node '"))
    end = line.find("' (") + 1; // 0 if there is none.
  else if (line.starts_with("node #"))
    end = line.find(" (");
  return end == StringRef::npos ? 0 : end;
}

/// Lines that say the same of several nodes become one.
static void printProblems(ArrayRef<std::string> lines,
                          llvm::raw_ostream &stream) {
  constexpr size_t most = 50;
  llvm::MapVector<StringRef, SmallVector<StringRef>> nodes;
  for (StringRef line : lines)
    nodes[line.drop_front(nameEnd(line))].push_back(
        line.take_front(nameEnd(line)));
  for (const auto &[what, who] : llvm::make_range(
           nodes.begin(), nodes.begin() + std::min(most, nodes.size()))) {
    std::string line = oneLine(who.front());
    if (who.size() > 1)
      line += " and " + std::to_string(who.size() - 1) + " more";
    if (!line.empty())
      line += " ";
    stream << "  " << line << oneLine(what) << "\n";
  }
  if (nodes.size() > most)
    stream << "  and " << nodes.size() - most << " other problems\n";
}

bool ampc::printSupport(const Options &options, llvm::raw_ostream &stream,
                        llvm::raw_ostream &messages) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Diagnostics outer(context, options.input, messages);
  if (llvm::Error error = checkInputFile(options.input)) {
    outer.error(std::move(error));
    return false;
  }
  if (llvm::sys::path::extension(options.input) == ".mlir") {
    outer.error(options.input + ": check is for ONNX models");
    return false;
  }

  SmallVector<std::string> problems;
  ImportRecord record;
  ImportOptions import;
  import.dims = options.dims;
  import.maxNodes = options.maxNodes;
  import.record = &record;
  bool good;
  {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        problems.push_back(diagnostic.str());
      return success();
    });
    good = bool(importOnnx(options.input, import, context));
  }
  // Nothing was met: it is no model, or not a well-formed one.
  if (record.opsets.empty()) {
    for (const std::string &problem : problems)
      outer.error(options.input + ": " + problem);
    return false;
  }

  for (const auto &[domain, version] : record.opsets)
    stream << "opset " << domain << " " << version << "\n";
  stream << "\n";
  printOps(record, stream);
  printDims(record, stream);
  if (good) {
    stream << "\nampc can compile this model.\n";
    return true;
  }
  stream << "\nampc cannot compile this model:\n";
  printProblems(problems, stream);
  stream << "An op that is not supported can often be exported as others: by "
            "another opset,\nanother option of the exporter, or a function in "
            "the model that says what it means.\n";
  return false;
}
