//===- Child.cpp - Code that may crash or never end -----------------------===//
//
// Compiled with exceptions, which must not leave `work`.
//
//===----------------------------------------------------------------------===//

#include "autotune/Child.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ampc::tune;

[[noreturn]] static void runAndExit(llvm::function_ref<void()> work,
                                    pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1); // It is gone already.
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
    std::signal(signal, SIG_DFL);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  try {
    work();
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

/// What a child has taken of a processor.
static double processorSeconds(pid_t child) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(child, &clock) || clock_gettime(clock, &time))
    return 0; // It ends just now.
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

ChildEnd ampc::tune::runInChild(llvm::function_ref<void()> work,
                                double seconds) {
  using namespace std::chrono;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0)
    return ChildEnd::Crashed;
  if (child == 0)
    runAndExit(work, parent);
  // Of a machine with much else to do a child may get little.
  const auto end = steady_clock::now() +
                   duration_cast<nanoseconds>(duration<double>(20 * seconds));
  auto pause = microseconds(50);
  bool killed = false;
  while (true) {
    int status = 0;
    pid_t ended = waitpid(child, &status, killed ? 0 : WNOHANG);
    if (ended < 0 && errno == EINTR)
      continue;
    if (ended == child && killed)
      return ChildEnd::Hung;
    if (ended == child)
      return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ChildEnd::Done
                                                           : ChildEnd::Crashed;
    if (ended < 0)
      return ChildEnd::Crashed;
    if (steady_clock::now() >= end || processorSeconds(child) >= seconds) {
      kill(child, SIGKILL);
      killed = true;
      continue;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, microseconds(2000));
  }
}
