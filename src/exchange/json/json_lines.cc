#include "src/exchange/json/json_lines.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "headrace/message.h"
#include "src/base/json/json_number.h"
#include "src/base/json/json_text.h"
#include "src/base/out_of_memory.h"
#include "src/decode/example/walk-inl.h"
#include "src/exchange/json/json_entries.h"
#include "src/exchange/json/line_text.h"
#include "wire/cursor.h"
#include "wire/packed_varint-inl.h"
#include "wire/repeated-inl.h"
#include "wire/wire.h"

namespace headrace {
namespace {

using json::JsonEntries;
using json::JsonEntry;
using json::JsonKey;
using json::LineText;

// Whether the text is ASCII that JSON writes unchanged; eight bytes after it
// must be readable.
bool IsPlainAscii(const char* text, size_t size) {
  const auto word = [text](size_t i) {
    return wire::LoadFixed64(reinterpret_cast<const uint8_t*>(text) + i);
  };
  size_t i = 0;
  for (; size - i >= 8; i += 8) {
    if (json::OddBytes(word(i)) != 0) return false;
  }
  if (i == size) return true;
  // Moves the last bytes to the top, with spaces below them.
  const size_t rest = 8 * (size - i);
  return json::OddBytes(word(i) << (64 - rest) |
                        json::InEachByte(' ') >> rest) == 0;
}

// Returns 1 to 10, and 10 even for a longer varint.
size_t VarintSize(const uint8_t* p) {
  // The highest bit of a varint's last byte is 0.
  const uint64_t ends = ~wire::LoadFixed64(p) & json::kHighBits;
  if (ends != 0) return static_cast<size_t>(std::countr_zero(ends) + 1) / 8;
  return p[8] < 0x80 ? 9 : 10;
}

// How many numbers to reserve buffer space for at a time.
constexpr size_t kNumbersAtOnce = 16;

// Writes, as text, the lists that the walk visits, in wire order. The bytes
// must not change during the walk, and wire::kSlackBytes readable bytes must
// follow them.
class JsonSink {
 public:
  JsonSink(JsonEntries* features, JsonEntries* lists, LineText* text,
           std::string* scratch)
      : features_(features), lists_(lists), text_(text), scratch_(scratch) {}

  const uint8_t* TakeEntries(const uint8_t* p, const uint8_t* features_end) {
    while (const uint8_t* const next = TakeEntry(p, features_end)) p = next;
    return p;
  }
  bool EnterFeature(wire::Span key, bool*) {
    BeginEntry(features_, features_->FindOrAdd(JsonKey(key)));
    return true;
  }
  bool LeaveFeature(Kind kind) {
    EndFeature(kind);
    EndEntry();
    return true;
  }
  void DropValues() {
    text_->Cut(begin_ + 1);
    all_finite_ = true;
  }
  bool OnList(Kind kind, wire::Span list, int depth);

  void OnFeatureLists() { has_feature_lists_ = true; }
  bool EnterFeatureList(wire::Span key, bool*) {
    BeginEntry(lists_, lists_->FindOrAdd(JsonKey(key)));
    return true;
  }
  const uint8_t* TakeSteps(const uint8_t* p, const uint8_t*) { return p; }
  bool EnterStep() {
    text_->Push('[');
    BeginFeature();
    return true;
  }
  bool LeaveStep(Kind kind) {
    EndFeature(kind);
    text_->Push(',');
    return true;
  }
  bool LeaveFeatureList() {
    text_->EndList();
    EndEntry();
    return true;
  }

  wire::WalkEnd end;
  bool has_feature_lists() const { return has_feature_lists_; }

 private:
  const uint8_t* TakeEntry(const uint8_t* p, const uint8_t* features_end);
  bool AppendRun(Kind kind, wire::Span run);

