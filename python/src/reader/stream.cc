#include "python/src/reader/stream.h"

#include <nanobind/nanobind.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "python/src/reader/warnings.h"

namespace headrace::python {
namespace {

namespace nb = nanobind;

// Releases the GIL, whether or not this thread holds it, since the reader's
// threads may need it.
class WithoutGil {
  nb::gil_scoped_acquire acquire_;
  nb::error_scope pending_;
  nb::gil_scoped_release release_;
};

struct StreamState {
  std::shared_ptr<ReaderCore> core;
  ArrowOptions options;
  std::shared_ptr<PendingException> pending;
  Plan plan;
  std::string error;
};

StreamState* StateOf(ArrowArrayStream* stream) {
  return static_cast<StreamState*>(stream->private_data);
}

int Fail(StreamState* state, const Status& status) {
  state->error = status.ToString();
  // The consumer cannot handle exceptions, but Ctrl-C must not be lost.
  state->pending->ThrowLater();
  return status.code() == ErrorCode::kOutOfMemory ? ENOMEM : EIO;
}

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  StreamState* state = StateOf(stream);
  const Status status = ExportSchema(state->plan, state->options, out);
  return status.ok() ? 0 : Fail(state, status);
}

// Warns. Returns the text of the exception if the program turns warnings into
// errors, otherwise an empty text.
std::string Warn(const ReadReport& report, bool of_part) {
  const nb::gil_scoped_acquire gil;
  const nb::error_scope pending;
  try {
    WarnOf(report, of_part);
    return "";
  } catch (nb::python_error& error) {
    return error.what();
  }
}

Result<std::optional<Batch>> NextOf(ReaderCore* core,
                                    std::optional<ReadReport>* warning) {
  if (!core->is_of_this_process()) {
    return Status(ErrorCode::kInvalidArgument,
                  "a reader does not survive a fork");
  }
  if (!core->TryEnter()) {
    return Status(ErrorCode::kInvalidArgument,
                  "the reader is being used by another thread");
  }
  auto batch = core->Next();
  *warning = core->TakeWarning();
  core->Leave();
  return batch;
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  StreamState* state = StateOf(stream);
  out->release = nullptr;
  std::optional<WithoutGil> without;
  if (state->core->calls_python()) without.emplace();
  std::optional<ReadReport> warning;
  const auto batch = NextOf(state->core.get(), &warning);
  if (!batch.ok()) return Fail(state, batch.status());
  if (warning) {
    const std::string error = Warn(*warning, state->core->reads_part());
    if (!error.empty()) {
      return Fail(state, Status(ErrorCode::kInvalidArgument, error));
    }
  }
  if (!batch) return 0;
  const Status status = ExportBatch(*batch, state->options, out);
  if (status.ok()) return 0;
  state->core->NoteFailure(status);
  return Fail(state, status);
}

const char* GetLastError(ArrowArrayStream* stream) {
  const std::string& error = StateOf(stream)->error;
  return error.empty() ? nullptr : error.c_str();
}

void ReleaseStream(ArrowArrayStream* stream) {
  StreamState* state = StateOf(stream);
  {
    std::optional<WithoutGil> without;
    if (state->core->calls_python()) without.emplace();
    delete state;
  }
  stream->release = nullptr;
}

}  // namespace

void MakeStream(std::shared_ptr<ReaderCore> core, ArrowOptions options,
                std::shared_ptr<PendingException> pending,
                ArrowArrayStream* out) {
  Plan plan = core->plan();
  *out = {.get_schema = &GetSchema,
          .get_next = &GetNext,
          .get_last_error = &GetLastError,
          .release = &ReleaseStream,
          .private_data = new StreamState{std::move(core),
                                          std::move(options),
                                          std::move(pending),
                                          std::move(plan),
                                          {}}};
}

}  // namespace headrace::python
