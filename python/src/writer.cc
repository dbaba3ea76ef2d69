// The Python class _core.RecordWriter, and the functions that encode Python
// values and Arrow data.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/example_encoder.h"
#include "headrace/feature_kinds.h"
#include "headrace/message.h"
#include "headrace/record_writer.h"
#include "python/src/arrow_capsule.h"
#include "python/src/error.h"
#include "python/src/feature_maker.h"
#include "python/src/ndarray.h"
#include "python/src/plan.h"
#include "python/src/reader/options.h"

namespace headrace::python {
namespace {

[[noreturn]] void RaiseMixed(const Status& error) {
  ErrorInfo info = *error.info();
  if (info.code == ErrorCode::kWrongKind) {
    info.message +=
        "; a writer with spec= converts, and mixed_kinds=True lets them differ";
  }
  Raise(Status(std::move(info)));
}

nb::object SerializeExample(const nb::dict& features) {
  return ToBytes(
      Check(SerializeMessage(MakeMessage(features, nb::none(), nullptr))));
}

nb::object SerializeSequence(const nb::dict& context, const nb::dict& lists) {
  return ToBytes(Check(SerializeMessage(MakeMessage(context, lists, nullptr))));
}

using Records = std::vector<std::string>;

Records Encode(const ArrowSchema& schema, const ArrowArray& batch,
               const EncodeOptions& options) {
  std::optional<Result<Records>> records;
  {
    nb::gil_scoped_release release;
    records = EncodeExamples(schema, batch, options);
  }
  if (!records->ok() && options.kinds && options.kinds->learns()) {
    RaiseMixed(records->status());
  }
  return Check(*std::move(records));
}

template <class Use>
void EncodeEach(const nb::object& given, const EncodeOptions& options,
                Use use) {
  const nb::object data = CheckedArrow(given);
  if (!data.is(given)) {
    for (const nb::handle batch : nb::iter(data)) {
      const ImportedArray imported(batch);
      use(Encode(imported.schema(), imported.array(), options));
    }
    return;
  }
  if (!IsStream(data)) {
    const ImportedArray imported(data);
    use(Encode(imported.schema(), imported.array(), options));
    return;
  }
  ImportedStream stream(data);
  while (true) {
    Owned<ArrowArray> batch;
    if (!stream.Next(&batch)) return;
    use(Encode(stream.schema(), *batch, options));
  }
}

nb::list EncodeToList(const nb::object& data, bool cast) {
  nb::list list;
  const EncodeOptions options{.allow_narrowing = cast};
  EncodeEach(data, options, [&](const Records& records) {
    for (const std::string& record : records) list.append(ToBytes(record));
  });
  return list;
}

// Decides which records a writer accepts.
class RecordCheck {
 public:
  // Accepts the records that the plan can read; without a plan, those whose
  // keys keep their kinds, or, with `mixed_kinds`, any.
  RecordCheck(const PyPlan* plan, bool mixed_kinds) {
    if (plan != nullptr) {
      kinds_.emplace(plan->plan());
      plan_ = plan->plan();
      decoder_.emplace(plan_, kUnlimited);
    } else if (!mixed_kinds) {
      kinds_.emplace();
    }
  }

  const FeatureKinds* kinds() const { return kinds_ ? &*kinds_ : nullptr; }
  void set_kinds(const FeatureKinds& kinds) { kinds_ = kinds; }
  bool has_plan() const { return decoder_.has_value(); }

  void Add(const Message& message) {
    const Status status = kinds_ ? kinds_->Add(message) : Status();
    if (status.ok()) return;
    if (kinds_->learns()) RaiseMixed(status);
    Raise(status);
  }

  // Checks the features of a serialized message; without a plan any are
  // accepted.
  void AddSerialized(std::string_view record, uint64_t number) {
    if (!has_plan()) return;
    Result<Message> message = ParseMessage(record, plan_.message());
    if (message.ok()) return Add(*message);
    ErrorInfo info = *message.status().info();
    info.record = number;
    info.offset = kUnknown;  // one in the message; the text has it
    Raise(Status(std::move(info)));
  }

  // Throws unless the plan can read the record.
  void CheckReadable(std::string_view record, uint64_t number) {
    if (has_plan()) Check(StatusOf({&record, 1}, number, &*decoder_));
  }

  // Throws unless the plan can read all of these records; `first` is the number
  // of the first. Releases the GIL.
  void CheckReadable(const Records& records, uint64_t first) const {
    if (!has_plan()) return;
    const std::vector<std::string_view> views(records.begin(), records.end());
    // A separate decoder, since another thread may use decoder_ meanwhile.
    Decoder decoder(plan_, kUnlimited);
    constexpr size_t kMax = 256;
    for (size_t i = 0; i < views.size(); i += kMax) {
      const auto block =
          std::span(views).subspan(i, std::min(kMax, views.size() - i));
      Status status;
      {
        const nb::gil_scoped_release release;
        status = StatusOf(block, first + i, &decoder);
      }
      Check(status);
    }
  }

 private:
  // The values are the caller's own, and only this check puts them in a batch.
  static constexpr DecodeOptions kUnlimited = {
      .limits = {.max_batch_bytes = std::numeric_limits<size_t>::max()}};

  static Status StatusOf(std::span<const std::string_view> records,
                         uint64_t first, Decoder* decoder) {
    const Result<Batch> batch = decoder->Decode(records);
    if (batch.ok()) return Status();
    ErrorInfo info = *batch.status().info();
    if (info.record != kUnknown) info.record += first;
    return Status(std::move(info));
  }

