#include "tests/process/single_step.h"

#include <csignal>

// ThreadSanitizer cannot be entered from a handler that its own code was
// interrupted for.
#if defined(__SANITIZE_THREAD__)
#define HEADRACE_TESTS_HAVE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEADRACE_TESTS_HAVE_TSAN 1
#endif
#endif

#if defined(__linux__) && (defined(__x86_64__) || defined(__i386__)) && \
    !defined(HEADRACE_TESTS_HAVE_TSAN)
#define HEADRACE_HAS_TRAP_FLAG 1
#include <ucontext.h>
#endif

namespace headrace::testing {

#ifdef HEADRACE_HAS_TRAP_FLAG
namespace {

// Bit 8 of the flags: the processor traps after the next instruction.
constexpr greg_t kTrapFlag = 0x100;

volatile sig_atomic_t is_stepping = 0;
bool (*between_steps)(void*) = nullptr;
void* between_argument = nullptr;

// The kernel clears the flag for the handler and restores it afterwards.
void OnTrap(int, siginfo_t*, void* context) {
  greg_t& flags = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL];
  if (is_stepping == 0) {
    flags &= ~kTrapFlag;
    return;
  }
  flags |= kTrapFlag;
  if (!between_steps(between_argument)) {
    is_stepping = 0;
    flags &= ~kTrapFlag;
  }
}

}  // namespace

bool CanSingleStep() { return true; }

void SingleStep(bool (*between)(void*), void* argument,
                const std::function<void()>& body) {
  between_steps = between;
  between_argument = argument;
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_sigaction = &OnTrap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, &before);
  is_stepping = 1;
  raise(SIGTRAP);
  body();
  is_stepping = 0;
  // The next instruction has trapped for the last time before this call.
  sigaction(SIGTRAP, &before, nullptr);
}

#else

bool CanSingleStep() { return false; }

void SingleStep(bool (*)(void*), void*, const std::function<void()>& body) {
  body();
}

#endif

}  // namespace headrace::testing
