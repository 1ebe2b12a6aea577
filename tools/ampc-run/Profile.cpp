//===- Profile.cpp - What of a run takes the time -------------------------===//

#include "Profile.h"

#include "tools/tensorfile/TensorFile.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace ampc;
using namespace ampc::run;

namespace {

/// At most `most` bytes of a line of the table. Names out of broken models may
/// hold anything.
std::string cell(std::string text, size_t most) {
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 32 || c == 127)
      c = '?';
  if (text.size() <= most)
    return text;
  size_t end = most - 3;
  while (end && (text[end] & 0xc0) == 0x80) // Inside of a UTF-8 character.
    --end;
  return text.substr(0, end) + "...";
}

/// `count` texts, each once.
std::string join(const char *const *texts, uint32_t count,
                 const char *separator) {
  std::vector<std::string> known;
  std::string text;
  for (uint32_t i = 0; i < count; ++i) {
    if (!*texts[i] ||
        std::find(known.begin(), known.end(), texts[i]) != known.end())
      continue;
    text += (known.empty() ? "" : separator) + std::string(texts[i]);
    known.push_back(texts[i]);
  }
  return text;
}

} // namespace

Profile::Profile(const Model &model, const ampc_profile &recorded)
    : name(model.api()->name(model.api())), recorded(recorded),
      launches(recorded.num_launches) {
  for (uint32_t i = 0; i < launches.size(); ++i)
    launches[i].what = &recorded.launches[i];
  leaveOutRun();
}

std::unique_ptr<Profile> Profile::begin(const Model &model,
                                        const std::string &path,
                                        std::string &error) {
  if (const ampc_profile *recorded = model.profile())
    return std::unique_ptr<Profile>(new Profile(model, *recorded));
  error = path + ": records no times; compile the model with ampc --profile";
  return nullptr;
}

void Profile::leaveOutRun() {
  for (uint32_t i = 0; i < launches.size(); ++i)
    launches[i].seen = recorded.times[i];
}

void Profile::addRun(double seconds) {
  for (uint32_t i = 0; i < launches.size(); ++i) {
    Launch &launch = launches[i];
    ampc_launch_times before = launch.seen;
    launch.seen = recorded.times[i];
    uint64_t calls = launch.seen.calls - before.calls;
    if (!calls) // In a branch that was not taken.
      continue;
    uint64_t time = launch.seen.total_ns - before.total_ns;
    launch.minimum = launch.runs ? std::min(launch.minimum, time) : time;
    launch.total += time;
    launch.calls += calls;
    ++launch.runs;
  }
  double wall = seconds * 1e9;
  wallMinimum = runs ? std::min(wallMinimum, wall) : wall;
  wallTotal += wall;
  ++runs;
}

std::vector<const Profile::Launch *> Profile::slowestFirst() const {
  std::vector<const Launch *> sorted;
  for (const Launch &launch : launches)
    sorted.push_back(&launch);
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const Launch *a, const Launch *b) { return a->minimum > b->minimum; });
  return sorted;
}

double Profile::sumOfMinimums() const {
  double sum = 0;
  for (const Launch &launch : launches)
    sum += double(launch.minimum);
  return sum;
}

void Profile::print() const {
  double sum = sumOfMinimums();
  std::printf("\n  share  min us  mean us  calls  %-18s %-28s nodes\n",
              "kernel", "ops");
  for (const Launch *launch : slowestFirst()) {
    const ampc_launch &what = *launch->what;
    double calls =
        launch->runs ? double(launch->calls) / double(launch->runs) : 0;
    std::printf("%6.2f%% %7.1f %8.1f %6.4g  %-18s %-28s %s\n",
                sum ? 100 * double(launch->minimum) / sum : 0,
                double(launch->minimum) / 1e3, launch->mean() / 1e3, calls,
                cell(what.kernel, 18).c_str(),
                cell(join(what.ops, what.num_nodes, "+"), 28).c_str(),
                cell(join(what.nodes, what.num_nodes, ", "), 100).c_str());
  }
  std::printf("sum of minimums %.1f us, %.1f%% of the shortest run's %.1f us\n",
              sum / 1e3, wallMinimum ? 100 * sum / wallMinimum : 0,
              wallMinimum / 1e3);
}

bool Profile::write(const std::string &file, std::string &error) const {
  double sum = sumOfMinimums();
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Launch *launch : slowestFirst()) {
    const ampc_launch &what = *launch->what;
    nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
    for (uint32_t i = 0; i < what.num_nodes; ++i)
      nodes.push_back({{"name", what.nodes[i]}, {"op", what.ops[i]}});
    list.push_back({{"kernel", what.kernel},
                    {"operands", what.operands},
                    {"nodes", nodes},
                    {"runs", launch->runs},
                    {"calls", launch->calls},
                    {"share", sum ? double(launch->minimum) / sum : 0},
                    {"minimum_us", double(launch->minimum) / 1e3},
                    {"mean_us", launch->mean() / 1e3}});
  }
  nlohmann::ordered_json document = {
      {"model", name},
      {"runs", runs},
      {"wall_minimum_us", wallMinimum / 1e3},
      {"wall_mean_us", wallTotal / double(runs) / 1e3},
      {"launches", list}};
  // A name that is no UTF-8 is no reason to write nothing.
  std::string text = document.dump(
      2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return writeFile(file, text + "\n", nullptr, 0, error);
}
