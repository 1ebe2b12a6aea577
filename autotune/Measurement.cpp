//===- Measurement.cpp - What became of a schedule that was tried ---------===//

#include "autotune/Measurement.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace ampc::tune;

static constexpr std::pair<Outcome, const char *> kNames[] = {
    {Outcome::Measured, "measured"},
    {Outcome::Wrong, "wrong"},
    {Outcome::Crashed, "crashed"},
    {Outcome::Hung, "hung"},
    {Outcome::NotCompiled, "not compiled"}};

llvm::StringRef ampc::tune::nameOf(Outcome outcome) {
  for (auto [value, name] : kNames)
    if (value == outcome)
      return name;
  return "";
}

std::optional<Outcome> ampc::tune::outcomeNamed(llvm::StringRef name) {
  for (auto [value, known] : kNames)
    if (name == known)
      return value;
  return std::nullopt;
}

bool Measurement::isValid() const {
  return outcome == Outcome::Measured && std::isfinite(nanoseconds) &&
         nanoseconds > 0;
}

Measurement ampc::tune::better(const Measurement &a, const Measurement &b) {
  Measurement result = a;
  result.rounds = std::max(a.rounds, b.rounds);
  if (a.isValid() && b.isValid())
    result.nanoseconds = std::min(a.nanoseconds, b.nanoseconds);
  else if (a.outcome == Outcome::Measured && b.isValid())
    result.nanoseconds = b.nanoseconds;
  else if (!a.isValid() || b.outcome != Outcome::Measured)
    result.nanoseconds = 0;
  if (a.outcome == Outcome::Measured ||
      (b.outcome != Outcome::Measured && b.outcome < a.outcome))
    result.outcome = b.outcome;
  return result;
}

std::optional<size_t>
ampc::tune::choose(llvm::ArrayRef<std::string> schedules,
                   llvm::ArrayRef<Measurement> measurements) {
  auto timeOf = [&](size_t index) -> std::optional<double> {
    for (const Measurement &measurement : measurements)
      if (measurement.schedule == schedules[index])
        return measurement.isValid() ? std::optional(measurement.nanoseconds)
                                     : std::nullopt;
    return std::nullopt;
  };
  std::optional<double> first = schedules.empty() ? std::nullopt : timeOf(0);
  if (!first)
    return std::nullopt;
  size_t best = 0;
  double least = *first;
  for (size_t i = 1; i < schedules.size(); ++i)
    if (std::optional<double> time = timeOf(i); time && *time < least) {
      best = i;
      least = *time;
    }
  return least < *first * (1 - kNoise) ? best : 0;
}
