//===- Progress.cpp - How far a long task is ------------------------------===//

#include "autotune/Progress.h"

#include "llvm/Support/Format.h"

using namespace ampc::tune;

Progress::Progress(llvm::raw_ostream &stream, size_t total)
    : stream(stream), isTerminal(stream.is_displayed()), total(total),
      start(std::chrono::steady_clock::now()) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (isTerminal) {
    stream << "\r\x1b[K";
    stream.flush();
  }
}

void Progress::begin(llvm::StringRef name) {
  item = name.str();
  if (!isTerminal)
    return;
  constexpr size_t width = 30;
  size_t filled = total ? width * finished / total : width;
  double spent =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  clear();
  stream << "[" << std::string(filled, '#') << std::string(width - filled, '.')
         << "] " << finished << "/" << total;
  if (finished)
    stream << llvm::format(" %.0f s left",
                           spent / double(finished) * double(total - finished));
  stream << "  " << llvm::StringRef(item).take_front(30);
  stream.flush();
}

void Progress::done(llvm::StringRef result) {
  ++finished;
  if (!isTerminal)
    stream << "[" << finished << "/" << total << "] " << item << ": " << result
           << "\n";
}
