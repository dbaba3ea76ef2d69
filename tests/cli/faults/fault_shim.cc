// Preloaded into the program under test: one of its calls of the operating
// system goes wrong.
//
//   HEADRACE_FAULT=CALL:NUMBER:ACTION
//
// CALL is a name (open, read, write, close, rename, fchmod, fstat, stat,
// unlink, poll) or "any", NUMBER counts its calls from 0, and ACTION is one of
//
//   fail=ERRNO     it fails, and happens not
//   short          this one and all after it move half of what is asked for
//   signal=NUMBER  the process gets that signal before it
//
// HEADRACE_FAULT_SEEN=PATH: a file that is made when the call has come.

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace {

// What the program would call without this file.
template <class Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct Fault {
  std::string_view call;
  long number = 0;
  std::string_view action;
  int value = 0;
  const char* seen = nullptr;
};

Fault ReadFault() {
  Fault fault;
  const char* const text = std::getenv("HEADRACE_FAULT");
  fault.seen = std::getenv("HEADRACE_FAULT_SEEN");
  if (text == nullptr || fault.seen == nullptr) return fault;
  std::string_view rest(text);
  const size_t first = rest.find(':');
  const size_t second = rest.find(':', first + 1);
  fault.call = rest.substr(0, first);
  fault.number = std::atol(text + first + 1);
  fault.action = rest.substr(second + 1);
  const size_t equals = fault.action.find('=');
  if (equals == std::string_view::npos) return fault;
  fault.value = std::atoi(fault.action.data() + equals + 1);
  fault.action = fault.action.substr(0, equals);
  return fault;
}

const Fault& TheFault() {
  static const Fault fault = ReadFault();
  return fault;
}

// Past this file, so that it is not counted.
void MarkSeen() {
  const long fd = syscall(SYS_openat, AT_FDCWD, TheFault().seen,
                          O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) syscall(SYS_close, fd);
}

// One call; `size` is how many bytes it is to move.
class Step {
 public:
  explicit Step(std::string_view name, size_t* size = nullptr) {
    static std::atomic<long> count = 0;
    const Fault& fault = TheFault();
    if (fault.call != name && fault.call != "any") return;
    const long number = count++;
    if (fault.action == "short" && number >= fault.number) {
      if (size != nullptr) *size = std::max<size_t>(1, *size / 2);
    }
    if (number != fault.number) return;
    MarkSeen();
    fails_ = fault.action == "fail";
    if (fault.action == "signal") kill(getpid(), fault.value);
  }
  // Sets errno.
  bool fails() const {
    if (fails_) errno = TheFault().value;
    return fails_;
  }

 private:
  bool fails_ = false;
};

}  // namespace

// Under names of their own, for headers may make the others inline functions or
// other symbols; the assembler adds those.
extern "C" {
int ShimOpen(const char* path, int flags, mode_t mode);
ssize_t ShimRead(int fd, void* out, size_t size);
ssize_t ShimPread(int fd, void* out, size_t size, off64_t offset);
ssize_t ShimWrite(int fd, const void* data, size_t size);
int ShimClose(int fd);
int ShimRename(const char* from, const char* to);
int ShimUnlink(const char* path);
int ShimFchmod(int fd, mode_t mode);
int ShimFstat(int fd, struct stat64* info);
int ShimStat(const char* path, struct stat64* info);
int ShimPoll(struct pollfd* fds, nfds_t count, int timeout);
}
__asm__(
    ".globl open, open64, read, pread, pread64, write, close, rename, unlink\n"
    ".globl fchmod, fstat, fstat64, stat, stat64, poll\n"
    ".set open, ShimOpen\n"
    ".set open64, ShimOpen\n"
    ".set read, ShimRead\n"
    ".set pread, ShimPread\n"
    ".set pread64, ShimPread\n"
    ".set write, ShimWrite\n"
    ".set close, ShimClose\n"
    ".set rename, ShimRename\n"
    ".set unlink, ShimUnlink\n"
    ".set fchmod, ShimFchmod\n"
    ".set fstat, ShimFstat\n"
    ".set fstat64, ShimFstat\n"
    ".set stat, ShimStat\n"
    ".set stat64, ShimStat\n"
    ".set poll, ShimPoll\n");

int ShimOpen(const char* path, int flags, mode_t mode) {
  static const auto real = Real<int(const char*, int, ...)>("open64");
  const Step step("open");
  return step.fails() ? -1 : real(path, flags, mode);
}

ssize_t ShimRead(int fd, void* out, size_t size) {
  static const auto real = Real<decltype(ShimRead)>("read");
  const Step step("read", &size);
  return step.fails() ? -1 : real(fd, out, size);
}

ssize_t ShimPread(int fd, void* out, size_t size, off64_t offset) {
  static const auto real = Real<decltype(ShimPread)>("pread64");
  const Step step("read", &size);
  return step.fails() ? -1 : real(fd, out, size, offset);
}

ssize_t ShimWrite(int fd, const void* data, size_t size) {
  static const auto real = Real<decltype(ShimWrite)>("write");
  const Step step("write", &size);
  return step.fails() ? -1 : real(fd, data, size);
}

// The descriptor is gone whatever the answer is.
int ShimClose(int fd) {
  static const auto real = Real<decltype(ShimClose)>("close");
  const Step step("close");
  const int result = real(fd);
  return step.fails() ? -1 : result;
}

int ShimRename(const char* from, const char* to) {
  static const auto real = Real<decltype(ShimRename)>("rename");
  const Step step("rename");
  return step.fails() ? -1 : real(from, to);
}

int ShimUnlink(const char* path) {
  static const auto real = Real<decltype(ShimUnlink)>("unlink");
  const Step step("unlink");
  return step.fails() ? -1 : real(path);
}

int ShimFchmod(int fd, mode_t mode) {
  static const auto real = Real<decltype(ShimFchmod)>("fchmod");
  const Step step("fchmod");
  return step.fails() ? -1 : real(fd, mode);
}

int ShimFstat(int fd, struct stat64* info) {
  static const auto real = Real<decltype(ShimFstat)>("fstat64");
  const Step step("fstat");
  return step.fails() ? -1 : real(fd, info);
}

int ShimStat(const char* path, struct stat64* info) {
  static const auto real = Real<decltype(ShimStat)>("stat64");
  const Step step("stat");
  return step.fails() ? -1 : real(path, info);
}

int ShimPoll(struct pollfd* fds, nfds_t count, int timeout) {
  static const auto real = Real<decltype(ShimPoll)>("poll");
  const Step step("poll");
  return step.fails() ? -1 : real(fds, count, timeout);
}
