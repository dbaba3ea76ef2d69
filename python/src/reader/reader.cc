// The Python class _core.Reader: batches, positions, reports and the Arrow
// stream of a ReaderCore. Checks for signals, and ends all readers at exit.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "python/src/arrow_capsule.h"
#include "python/src/batch.h"
#include "python/src/error.h"
#include "python/src/plan.h"
#include "python/src/reader/allocator.h"
#include "python/src/reader/core.h"
#include "python/src/reader/input.h"
#include "python/src/reader/options.h"
#include "python/src/reader/warnings.h"

namespace headrace::python {
namespace {

struct PyReader {
  std::shared_ptr<ReaderCore> core;
  SharedLayout layout;
  std::shared_ptr<PendingException> pending;
  std::optional<Batch> held;  // a warning was raised instead of returning it

  PyReader() = default;
  PyReader(PyReader&&) = default;
  PyReader& operator=(PyReader&&) = default;
  // The destructor waits for the reader's threads, which may wait for the GIL.
  // An exception may be pending while the files are closed.
  ~PyReader() {
    const nb::error_scope pending_error;
    const nb::gil_scoped_release release;
    core.reset();
  }
};

// The threads of all live readers must end before the interpreter does.
class Registry {
 public:
  void Add(const std::shared_ptr<ReaderCore>& core) {
    const std::lock_guard lock(mutex_);
    std::erase_if(cores_, [](const auto& other) { return other.expired(); });
    cores_.push_back(core);
  }

  void CloseAll() {
    std::vector<std::shared_ptr<ReaderCore>> live;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& core : cores_) {
        if (auto strong = core.lock()) live.push_back(std::move(strong));
      }
    }
    for (const auto& core : live) {
      if (!core->is_of_this_process() || !core->TryEnter()) continue;
      core->Close();
      core->Leave();
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<ReaderCore>> cores_;
};

Registry& Readers() {
  static auto* registry = new Registry;
  return *registry;
}

// Checks for Ctrl-C in the main thread every 50 ms. Most batches take less, so
// they never wait for the GIL.
class SignalCheck {
 public:
  explicit SignalCheck(std::shared_ptr<PendingException> pending)
      : pending_(std::move(pending)) {}

  bool operator()() {
    if (std::this_thread::get_id() != main_thread) return false;
    const auto now = Clock::now();
    if (now - last_ < kPause) return false;
    last_ = now;
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() == 0) return false;
    pending_->KeepUrgent(nb::python_error());
    return true;
  }

  // Set when the module is imported.
  static inline std::thread::id main_thread;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kPause = std::chrono::milliseconds(50);

