//===- Profile.h - What of a run takes the time -----------------*- C++ -*-===//

#ifndef AMPC_TOOLS_AMPC_RUN_PROFILE_H
#define AMPC_TOOLS_AMPC_RUN_PROFILE_H

#include "Model.h"

namespace ampc::run {

/// The times of a model's kernels over several runs of a context.
class Profile {
public:
  /// Null and `error` if the model, from the file `path`, records none.
  static std::unique_ptr<Profile>
  begin(const Model &model, const std::string &path, std::string &error);

  /// Takes in what the last run, which took `seconds` in all, has recorded.
  void addRun(double seconds);
  /// What was recorded so far does not count.
  void leaveOutRun();

  /// A table for people, the slowest first.
  void print() const;

  /// All there is, as JSON.
  bool write(const std::string &file, std::string &error) const;

private:
  /// One launch of a kernel. Times are of a run, in which it may be called any
  /// number of times, and in nanoseconds.
  struct Launch {
    const ampc_launch *what;
    ampc_launch_times seen; ///< When last looked at.
    uint64_t runs, calls, total, minimum;

    double mean() const { return runs ? double(total) / double(runs) : 0; }
  };

  Profile(const Model &model, const ampc_profile &recorded);
  std::vector<const Launch *> slowestFirst() const;
  double sumOfMinimums() const;

  std::string name; ///< The model's.
  const ampc_profile &recorded;
  std::vector<Launch> launches;
  uint64_t runs = 0;
  double wallTotal = 0, wallMinimum = 0; ///< Nanoseconds.
};

} // namespace ampc::run

#endif // AMPC_TOOLS_AMPC_RUN_PROFILE_H