  void BeginEntry(JsonEntries* entries, JsonEntry* entry) {
    entries->Enter(entry);
    entry_ = entry;
    entry_->begin = text_->size();
    text_->AppendShort(entry_->label.data(), entry_->label_size);
    BeginFeature();
  }
  void EndEntry() {
    text_->Push(',');
    entry_->end = text_->size();
  }
  // A Feature, or a list of steps, begins with the bracket that was written
  // last.
  void BeginFeature() {
    begin_ = text_->size() - 1;
    all_finite_ = true;
  }
  void EndFeature(Kind kind);
  bool AppendFloats(wire::Span run);
  bool AppendInt64s(wire::Span run);
  void AppendInt64(uint64_t value);
  void AppendBytes(wire::Span value);

  JsonEntries* features_;
  JsonEntries* lists_;
  LineText* text_;
  std::string* scratch_;
  JsonEntry* entry_ = nullptr;
  size_t begin_ = 0;
  bool all_finite_ = true;
  bool has_feature_lists_ = false;
};

// Reads an entry with a known key if it has the layout that writers use (see
// entry_reader-inl.h) and every length fits one byte. Returns where the entry
// ends; null if it must be walked. Bytes are read before it is known that they
// belong to the entry; the slack makes this safe.
const uint8_t* JsonSink::TakeEntry(const uint8_t* p,
                                   const uint8_t* features_end) {
  constexpr auto kField1 = static_cast<uint8_t>(wire::Tag(1, wire::kLen));
  constexpr auto kField2 = static_cast<uint8_t>(wire::Tag(2, wire::kLen));
  // The size of an entry without its key and values.
  constexpr size_t kOverhead = 8;
  if (features_end - p < 2) return nullptr;
  const wire::Span entry{p + 2, p[1]};
  const wire::Span key{p + 4, p[3]};
  if (p[0] != kField1 || p[1] >= 0x80 || p[2] != kField1 ||
      entry.size > static_cast<size_t>(features_end - entry.data) ||
      key.size + kOverhead > entry.size) {
    return nullptr;
  }
  const uint8_t* const value = key.end();
  const size_t run_size = entry.size - key.size - kOverhead;
  const uint8_t kind = value[2] >> 3;
  if (value[0] != kField2 || value[1] != run_size + 4 || value[2] > 0x1f ||
      kind == 0 || (value[2] & 7) != wire::kLen || value[3] != run_size + 2 ||
      value[4] != kField1 || value[5] != run_size) {
    return nullptr;
  }
  JsonEntry* const known = features_->Guess(JsonKey(key));
  if (known == nullptr) return nullptr;
  BeginEntry(features_, known);
  if (!AppendRun(static_cast<Kind>(kind), {value + 6, run_size})) {
    return nullptr;
  }
  LeaveFeature(static_cast<Kind>(kind));
  return entry.end();
}

void JsonSink::EndFeature(Kind kind) {
  if (kind == Kind::kNull) {
    text_->Cut(begin_);
    text_->Append("null");
    return;
  }
  const bool is_empty = text_->size() == begin_ + 1;
  text_->EndList();
  if (!is_empty && all_finite_) return;
  // Lists without values, or with NaN or infinities, do not show their kind.
  text_->Insert(begin_, "\":");
  text_->Insert(begin_, KindName(kind));
  text_->Insert(begin_, "{\"");
  text_->Push('}');
}

// Returns false if the bytes are not a whole number of floats.
bool JsonSink::AppendFloats(wire::Span run) {
  if (run.size % sizeof(float) != 0) return false;
  bool all_finite = true;
  for (const uint8_t* p = run.data; p != run.end();) {
    char* out = text_->Room(kNumbersAtOnce * json::kNumberRoom);
    for (size_t i = 0; i < kNumbersAtOnce && p != run.end(); ++i) {
      const auto value = std::bit_cast<float>(wire::LoadFixed32(p));
      p += sizeof(float);
      all_finite &= std::isfinite(value);
      out = json::WriteJsonFloat(value, out);
      *out++ = ',';
    }
    text_->SetEnd(out);
  }
  all_finite_ &= all_finite;
  return true;
}

void JsonSink::AppendInt64(uint64_t value) {
  char* out = json::WriteJsonInt64(static_cast<int64_t>(value),
                                   text_->Room(json::kNumberRoom));
  *out++ = ',';
  text_->SetEnd(out);
}

// Returns false, with `end` set, if the bytes are not a sequence of varints.
bool JsonSink::AppendInt64s(wire::Span run) {
  for (const uint8_t* p = run.data; p != run.end();) {
    char* out = text_->Room(kNumbersAtOnce * json::kNumberRoom);
    for (size_t i = 0; i < kNumbersAtOnce && p != run.end(); ++i) {
      const size_t size = VarintSize(p);
      const auto left = static_cast<size_t>(run.end() - p);
      if (size > left || p[size - 1] >= 0x80) {
        wire::Cursor cursor({p, left});
        uint64_t value;
        const bool is_varint = cursor.ReadVarint(&value);
        assert(!is_varint);
        static_cast<void>(is_varint);
        end = {cursor.fault(), cursor.position()};
        return false;
      }
      const uint64_t value = size <= 8
                                 ? wire::HWY_NAMESPACE::FoldVarint(p, size)
                                 : wire::HWY_NAMESPACE::FoldLongVarint(p, size);
      p += size;
      out = json::WriteJsonInt64(static_cast<int64_t>(value), out);
      *out++ = ',';
    }
    text_->SetEnd(out);
  }
  return true;
}

void JsonSink::AppendBytes(wire::Span value) {
  const std::string_view bytes = wire::TextOf(value);
  if (IsPlainAscii(bytes.data(), bytes.size())) {
    char* const quote = text_->Room(bytes.size() + 3);
    *quote = '"';
    char* const copy = quote + 1;
    LineText::CopyShort(bytes.data(), bytes.size(), copy);
    copy[bytes.size()] = '"';
    copy[bytes.size() + 1] = ',';
    text_->SetEnd(copy + bytes.size() + 2);
    return;
  }
  scratch_->clear();
  AppendJsonBytes(bytes, scratch_);
  scratch_->push_back(',');
  text_->Append(*scratch_);
}

// Appends what a field of a list holds: a packed run, or one string.
bool JsonSink::AppendRun(Kind kind, wire::Span run) {
  switch (kind) {
    case Kind::kFloat:
      return AppendFloats(run);
    case Kind::kInt64:
      return AppendInt64s(run);
    default:
      assert(kind == Kind::kBytes);
      AppendBytes(run);
      return true;
  }
}

bool JsonSink::OnList(Kind kind, wire::Span list, int depth) {
  namespace walks = wire::HWY_NAMESPACE;
  const auto on_run = [this, kind](wire::Span run) {
    return AppendRun(kind, run);
  };
  wire::WalkEnd list_end;
  switch (kind) {
    case Kind::kFloat:
      list_end = walks::WalkFixed32(list, depth, on_run);
      break;
    case Kind::kInt64:
      list_end =
          walks::WalkVarints(list, depth, on_run, [this](uint64_t value) {
            AppendInt64(value);
            return true;
          });
      break;
    default:
      list_end = walks::WalkBytes(list, depth, on_run);
      break;
  }
  if (!list_end.stopped) end = list_end;
  return end.fault == wire::Fault::kNone;
}

}  // namespace

class JsonLineWriter::Impl {
 public:
  Impl(MessageType message, JsonEntries::Keeps keeps)
      : message_(message), keeps_(std::move(keeps)) {}