  std::shared_ptr<PendingException> pending_;
  Clock::time_point last_ = {};
};

class Call {
 public:
  explicit Call(const PyReader& reader) : core_(*reader.core) {
    if (!core_.is_of_this_process()) {
      Raise(PyExc_RuntimeError,
            "a reader does not survive a fork; open it in the process that "
            "reads");
    }
    if (!core_.TryEnter()) {
      Raise(PyExc_RuntimeError,
            "this reader is being used by another thread; give each thread "
            "its own, or take turns");
    }
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() { core_.Leave(); }

 private:
  ReaderCore& core_;
};

PyReader OpenReader(const std::vector<nb::bytes>& paths, const PyPlan* plan,
                    const nb::dict& options, const nb::object& opener) {
  PyReader reader;
  reader.pending = std::make_shared<PendingException>();
  ReaderArguments arguments = OptionsFrom<ReaderArguments>(options);
  arguments.paths = StringsOf(paths);
  if (plan) arguments.plan = plan->plan();
  arguments.options.open_input = OpenByPython(opener, reader.pending);
  arguments.options.interrupted = SignalCheck(reader.pending);
  arguments.options.allocator = AllocatorByPython(options, reader.pending);
  auto core =
      WithoutGil([&] { return ReaderCore::Open(std::move(arguments)); });
  reader.pending->Check(core.status());
  reader.core = *std::move(core);
  Readers().Add(reader.core);
  ArrowOptions arrow = OptionsFrom<ArrowOptions>(options);
  arrow.files = reader.core->files();
  reader.layout =
      std::make_shared<BatchLayout>(reader.core->plan(), std::move(arrow));
  return reader;
}

PyBatch Next(PyReader& self) {
  const Call call(self);
  if (self.held) {
    return PyBatch{*std::exchange(self.held, std::nullopt), self.layout};
  }
  Result<std::optional<Batch>> next =
      WithoutGil([&] { return self.core->Next(); });
  std::optional<Batch> batch;
  // The batch must not be lost because of an exception from reading later
  // batches.
  if (next) {
    batch = *std::move(next);
    self.pending->ThrowLater();
  } else {
    self.pending->Check(next.status());
  }
  if (const auto warning = self.core->TakeWarning()) {
    self.held = std::move(batch);
    WarnOf(*warning, self.core->reads_part());
    batch = std::exchange(self.held, std::nullopt);
  }
  if (!batch) throw nb::stop_iteration();
  return PyBatch{*std::move(batch), self.layout};
}

void Close(PyReader& self, bool warns) {
  // A forked child does not close the reader of its parent.
  if (!self.core->is_of_this_process()) return;
  const Call call(self);
  WithoutGil([&] { self.core->Close(); });
  const auto warning = self.core->TakeWarning();
  if (warning && warns) WarnOf(*warning, self.core->reads_part());
}

nb::object Position(const PyReader& self) {
  const Call call(self);
  const ReaderPosition& position = self.core->position();
  nb::dict dict;
  dict["epoch"] = position.epoch;
  dict["rows"] = position.num_rows;
  if (position.last) {
    dict["file"] = position.last->file;
    dict["offset"] = position.last->offset;
    dict["record"] = position.last->record;
    dict["recovered"] = position.last->recovered;
  }
  return dict;
}

void Restart(PyReader& self, const nb::dict& state) {
  const Call call(self);
  ReaderPosition position;
  position.epoch = nb::cast<uint64_t>(state["epoch"]);
  position.num_rows = nb::cast<uint64_t>(state["rows"]);
  if (state.contains("record")) {
    position.last = RowOrigin{.record = nb::cast<uint64_t>(state["record"]),
                              .offset = nb::cast<uint64_t>(state["offset"]),
                              .file = nb::cast<uint32_t>(state["file"]),
                              .recovered = nb::cast<bool>(state["recovered"])};
  }
  self.held.reset();
  self.pending->Check(WithoutGil([&] { return self.core->Restart(position); }));
}

#ifndef HEADRACE_LEAVES_OUT_STATS
// Counts the statistics of at most `most` records, and leaves out at most
// `max_bad` bad records. Without `max_bad` a bad record is an error.
FeatureStats CountOf(PyReader& self, const nb::dict& options, size_t threads,
                     std::optional<uint64_t> most,
                     std::optional<uint64_t> max_bad) {
  const Call call(self);
  CountOptions count{.stats = StatsOptionsFrom(options), .threads = threads};
  ReadReport report;
  count.notices = &report.notices;
  if (most) count.sample = *most;
  uint64_t num_bad = 0;
  if (max_bad) {
    count.on_row_error = OnRowError::kSkip;
    count.skipped = [&](const Status& error) {
      if (num_bad++ < *max_bad) return Status();
      ErrorInfo info = *error.info();
      info.code = ErrorCode::kTooManyBad;
      info.message = "more than " + std::to_string(*max_bad) +
                     " records are bad; the last one: " + info.message;
      return Status(std::move(info));
    };
  }
  auto stats = WithoutGil([&] { return self.core->Count(count); });
  self.pending->Check(stats.status());
  WarnOf(report);
  return *std::move(stats);
}
#endif

// Returns a dict from which headrace/reading/reader.py makes Reader.report.
nb::dict Report(const PyReader& self) {
  const Call call(self);
  const ReadReport& report = self.core->report();
  nb::dict dict;
  dict["regions"] = ToList(report.regions, [](const FileRegion& region) {
    const SkippedRegion& skipped = region.region;
    return nb::make_tuple(ToText(region.file), skipped.begin,
                          ToEnd(skipped.end), ToText(NameOf(skipped.reason)),
                          ToText(skipped.message));
  });
  dict["num_regions"] = report.num_regions;
  dict["rows"] = ToList(report.rows, &ExceptionOf);
  dict["num_rows"] = report.num_rows;
  dict["late"] = LateFeatures(report.late);
  dict["num_late"] = report.num_late;
  dict["absent"] = AbsentFeatures(report.absent);
  dict["num_lists_left_out"] = report.num_lists_left_out;
  return dict;
}

template <class Get>
auto WhileOpen(Get get) {
  return [get](const PyReader& self) {
    const Call call(self);
    if (self.core->is_closed()) throw nb::value_error("the reader is closed");
    return get(self.core->reader());
  };
}

// Throws if the reader is at its end. Otherwise a second loop over the reader,
// or a second query, would silently find no rows.
void CheckNotAtEnd(const PyReader& self) {
  const Call call(self);
  if (!self.core->at_end()) return;
  Raise(Status(ErrorCode::kInvalidArgument,
               "the reader was read to its end; open it again"));
}

nb::object Iterate(nb::handle self) {
  CheckNotAtEnd(nb::cast<const PyReader&>(self));
  return nb::borrow(self);
}

// Returns the exception that ended the reading, or None. If a file object threw
// it, returns that exception itself.
nb::object Error(const PyReader& self) {
  const Status failure = self.core->failure();
  nb::object error = self.pending->Find(failure);
  return error.is_none() && !failure.ok() ? ExceptionOf(failure) : error;
}

// The Arrow stream, which any thread may read.

// Makes sure that this thread does not hold the GIL, whether or not it did
// before: the reader's threads may need it.
class ReleasedGil {
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

// Warns of what the report contains. Returns the text of the exception if the
// program turns warnings into errors, otherwise an empty text.
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
  std::optional<ReleasedGil> released;
  if (state->core->calls_python()) released.emplace();
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
    std::optional<ReleasedGil> released;
    if (state->core->calls_python()) released.emplace();
    delete state;
  }
  stream->release = nullptr;
}

// Returns a stream of the rows that the reader has not returned yet. The stream
// shares the reader: each row is returned by only one of them.
nb::object Stream(PyReader& self) {
  CheckNotAtEnd(self);
  WarnOfBits(self.layout->plan.tensors());
  ArrowArrayStream stream = {
      .get_schema = &GetSchema,
      .get_next = &GetNext,
      .get_last_error = &GetLastError,
      .release = &ReleaseStream,
      .private_data = new StreamState{.core = self.core,
                                      .options = self.layout->arrow,
                                      .pending = self.pending,
                                      .plan = self.core->plan(),
                                      .error = {}}};
  return StreamCapsule(&stream);
}

}  // namespace

