// Writes regular files under a temporary name and renames them on Close, so
// that no reader sees a partial file. Other outputs are written directly.

#include "headrace/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/out_of_memory.h"
#include "src/base/system_error.h"
#include "src/base/without_content.h"

namespace headrace {
namespace {

// NAME_MAX is 255 nearly everywhere: a long name is cut, not refused.
constexpr size_t kMaxStem = 200;
constexpr int kNameAttempts = 16;
// Maximum number of symbolic links to follow, as in Linux.
constexpr int kMaxLinks = 40;

// Repeats a call that a signal interrupts: not every handler restarts calls.
template <class Call>
int Retrying(Call call) {
  int result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

int OpenRetrying(const std::string& path, int flags, mode_t mode = 0) {
  return Retrying([&] { return open(path.c_str(), flags | O_CLOEXEC, mode); });
}

int SyncRetrying(int fd) {
  return Retrying([fd] { return fsync(fd); });
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string NameOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// Calls a member function of an OutputFile's content, if it has any.
template <class Impl, class... Args>
Status CallOn(Impl* impl, Status (Impl::*function)(Args...), Args... args) {
  if (impl == nullptr) return WithoutContent("OutputFile");
  return CatchOutOfMemory(impl->final_status(),
                          [&] { return (impl->*function)(args...); });
}

// The file that a path names after all its symbolic links.
struct Target {
  std::string path;
  int error = 0;
};

// Resolves all links, even /dev/stdout, whose target only the kernel knows.
Target ExistingTarget(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> real(
      realpath(path.c_str(), nullptr), &free);
  if (!real) return {path, errno};
  return {std::string(real.get())};
}

// Follows the links of a path to a file that does not exist yet, because
// renaming to a link would replace the link.
Target MissingTarget(std::string path) {
  for (int i = 0; i < kMaxLinks; ++i) {
    std::array<char, PATH_MAX> link;
    const ssize_t size = readlink(path.c_str(), link.data(), link.size());
    if (size < 0) return {std::move(path)};
    const std::string to(link.data(), static_cast<size_t>(size));
    path = to.starts_with('/') ? to : FolderOf(path) + "/" + to;
  }
  return {std::move(path), ELOOP};
}

// Returns a hidden name, so that a glob over finished shards does not match it.
Result<std::string> TemporaryName(const std::string& path) {
  uint64_t random = 0;
  ssize_t got;
  do {
    got = getrandom(&random, sizeof(random), 0);
  } while (got < 0 && errno == EINTR);
  if (got != ssize_t{sizeof(random)}) {
    return SystemError("cannot make a random name", errno);
  }
  std::array<char, 24> hex;
  std::snprintf(hex.data(), hex.size(), "%016llx",
                static_cast<unsigned long long>(random));
  return FolderOf(path) + "/." + NameOf(path).substr(0, kMaxStem) + "." +
         hex.data() + ".tmp";
}

}  // namespace

void TemporaryFiles::Remove() const {
  for (const Entry* entry = first_; entry != nullptr; entry = entry->next) {
    unlink(entry->path);
  }
}

// A signal handler may run at any time, so the list is valid at every moment.
void TemporaryFiles::Add(Entry* entry) {
  entry->next = first_;
  first_ = entry;
}

void TemporaryFiles::Drop(Entry* entry) {
  if (first_ == entry) {
    first_ = entry->next;
    return;
  }
  Entry* before = first_;
  while (before != nullptr && before->next != entry) before = before->next;
  if (before != nullptr) before->next = entry->next;
}

class OutputFile::Impl {
 public:
  Impl(std::string name, const OutputFileOptions& options)
      : name_(std::move(name)),
        temporaries_(options.temporaries),
        fsync_(options.fsync),
        stays_in_folder_(options.stays_in_folder) {
    buffer_.resize(std::max<size_t>(options.buffer_bytes, 1));
  }
  ~Impl() { Abandon(); }

  Status Open();
  Status OpenSink(std::unique_ptr<OutputSink> sink);
  Status Write(const uint8_t* data, size_t size);
  Status Flush();
  Status Finish();
  Status Close();

  uint64_t size() const { return size_; }
  const std::string& name() const { return name_; }
  Status* final_status() { return &status_; }

 private:
  Status OpenTarget();
  Status CheckFolder();
  Status CannotCreate(int error);
  Status Refuse(const std::string& why);
  Status OpenTemporary();
  Status TryTemporary();
  void ForgetTemporary();
  Status Put(const uint8_t* data, size_t size);
  Status OfSink(const Status& status);
  Status SyncAndClose();
  Status Publish();
  Status SyncFolder(const std::string& folder);
  Status Fail(const char* what, int error);
  void Abandon();

  std::string name_;
  std::string target_;     // the file that the rename replaces
  std::string temporary_;  // empty: the file is written in place
  TemporaryFiles* temporaries_;
  TemporaryFiles::Entry entry_ = {};  // for temporary_, in temporaries_
  bool fsync_;
  bool stays_in_folder_;
  bool owned_ = true;  // false: standard output stays open
  bool finished_ = false;
  bool closed_ = false;
  std::unique_ptr<OutputSink> sink_;  // the caller's; null: there is a file
  int fd_ = -1;
  mode_t mode_ = 0;  // of the file that is replaced; 0: none
  uint64_t size_ = 0;
  size_t used_ = 0;
  std::vector<uint8_t> buffer_;
  Status status_;
};

Status OutputFile::Impl::Fail(const char* what, int error) {
  status_ = SystemError(what, error, name_);
  Abandon();
  return status_;
}

void OutputFile::Impl::Abandon() {
  if (fd_ >= 0 && owned_) close(fd_);
  fd_ = -1;
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  ForgetTemporary();
}

void OutputFile::Impl::ForgetTemporary() {
  if (temporaries_ != nullptr) temporaries_->Drop(&entry_);
  temporary_.clear();
}

Status OutputFile::Impl::Open() {
  if (name_ == "-") {
    name_ = "<stdout>";
    fd_ = STDOUT_FILENO;
    owned_ = false;
    fsync_ = false;
    return Status();
  }
  if (name_.empty()) return Fail("cannot create a file", ENOENT);
  return OpenTarget();
}

Status OutputFile::Impl::OpenSink(std::unique_ptr<OutputSink> sink) {
  sink_ = std::move(sink);
  if (sink_ != nullptr) return Status();
  return OfSink(Status(ErrorCode::kInvalidArgument,
                       "expected an OutputSink, found a null pointer"));
}

// Makes a failure final and adds the name of the output.
Status OutputFile::Impl::OfSink(const Status& status) {
  if (status.ok()) return status;
  return status_ = NameFile(status, name_);
}

Status OutputFile::Impl::OpenTarget() {
  struct stat info;
  const bool exists = stat(name_.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) return Fail("cannot create a file", errno);
  if (exists && S_ISDIR(info.st_mode)) return Fail("cannot write", EISDIR);
  // Renaming would replace a device with a file.
  if (exists && !S_ISREG(info.st_mode)) {
    if (stays_in_folder_) return Refuse("is a pipe or a device");
    fsync_ = false;
    fd_ = OpenRetrying(name_, O_WRONLY);
    return fd_ < 0 ? Fail("cannot open", errno) : Status();
  }
  if (exists) mode_ = info.st_mode & 0777;
  Target target = exists ? ExistingTarget(name_) : MissingTarget(name_);
  if (target.error != 0) return CannotCreate(target.error);
  target_ = std::move(target.path);
  if (stays_in_folder_) {
    if (Status status = CheckFolder(); !status.ok()) return status;
  }
  return OpenTemporary();
}

// Checks that the target, which need not exist, is in the folder of the name or
// below it. A folder that cannot be resolved counts as a different folder.
Status OutputFile::Impl::CheckFolder() {
  const Target outer = ExistingTarget(FolderOf(name_));
  if (outer.error != 0) return CannotCreate(outer.error);
  const Target folder = ExistingTarget(FolderOf(target_));
  if (folder.error == ENOMEM) return CannotCreate(ENOMEM);
  const bool is_inside =
      folder.error == 0 &&
      (outer.path == "/" || (folder.path + "/").starts_with(outer.path + "/"));
  if (is_inside) return Status();
  return Refuse("is a link to " + target_ + ", in another folder");
}

Status OutputFile::Impl::CannotCreate(int error) {
  if (error == ENOMEM) return Status::OutOfMemory();
  return Fail("cannot create a file", error);
}

Status OutputFile::Impl::Refuse(const std::string& why) {
  return status_ = Status(ErrorInfo{
             .code = ErrorCode::kIo,
             .message = "cannot be written: it " + why + "; remove it first",
             .file = name_});
}

Status OutputFile::Impl::OpenTemporary() {
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    if (Status status = TryTemporary(); !status.ok()) return status;
    if (fd_ < 0) continue;
    if (mode_ != 0 && Retrying([&] { return fchmod(fd_, mode_); }) != 0) {
      return Fail("cannot set permissions", errno);
    }
    return Status();
  }
  return Fail("cannot create a file", EEXIST);
}

// Returns success without opening a file if a file of the random name exists.
Status OutputFile::Impl::TryTemporary() {
  Result<std::string> temporary = TemporaryName(target_);
  if (!temporary) return status_ = temporary.status();
  temporary_ = *std::move(temporary);
  // A signal handler must know the file before it exists.
  entry_.path = temporary_.c_str();
  if (temporaries_ != nullptr) temporaries_->Add(&entry_);
  fd_ = OpenRetrying(temporary_, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (fd_ >= 0) return Status();
  const int error = errno;
  ForgetTemporary();
  return error == EEXIST ? Status() : Fail("cannot create a file", error);
}

// Writes all or fails. write() may write less than asked for. It may write
// nothing after a signal, or if another process has made the stream
// non-blocking.
Status OutputFile::Impl::Put(const uint8_t* data, size_t size) {
  if (sink_ != nullptr && size > 0) return OfSink(sink_->Write({data, size}));
  while (size > 0) {
    const ssize_t put = write(fd_, data, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) {
      pollfd waiting = {.fd = fd_, .events = POLLOUT, .revents = 0};
      if (poll(&waiting, 1, -1) >= 0 || errno == EINTR) continue;
    }
    if (put < 0) return Fail("write failed", errno);
    data += put;
    size -= static_cast<size_t>(put);
  }
  return Status();
}

Status OutputFile::Impl::Write(const uint8_t* data, size_t size) {
  if (!status_.ok()) return status_;
  if (finished_) {
    return Status(ErrorCode::kInvalidArgument, "write after Finish or Close");
  }
  size_ += size;
  if (size <= buffer_.size() - used_) {
    if (size > 0) std::memcpy(buffer_.data() + used_, data, size);
    used_ += size;
    return Status();
  }
  if (Status status = Flush(); !status.ok()) return status;
  if (size >= buffer_.size()) return Put(data, size);
  std::memcpy(buffer_.data(), data, size);
  used_ = size;
  return Status();
}

Status OutputFile::Impl::Flush() {
  if (!status_.ok()) return status_;
  const size_t size = std::exchange(used_, 0);
  return Put(buffer_.data(), size);
}

Status OutputFile::Impl::SyncAndClose() {
  if (sink_ != nullptr) return OfSink(sink_->Close());
  if (fsync_ && SyncRetrying(fd_) != 0) return Fail("fsync failed", errno);
  if (!owned_) {
    fd_ = -1;
    return Status();
  }
  // The descriptor is closed even if close() fails, so EINTR is not a failure.
  const int fd = std::exchange(fd_, -1);
  if (close(fd) != 0 && errno != EINTR) return Fail("close failed", errno);
  return Status();
}

Status OutputFile::Impl::SyncFolder(const std::string& folder) {
  const int fd = OpenRetrying(folder, O_RDONLY | O_DIRECTORY);
  if (fd < 0) return Fail("cannot open the folder", errno);
  const int error = SyncRetrying(fd) == 0 ? 0 : errno;
  close(fd);
  // Some file systems cannot sync a folder; that loses no data.
  return error == 0 || error == EINVAL ? Status() : Fail("fsync failed", error);
}

Status OutputFile::Impl::Publish() {
  if (temporary_.empty()) return Status();
  // After the rename nothing may allocate, so the folder is found first.
  const std::string folder = FolderOf(target_);
  if (rename(temporary_.c_str(), target_.c_str()) != 0) {
    return Fail("rename failed", errno);
  }
  ForgetTemporary();
  return fsync_ ? SyncFolder(folder) : Status();
}

Status OutputFile::Impl::Finish() {
  if (!status_.ok()) return status_;
  if (std::exchange(finished_, true)) {
    return Status(ErrorCode::kInvalidArgument, "Finish after Finish or Close");
  }
  if (Status status = Flush(); !status.ok()) return status;
  return SyncAndClose();
}

Status OutputFile::Impl::Close() {
  if (!status_.ok()) return status_;
  if (std::exchange(closed_, true)) {
    return Status(ErrorCode::kInvalidArgument, "Close called twice");
  }
  if (!finished_) {
    if (Status status = Finish(); !status.ok()) return status;
  }
  return Publish();
}

Result<OutputFile> OutputFile::Open(const std::string& path,
                                    const OutputFileOptions& options) {
  return CatchOutOfMemory([&]() -> Result<OutputFile> {
    auto impl = std::make_unique<Impl>(path, options);
    if (Status status = impl->Open(); !status.ok()) return status;
    return OutputFile(std::move(impl));
  });
}

Result<OutputFile> OutputFile::ToSink(std::unique_ptr<OutputSink> sink,
                                      const std::string& name,
                                      const OutputFileOptions& options) {
  return CatchOutOfMemory([&]() -> Result<OutputFile> {
    auto impl = std::make_unique<Impl>(name, options);
    if (Status status = impl->OpenSink(std::move(sink)); !status.ok()) {
      return status;
    }
    return OutputFile(std::move(impl));
  });
}

OutputFile::OutputFile(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)), name_(impl_->name()) {}
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

Status OutputFile::Write(const void* data, size_t size) {
  return CallOn(impl_.get(), &Impl::Write, static_cast<const uint8_t*>(data),
                size);
}
Status OutputFile::Flush() { return CallOn(impl_.get(), &Impl::Flush); }
Status OutputFile::Finish() { return CallOn(impl_.get(), &Impl::Finish); }
Status OutputFile::Close() { return CallOn(impl_.get(), &Impl::Close); }
uint64_t OutputFile::size() const { return impl_ ? impl_->size() : 0; }

}  // namespace headrace