  Status Append(std::string_view payload, std::string* out);

 private:
  Status AppendMessage(std::string_view payload, std::string* out);
  Status AppendList(std::string_view payload, std::string* out);
  bool AppendExamples(wire::Span payload, std::string* out);

  const MessageType message_;
  const JsonEntries::Keeps keeps_;
  // The payload is copied, since a mapped file may change. kSlackBytes zeros
  // follow it.
  std::string payload_;
  LineText text_;  // of the entries
  std::string scratch_;
  JsonEntries features_;
  JsonEntries lists_;
};

Status JsonLineWriter::Impl::Append(std::string_view payload,
                                    std::string* out) {
  if (message_ == MessageType::kAuto ||
      message_ == MessageType::kExampleInExample) {
    return Status(ErrorCode::kInvalidArgument,
                  "JSON lines can be written only for Examples, "
                  "SequenceExamples, ExampleListWithContexts or raw records");
  }
  payload_.assign(payload).append(wire::kSlackBytes, '\0');
  const auto copy = std::string_view(payload_).substr(0, payload.size());
  if (message_ == MessageType::kElwc) return AppendList(copy, out);
  if (message_ != MessageType::kRaw) return AppendMessage(copy, out);
  AppendJsonBytes(copy, out);
  return Status();
}

Status JsonLineWriter::Impl::AppendMessage(std::string_view payload,
                                           std::string* out) {
  const bool is_sequence = message_ == MessageType::kSequence;
  text_.Cut(0);
  features_.BeginRecord();
  lists_.BeginRecord();
  JsonSink sink(&features_, &lists_, &text_, &scratch_);
  decode::HWY_NAMESPACE::Walker walker(sink);
  const wire::Span span = wire::SpanOf(payload);
  if (!(is_sequence ? walker.WalkSequence(span) : walker.WalkExample(span))) {
    const Result<Message> message = ParseMessage(payload, message_);
    assert(!message.ok());
    return message.status();
  }
  if (is_sequence) out->append("{\"context\":");
  features_.AppendObject(text_, keeps_, out);
  if (!is_sequence) return Status();
  // An absent feature_lists message differs from an empty one.
  if (sink.has_feature_lists()) {
    out->append(",\"feature_lists\":");
    lists_.AppendObject(text_, keeps_, out);
  }
  out->push_back('}');
  return Status();
}

// Pieces of the context form one message, wherever they are in the payload.
Status JsonLineWriter::Impl::AppendList(std::string_view payload,
                                        std::string* out) {
  const wire::Span span = wire::SpanOf(payload);
  const auto malformed = [&]() -> Status {
    const Result<Message> message = ParseMessage(payload, message_);
    assert(!message.ok());
    return message.status();
  };
  text_.Cut(0);
  features_.BeginRecord();
  JsonSink sink(&features_, &lists_, &text_, &scratch_);
  decode::HWY_NAMESPACE::Walker walker(sink, /*depth=*/1);
  wire::Cursor cursor(span);
  bool has_context = false;
  const auto walk_context = [&](uint32_t number, wire::Span part) {
    has_context |= number == 2;
    return number != 2 || walker.WalkExample(part);
  };
  if (!wire::ForEachPart(&cursor, walk_context)) return malformed();
  out->push_back('{');
  if (has_context) {
    out->append("\"context\":");
    features_.AppendObject(text_, keeps_, out);
    out->push_back(',');
  }
  out->append("\"examples\":[");
  if (!AppendExamples(span, out)) return malformed();
  out->append("]}");
  return Status();
}

// Returns false if an Example is malformed.
bool JsonLineWriter::Impl::AppendExamples(wire::Span payload,
                                          std::string* out) {
  wire::Cursor cursor(payload);
  bool is_first = true;
  return wire::ForEachPart(&cursor, [&](uint32_t number, wire::Span part) {
    if (number != 1) return true;
    text_.Cut(0);
    lists_.BeginRecord();
    JsonSink sink(&lists_, &lists_, &text_, &scratch_);
    decode::HWY_NAMESPACE::Walker walker(sink, /*depth=*/1);
    if (!walker.WalkExample(part)) return false;
    if (!std::exchange(is_first, false)) out->push_back(',');
    lists_.AppendObject(text_, keeps_, out);
    return true;
  });
}

JsonLineWriter::JsonLineWriter(MessageType message,
                               std::function<bool(std::string_view name)> keeps)
    : impl_(std::make_unique<Impl>(message, std::move(keeps))) {}
JsonLineWriter::JsonLineWriter(JsonLineWriter&&) noexcept = default;
JsonLineWriter& JsonLineWriter::operator=(JsonLineWriter&&) noexcept = default;
JsonLineWriter::~JsonLineWriter() = default;

Status JsonLineWriter::Append(std::string_view payload, std::string* out) {
  if (impl_ == nullptr) {
    return Status(ErrorCode::kInvalidArgument, "the writer was moved from");
  }
  const size_t size = out->size();
  Status status = CatchOutOfMemory([&] { return impl_->Append(payload, out); });
  if (!status.ok()) out->resize(size);
  return status;
}

}  // namespace headrace
