// The Python class _core.Reader: batches, positions and reports of a
// ReaderCore, signals, and the end of all readers at exit.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "python/src/arrow_capsule.h"
#include "python/src/batch.h"
#include "python/src/error.h"
#include "python/src/plan.h"
#include "python/src/reader/core.h"
#include "python/src/reader/input.h"
#include "python/src/reader/options.h"
#include "python/src/reader/stream.h"
#include "python/src/reader/warnings.h"
#include "python/src/stats.h"

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
  // The reader's threads may wait for the GIL, and this waits for them. An
  // exception may be pending while the files are closed.
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
  [[noreturn]] static void Raise(PyObject* type, const char* text) {
    PyErr_SetString(type, text);
    throw nb::python_error();
  }

  ReaderCore& core_;
};

PyReader OpenReader(const std::vector<nb::bytes>& paths, const PyPlan* plan,
                    const nb::dict& options, const nb::object& opener) {
  PyReader reader;
  reader.pending = std::make_shared<PendingException>();
  ReaderArguments arguments = OptionsFrom<ReaderArguments>(options);
  for (const nb::bytes& path : paths) {
    arguments.paths.emplace_back(path.c_str(), path.size());
  }
  if (plan) arguments.plan = plan->plan();
  if (!opener.is_none()) {
    arguments.options.open_input = OpenByPython(opener, reader.pending);
  }
  arguments.options.interrupted = SignalCheck(reader.pending);
  Status status;
  {
    nb::gil_scoped_release release;
    auto core = ReaderCore::Open(std::move(arguments));
    status = core.status();
    if (core.ok()) reader.core = *std::move(core);
  }
  reader.pending->Check(status);
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
  Status status;
  std::optional<Batch> batch;
  {
    nb::gil_scoped_release release;
    auto next = self.core->Next();
    status = next.status();
    if (next) batch = *std::move(next);
  }
  // The batch must not be lost because of an exception from reading later ones.
  if (batch) {
    self.pending->ThrowLater();
  } else {
    self.pending->Check(status);
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
  {
    nb::gil_scoped_release release;
    self.core->Close();
  }
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
  Status status;
  {
    nb::gil_scoped_release release;
    status = self.core->Restart(position);
  }
  self.pending->Check(status);
}

#ifndef HEADRACE_LEAVES_OUT_STATS
// Counts the statistics of at most `most` records, and leaves out up to
// `max_bad` bad ones; without `max_bad` a bad record is an error.
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
  std::optional<Result<FeatureStats>> stats;
  {
    nb::gil_scoped_release release;
    stats = self.core->Count(count);
  }
  self.pending->Check(stats->status());
  WarnOf(report);
  return **std::move(stats);
}
#endif

// Returns a dict from which headrace/reading/reader.py makes Reader.report.
nb::dict Report(const PyReader& self) {
  const Call call(self);
  const ReadReport& report = self.core->report();
  nb::list regions;
  for (const FileRegion& region : report.regions) {
    const SkippedRegion& skipped = region.region;
    regions.append(nb::make_tuple(
        ToText(region.file), skipped.begin,
        skipped.end == kUnknown ? nb::object(nb::none())
                                : nb::object(nb::int_(skipped.end)),
        ToText(NameOf(skipped.reason)), ToText(skipped.message)));
  }
  nb::list rows;
  for (const Status& row : report.rows) rows.append(ExceptionOf(row));
  nb::dict dict;
  dict["regions"] = regions;
  dict["num_regions"] = report.num_regions;
  dict["rows"] = rows;
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

// Throws at the end of the reader. Otherwise a second loop or query over it
// would silently find no rows.
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

// Returns the exception that ended the reading, or None; for a file object, the
// one that it threw.
nb::object Error(const PyReader& self) {
  const Status failure = self.core->failure();
  nb::object error = self.pending->Find(failure);
  return error.is_none() && !failure.ok() ? ExceptionOf(failure) : error;
}

nb::object Stream(PyReader& self) {
  CheckNotAtEnd(self);
  WarnOfBits(self.layout->plan.tensors());
  ArrowArrayStream stream;
  MakeStream(self.core, self.layout->arrow, self.pending, &stream);
  return StreamCapsule(&stream);
}

nb::list FileNames(const PyReader& self) {
  nb::list files;
  for (const std::string& file : self.core->files()) {
    files.append(ToPath(file));
  }
  return files;
}

}  // namespace

void BindReader(nb::module_& m) {
  SignalCheck::main_thread = std::this_thread::get_id();
  m.def("close_readers", [] {
    nb::gil_scoped_release release;
    Readers().CloseAll();
  });
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
      .def_prop_ro("files", &FileNames,
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
