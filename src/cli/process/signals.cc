#include "src/cli/process/signals.h"

#include <pthread.h>

#include <cerrno>

namespace headrace::cli {
namespace {

// Signals that other programs, users or resource limits send. By default each
// of them ends the program. A mapped file that shrinks raises SIGBUS.
constexpr int kEnding[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                           SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM,
                           SIGPROF, SIGXCPU, SIGBUS};

constinit TemporaryFiles temporaries;
pthread_t main_thread;

sigset_t EndingSet() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kEnding) sigaddset(&set, signal);
  return set;
}

extern "C" void EndBySignal(int signal) {
  const bool is_main = pthread_equal(pthread_self(), main_thread) != 0;
  // Another thread must not read the list of temporary files while the main
  // thread may be changing it, so it forwards the signal. SIGBUS is not
  // forwarded: if its handler returned, the same access would fault again.
  if (!is_main && signal != SIGBUS) {
    const int before = errno;
    pthread_kill(main_thread, signal);
    errno = before;
    return;
  }
  temporaries.Remove();
  // The signal is blocked here, and ends the program when the handler returns.
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  raise(signal);
}

}  // namespace

void PrepareSignals() {
  main_thread = pthread_self();
  for (const int signal : kEnding) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) != 0) continue;
    if (action.sa_handler == SIG_IGN) continue;
    action.sa_handler = EndBySignal;
    action.sa_flags = SA_RESTART;
    action.sa_mask = EndingSet();
    sigaction(signal, &action, nullptr);
  }
}

TemporaryFiles* Temporaries() { return &temporaries; }

Result<OutputFile> OpenOutput(const std::string& path) {
  return OutputFile::Open(path, {.temporaries = &temporaries});
}

HoldSignals::HoldSignals() {
  const sigset_t ending = EndingSet();
  pthread_sigmask(SIG_BLOCK, &ending, &before_);
}

HoldSignals::~HoldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace headrace::cli
