#include "tests/process/faulty_calls.h"

#include <dlfcn.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <utility>

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define HEADRACE_TESTS_FILLED(data, size) __msan_unpoison(data, size)
#endif
#endif
#ifndef HEADRACE_TESTS_FILLED
#define HEADRACE_TESTS_FILLED(data, size) static_cast<void>(data)
#endif

namespace headrace::testing {
namespace {

std::atomic<FaultyCalls*> current = nullptr;

// What the program would call without this file.
template <class Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Whether the call is to happen, with perhaps fewer bytes.
bool IsAllowed(size_t* size) {
  FaultyCalls* const faults = current;
  const int error = faults ? faults->Decide(size) : 0;
  if (error != 0) errno = error;
  return error == 0;
}

bool IsAllowed(std::string_view step) {
  FaultyCalls* const faults = current;
  const int error = faults ? faults->DecideStep(step) : 0;
  if (error != 0) errno = error;
  return error == 0;
}

// The sanitizer of memory does not see the call.
ssize_t Filled(void* out, ssize_t size) {
  if (size > 0) HEADRACE_TESTS_FILLED(out, static_cast<size_t>(size));
  return size;
}

}  // namespace

FaultyCalls::FaultyCalls(Rule rule, StepRule step_rule)
    : rule_(std::move(rule)), step_rule_(std::move(step_rule)) {
  if (current.exchange(this) != nullptr) std::abort();
}

FaultyCalls::~FaultyCalls() { current = nullptr; }

FaultyCalls::Rule WholeCalls() {
  return [](size_t, size_t*) { return 0; };
}

FaultyCalls::Rule ShortCalls(size_t most) {
  return [most](size_t, size_t* size) {
    *size = std::min(*size, most);
    return 0;
  };
}

FaultyCalls::Rule RandomCalls(unsigned seed) {
  return [seed](size_t call, size_t* size) {
    const uint64_t mixed = (call + seed + 1) * 6364136223846793005u;
    *size = std::min<size_t>(*size, 1 + (mixed >> 33) % 5000);
    return 0;
  };
}

FaultyCalls::Rule InterruptedCalls(size_t times, size_t most) {
  return [times, most](size_t call, size_t* size) {
    *size = std::min(*size, most);
    return call % (times + 1) < times ? EINTR : 0;
  };
}

FaultyCalls::Rule FailingFrom(size_t first, int error, size_t most) {
  return [first, error, most](size_t call, size_t* size) {
    *size = std::min(*size, most);
    return call >= first ? error : 0;
  };
}

// Under names of their own, for headers may make the others inline functions or
// other symbols; the assembler adds those.
extern "C" {
ssize_t FaultyRead(int descriptor, void* out, size_t size);
ssize_t FaultyWrite(int descriptor, const void* data, size_t size);
ssize_t FaultyPread(int descriptor, void* out, size_t size, off_t offset);
// What pread becomes where files may be large.
ssize_t FaultyPread64(int descriptor, void* out, size_t size, off64_t offset);
int FaultyFsync(int descriptor);
int FaultyRename(const char* from, const char* to);
}
__asm__(
    ".globl read, write, pread, pread64, fsync, rename\n"
    ".set read, FaultyRead\n"
    ".set write, FaultyWrite\n"
    ".set pread, FaultyPread\n"
    ".set pread64, FaultyPread64\n"
    ".set fsync, FaultyFsync\n"
    ".set rename, FaultyRename\n");

int FaultyFsync(int descriptor) {
  static const auto real = Real<decltype(FaultyFsync)>("fsync");
  return IsAllowed("fsync") ? real(descriptor) : -1;
}

int FaultyRename(const char* from, const char* to) {
  static const auto real = Real<decltype(FaultyRename)>("rename");
  return IsAllowed("rename") ? real(from, to) : -1;
}

ssize_t FaultyRead(int descriptor, void* out, size_t size) {
  static const auto real = Real<decltype(FaultyRead)>("read");
  return IsAllowed(&size) ? Filled(out, real(descriptor, out, size)) : -1;
}

ssize_t FaultyWrite(int descriptor, const void* data, size_t size) {
  static const auto real = Real<decltype(FaultyWrite)>("write");
  return IsAllowed(&size) ? real(descriptor, data, size) : -1;
}

ssize_t FaultyPread(int descriptor, void* out, size_t size, off_t offset) {
  static const auto real = Real<decltype(FaultyPread)>("pread");
  return IsAllowed(&size) ? Filled(out, real(descriptor, out, size, offset))
                          : -1;
}

ssize_t FaultyPread64(int descriptor, void* out, size_t size, off64_t offset) {
  static const auto real = Real<decltype(FaultyPread64)>("pread64");
  return IsAllowed(&size) ? Filled(out, real(descriptor, out, size, offset))
                          : -1;
}

}  // namespace headrace::testing