void BindReader(nb::module_& m) {
  SignalCheck::main_thread = std::this_thread::get_id();
  m.def("close_readers", [] { WithoutGil([] { Readers().CloseAll(); }); });
  m.def("absent_text", &AbsentTextOf, nb::arg("absent"), nb::arg("message"),
        nb::arg("of_part"));
  nb::class_<PyReader>(m, "Reader")
      .def(
          "__init__",
          [](PyReader* self, const std::vector<nb::bytes>& paths,
             const PyPlan* plan, const nb::dict& options,
             const nb::object& opener) {
            PyReader reader = OpenReader(paths, plan, options, opener);
            const auto warning = reader.core->TakeWarning();
            if (warning) WarnOf(*warning, reader.core->reads_part());
            new (self) PyReader(std::move(reader));
          },
          nb::arg("paths"), nb::arg("plan").none(), nb::arg("options"),
          nb::arg("opener").none())
      .def("__iter__", &Iterate)
      .def("__next__", &Next)
      .def(
          "close", [](PyReader& self) { Close(self, true); },
          "Ends the threads and closes the files; batches stay valid.")
      .def("_close_quietly", [](PyReader& self) { Close(self, false); })
      .def_prop_ro(
          "plan", [](const PyReader& self) { return PyPlan(self.layout); },
          "The plan of the decoding; its str() is for people.")
      .def_prop_ro(
          "files",
          [](const PyReader& self) {
            return ToList(self.core->files(), &ToPath);
          },
          "The files, after globs and shard sets.")
      .def_prop_ro(
          "message",
          [](const PyReader& self) {
            return NameOf(self.layout->plan.message());
          },
          "\"example\", \"sequence\" or \"raw\".")
      .def_prop_ro("error", &Error,
                   "The exception that the reading failed with, or None. "
                   "Useful for Arrow streams, which have only its text.")
      .def_prop_ro("num_records", WhileOpen([](const Reader& reader) {
                     return reader.num_records();
                   }),
                   "Number of records read so far in this epoch.")
      .def_prop_ro("num_bytes", WhileOpen([](const Reader& reader) {
                     return reader.num_bytes();
                   }),
                   "Bytes of these records, uncompressed and with framing.")
      .def_prop_ro("stored_position", WhileOpen([](const Reader& reader) {
                     return reader.stored_position();
                   }),
                   "Bytes of the stored files read so far, for progress.")
      .def_prop_ro("stored_size", WhileOpen([](const Reader& reader) {
                     return reader.stored_size();
                   }),
                   "Bytes of all stored files; 0 if not known.")
      .def("_position", &Position)
      .def("_restart", &Restart)
      .def("_report", &Report)
#ifndef HEADRACE_LEAVES_OUT_STATS
      .def("_count", &CountOf, nb::arg("options"), nb::arg("threads"),
           nb::arg("most").none(), nb::arg("max_bad").none())
#endif
      .def("__arrow_c_schema__",
           [](const PyReader& self) { return LayoutSchema(*self.layout); })
      .def(
          "__arrow_c_stream__",
          [](PyReader& self, const nb::object& /*requested_schema*/) {
            return Stream(self);
          },
          nb::arg("requested_schema") = nb::none());
}

}  // namespace headrace::python
