//===- Trial.cpp - Candidates are checked, then timed ---------------------===//

#include "autotune/Trial.h"

#include "autotune/Child.h"

#include <chrono>
#include <memory>
#include <sys/mman.h>

using namespace ampc::tune;

namespace {

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// What children tell about a candidate, in shared memory.
struct Report {
  bool isRight;
  double seconds; ///< Of the check's run.
  double least;   ///< Of a run, in nanoseconds.
};

struct Shared {
  size_t current; ///< The candidate that runs.
  Report reports[1];
};

/// Memory that children write to.
class SharedReports {
public:
  explicit SharedReports(size_t count)
      : bytes(sizeof(Shared) + count * sizeof(Report)) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = memory == MAP_FAILED ? nullptr : static_cast<Shared *>(memory);
  }
  SharedReports(const SharedReports &) = delete;
  ~SharedReports() {
    if (shared)
      munmap(shared, bytes);
  }

  Shared *shared;

private:
  size_t bytes;
};

Outcome outcomeOf(ChildEnd end) {
  return end == ChildEnd::Hung ? Outcome::Hung : Outcome::Crashed;
}

/// The first candidate decides what outputs are, and must do so: all elements,
/// whatever was there before.
void checkReference(Operands &operands, KernelCode code, Report &report) {
  operands.poisonOutputs(0x5a);
  if (code(operands.exec()))
    return;
  operands.expectOutputs();
  operands.poisonOutputs();
  double start = now();
  if (code(operands.exec()) || !operands.areElementsAsExpected())
    return;
  report.seconds = now() - start;
  operands.expectOutputs();
  report.isRight = true;
}

void check(Operands &operands, KernelCode code, Report &report) {
  operands.poisonOutputs();
  double start = now();
  if (code(operands.exec()))
    return;
  report.seconds = now() - start;
  report.isRight = operands.areOutputsAsExpected();
}

/// One candidate's turn.
void measure(const Operands &operands, KernelCode code, double seconds,
             Report &report) {
  double runs = report.seconds > 0 ? seconds / report.seconds : 1;
  int64_t count = std::min(std::max(runs, 1.0), 1e6);
  double start = now();
  for (int64_t i = 0; i < count; ++i)
    code(operands.exec());
  double taken = now() - start;
  if (taken <= 0)
    return;
  report.seconds = taken / double(count);
  double nanoseconds = report.seconds * 1e9;
  if (report.least == 0 || nanoseconds < report.least)
    report.least = nanoseconds;
}

} // namespace

std::vector<Trial>
ampc::tune::tryCandidates(Operands &operands,
                          llvm::ArrayRef<KernelCode> candidates,
                          const TrialOptions &options) {
  std::vector<Trial> trials(candidates.size());
  SharedReports memory(candidates.size());
  if (!memory.shared || candidates.empty() || !candidates[0])
    return trials;
  Shared &shared = *memory.shared;
  Report *reports = shared.reports;
  std::vector<size_t> inTurn;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i])
      continue;
    ChildEnd end = runInChild(
        [&] {
          (i ? check : checkReference)(operands, candidates[i], reports[i]);
        },
        options.patience);
    if (end != ChildEnd::Done)
      trials[i].outcome = outcomeOf(end);
    else if (!reports[i].isRight)
      trials[i].outcome = Outcome::Wrong;
    else
      inTurn.push_back(i);
    if (inTurn.empty())
      return trials; // Without a reference.
  }
  // All over again without a candidate that fails now.
  while (!inTurn.empty()) {
    double expected = 0;
    for (size_t i : inTurn) {
      reports[i].least = 0;
      expected += std::max(options.secondsPerRound, reports[i].seconds);
    }
    ChildEnd end = runInChild(
        [&] {
          for (int64_t round = 0; round < options.rounds; ++round)
            for (size_t turn = 0; turn < inTurn.size(); ++turn) {
              // Each is sometimes the first.
              size_t i = inTurn[(turn + round) % inTurn.size()];
              shared.current = i;
              measure(operands, candidates[i], options.secondsPerRound,
                      reports[i]);
            }
        },
        options.patience + 4 * expected * double(options.rounds));
    if (end == ChildEnd::Done)
      break;
    trials[shared.current].outcome = outcomeOf(end);
    inTurn.erase(std::remove(inTurn.begin(), inTurn.end(), shared.current),
                 inTurn.end());
  }
  for (size_t i : inTurn)
    trials[i] = {Outcome::Measured, reports[i].least};
  return trials;
}