  std::optional<FeatureKinds> kinds_;
  Plan plan_;
  std::optional<Decoder> decoder_;
};

// Guarded by the GIL, or, without a GIL, by the lock of the Python object.
class PyWriter {
 public:
  PyWriter(const nb::bytes& path, const std::string& compression,
           std::optional<int> level, uint64_t block_bytes, size_t threads,
           bool fsync, const PyPlan* plan, bool mixed_kinds)
      : process_(getpid()),
        check_(plan, mixed_kinds),
        writer_(Check(RecordWriter::Open(
            {path.c_str(), path.size()},
            {.compression = CompressionFrom(nb::cast(compression)),
             .level = level,
             .block_bytes = block_bytes,
             .threads = threads,
             .fsync = fsync}))) {}
  PyWriter(const PyWriter&) = delete;
  PyWriter& operator=(const PyWriter&) = delete;
  // In a forked child the file belongs to the parent, which continues to write
  // it: the writer is leaked, so that the temporary file is not removed.
  ~PyWriter() {
    if (writer_ && !is_of_this_process()) {
      static_cast<void>(new RecordWriter(*std::move(writer_)));
    }
  }

  void Write(const nb::bytes& record) {
    const std::string_view payload(record.c_str(), record.size());
    check_.AddSerialized(payload, open().num_records());
    WriteChecked(payload);
  }

  void WriteFeatures(const nb::dict& features, const nb::object& lists) {
    open();
    const Message message = MakeMessage(features, lists, check_.kinds());
    const std::string payload = Check(SerializeMessage(message));
    check_.Add(message);
    WriteChecked(payload);
  }

  // Writes all rows of a batch if all are good, otherwise none. Works on a copy
  // of the kinds, since another thread may run while the GIL is released.
  void WriteBatch(const nb::object& data, bool cast) {
    open();
    std::optional<FeatureKinds> kinds;
    if (check_.kinds()) kinds = *check_.kinds();
    const EncodeOptions options{.allow_narrowing = cast,
                                .kinds = kinds ? &*kinds : nullptr};
    EncodeEach(data, options, [&](const Records& records) {
      check_.CheckReadable(records, open().num_records());
      if (kinds) check_.set_kinds(*kinds);
      for (const std::string& record : records) Check(open().Write(record));
    });
  }

  // Drops the file before it gets its name; the file of a parent process is
  // left alone.
  void Discard() {
    if (is_of_this_process()) writer_.reset();
  }

  void Close() {
    if (!writer_) return;
    CheckProcess();
    RecordWriter writer = *std::move(writer_);
    writer_.reset();
    Status status;
    {
      nb::gil_scoped_release release;
      status = writer.Close();
    }
    Check(status);
  }

  uint64_t num_records() { return open().num_records(); }
  // Whether this process still has to finish the file.
  bool is_open() const { return writer_ && is_of_this_process(); }

 private:
  bool is_of_this_process() const { return getpid() == process_; }
  void WriteChecked(std::string_view payload) {
    check_.CheckReadable(payload, open().num_records());
    Check(open().Write(payload));
  }
  RecordWriter& open() {
    if (!writer_) throw nb::value_error("the writer is closed");
    CheckProcess();
    return *writer_;
  }
  void CheckProcess() const {
    if (is_of_this_process()) return;
    PyErr_SetString(PyExc_RuntimeError,
                    "a writer does not survive a fork; open it in the process "
                    "that writes");
    throw nb::python_error();
  }

  const pid_t process_;
  RecordCheck check_;
  std::optional<RecordWriter> writer_;
};

}  // namespace

void BindWriter(nb::module_& m) {
  m.def("serialize_example", &SerializeExample, nb::arg("features"));
  m.def("serialize_sequence_example", &SerializeSequence, nb::arg("context"),
        nb::arg("feature_lists"));
  m.def("encode", &EncodeToList, nb::arg("data"), nb::arg("cast"));
  m.def("compression_of_name", [](const nb::bytes& path) {
    const auto named = CompressionOfName({path.c_str(), path.size()});
    return std::string(CompressionName(named.value_or(Compression::kNone)));
  });
  nb::class_<PyWriter>(m, "RecordWriter")
      .def(nb::init<const nb::bytes&, const std::string&, std::optional<int>,
                    uint64_t, size_t, bool, const PyPlan*, bool>(),
           nb::arg("path"), nb::arg("compression") = "none",
           nb::arg("level").none() = nb::none(),
           nb::arg("block_bytes") = uint64_t{1} << 20, nb::arg("threads") = 1,
           nb::arg("fsync") = false, nb::arg("plan").none() = nb::none(),
           nb::arg("mixed_kinds") = false)
      .def("write", &PyWriter::Write, nb::arg("record"), nb::lock_self())
      .def("write_features", &PyWriter::WriteFeatures, nb::arg("features"),
           nb::arg("feature_lists").none(), nb::lock_self())
      .def("write_batch", &PyWriter::WriteBatch, nb::arg("data"),
           nb::arg("cast"), nb::lock_self())
      .def("discard", &PyWriter::Discard, nb::lock_self())
      .def("close", &PyWriter::Close, nb::lock_self())
      .def_prop_ro("is_open", &PyWriter::is_open, nb::lock_self())
      .def_prop_ro("num_records", &PyWriter::num_records, nb::lock_self());
}

}  // namespace headrace::python
