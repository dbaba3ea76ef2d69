// RowSink fills one row of a ColumnSet from one record. walk-inl.h explains the
// calls of a sink.

#if defined(HEADRACE_SRC_DECODE_EXAMPLE_ROW_SINK_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HEADRACE_SRC_DECODE_EXAMPLE_ROW_SINK_INL_H_
#undef HEADRACE_SRC_DECODE_EXAMPLE_ROW_SINK_INL_H_
#else
#define HEADRACE_SRC_DECODE_EXAMPLE_ROW_SINK_INL_H_
#endif

#include <cstdint>
#include <cstring>
#include <string_view>

#include "headrace/status.h"
#include "headrace/types.h"
#include "hwy/highway.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/decode_block.h"
#include "src/decode/example/entry_reader-inl.h"
#include "src/plan/compile/program.h"
#include "wire/packed_varint-inl.h"
#include "wire/repeated-inl.h"
#include "wire/wire.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {
namespace kernel = wire::HWY_NAMESPACE;

// The place in a record of the message that becomes a row.
struct Nesting {
  int depth = 0;         // messages around it
  bool is_list = false;  // the message is an Example of a list
};

class RowSink {
 public:
  RowSink(const plan::Program& program, bool verify_unselected,
          const Nesting& nesting, column::ColumnSet* columns,
          infer::LateFeatures* late, EntryReader* entries)
      : program_(program),
        verify_unselected_(verify_unselected),
        is_list_(nesting.is_list),
        columns_(columns),
        late_(late),
        entries_(entries) {}

  const uint8_t* TakeEntries(const uint8_t* p, const uint8_t* last) {
    return entries_->Take(p, last);
  }

  bool EnterFeature(wire::Span key, bool* wanted) {
    const uint32_t slot = program_.Find(key.data, key.size);
    builder_ = nullptr;
    if (slot == plan::kNoSlot) {
      *wanted = EnterUnselected(key);
      return true;
    }
    if (program_.kind(slot) == Kind::kNull) {
      is_late_ = in_columns_ = true;
      key_ = key;
      return true;
    }
    return EnterCell(slot);
  }

  void DropValues() {
    if (builder_ != nullptr) builder_->count = feature_begin_;
  }

  bool OnList(Kind kind, wire::Span list, int depth) {
    if (builder_ == nullptr || builder_->kind != kind) {
      return CheckList(kind, list, depth);
    }
    if (kind == Kind::kInt64) return AppendInts(list, depth);
    if (kind == Kind::kFloat) return AppendFloats(list, depth);
    return AppendBytes(list, depth);
  }

  bool LeaveFeature(Kind kind) {
    using column::CellState;
    if (builder_ != nullptr) {
      columns_->LeaveCell(builder_, kind == Kind::kNull ? CellState::kUnset
                                    : kind == builder_->kind
                                        ? CellState::kTyped
                                        : CellState::kWrong);
    } else if (is_late_) {
      NoteLate(kind, /*in_sequence=*/is_list_, /*is_wrong=*/false);
    }
    return true;
  }

  // The cell of a feature list holds all its steps, each a Feature. A column
  // without a known kind holds only their number.
  void OnFeatureLists() { met_lists_ = true; }
  void OnUnreadLists() { met_lists_ = true; }
  bool EnterFeatureList(wire::Span key, bool* wanted) {
    const uint32_t slot = program_.FindList(key.data, key.size);
    builder_ = nullptr;
    list_kind_ = Kind::kNull;
    list_is_wrong_ = false;
    if (slot == plan::kNoSlot) {
      *wanted = EnterUnselected(key);
      return true;
    }
    is_late_ = in_columns_ = program_.kind(slot) == Kind::kNull;
    key_ = key;
    return EnterCell(slot);
  }
  const uint8_t* TakeSteps(const uint8_t* p, const uint8_t* last) {
    return builder_ != nullptr && !is_late_
               ? entries_->TakeSteps(builder_, p, last)
               : p;
  }
  bool EnterStep() {
    if (builder_ != nullptr) feature_begin_ = builder_->count;
    return true;
  }
  bool LeaveStep(Kind kind) {
    if (list_kind_ == Kind::kNull) list_kind_ = kind;
    const Kind known = builder_ != nullptr ? builder_->kind : Kind::kNull;
    const Kind expected = known != Kind::kNull ? known : list_kind_;
    list_is_wrong_ |= kind != Kind::kNull && kind != expected;
    if (builder_ == nullptr) return true;
    const bool typed = kind != Kind::kNull && known != Kind::kNull;
    if (HWY_LIKELY(columns_->EndStep(builder_, typed))) return true;
    no_room_ = true;
    return false;
  }
  bool LeaveFeatureList() {
    using column::CellState;
    if (builder_ != nullptr) {
      columns_->LeaveCell(
          builder_, list_is_wrong_ ? CellState::kWrong : CellState::kTyped);
    }
    if (is_late_) NoteLate(list_kind_, /*in_sequence=*/true, list_is_wrong_);
    return true;
  }

  // True if a list without a column has steps of two kinds (rule C8 of
  // docs/semantics.md), unless a later entry of its key has replaced it.
  bool has_wrong_late_list() const {
    return noted_wrong_ && late_->RowIsWrong();
  }

  bool no_room() const { return no_room_; }
  // True if the record may have feature lists; in an Example they are not read.
  bool met_lists() const { return met_lists_; }

  wire::WalkEnd end;

 private:
  // Keys outside the plan are walked only if they are collected or verified.
  bool EnterUnselected(wire::Span key) {
    is_late_ = program_.collect_late();
    in_columns_ = program_.late_is_in_columns();
    key_ = key;
    return is_late_ || verify_unselected_;
  }
  bool EnterCell(uint32_t slot) {
    builder_ = columns_->EnterCell(slot);
    if (HWY_UNLIKELY(builder_ == nullptr)) {
      no_room_ = true;
      return false;
    }
    feature_begin_ = builder_->count;
    return true;
  }
  void NoteLate(Kind kind, bool in_sequence, bool is_wrong) {
    noted_wrong_ |= is_wrong;
    late_->Note({reinterpret_cast<const char*>(key_.data), key_.size}, kind,
                in_columns_, in_sequence, is_wrong);
  }
  bool Ended(const wire::WalkEnd& walk_end) {
    if (HWY_LIKELY(walk_end.fault == wire::Fault::kNone && !walk_end.stopped)) {
      return true;
    }
    // A callback that stopped the walk has set `end` itself.
    if (!walk_end.stopped) end = walk_end;
    return false;
  }
  bool Room(size_t more) {
    if (HWY_LIKELY(columns_->Reserve(builder_, more))) return true;
    no_room_ = true;
    return false;
  }
  bool Fail(wire::Fault fault, const uint8_t* position) {
    end = {fault, position, false};
    return false;
  }

  int64_t* NextInt() {
    return reinterpret_cast<int64_t*>(builder_->values) + builder_->count;
  }

  bool AppendInts(wire::Span list, int depth) {
    return Ended(kernel::WalkVarints(
        list, depth,
        [this](wire::Span run) HWY_ATTR { return AppendPackedInts(run); },
        [this](uint64_t value) HWY_ATTR {
          if (!Room(1)) return false;
          *NextInt() = static_cast<int64_t>(value);
          ++builder_->count;
          return true;
        }));
  }

  bool AppendPackedInts(wire::Span run) {
    // Most runs are one value.
    const uint64_t word = wire::LoadFixed64(run.data);
    if (IsOneVarint(word, run.size)) {
      if (!Room(1)) return false;
      *NextInt() = static_cast<int64_t>(kernel::FoldWord(word, run.size));
      ++builder_->count;
      return true;
    }
    size_t count;
    wire::Fault fault = kernel::CountVarints(run, &count);
    if (fault == wire::Fault::kNone) {
      if (!Room(count)) return false;
      fault = kernel::DecodeCounted(run, builder_->capacity - builder_->count,
                                    NextInt(), &count);
    }
    if (fault != wire::Fault::kNone) return Fail(fault, run.data);
    builder_->count += count;
    return true;
  }

  bool AppendFloats(wire::Span list, int depth) {
    return Ended(
        kernel::WalkFixed32(list, depth, [this](wire::Span run) HWY_ATTR {
          const size_t count = run.size / 4;
          if (count == 0) return true;  // there may be no array yet
          if (!Room(count)) return false;
          std::memcpy(builder_->values + builder_->count * sizeof(float),
                      run.data, run.size);
          builder_->count += count;
          return true;
        }));
  }

  bool AppendBytes(wire::Span list, int depth) {
    return Ended(
        kernel::WalkBytes(list, depth, [this](wire::Span value) HWY_ATTR {
          if (!Room(1)) return false;
          reinterpret_cast<std::string_view*>(
              builder_->values)[builder_->count++] = {
              reinterpret_cast<const char*>(value.data), value.size};
          return true;
        }));
  }

  // Checks a list that is not stored; it must still be valid.
  bool CheckList(Kind kind, wire::Span list, int depth) {
    const auto accept = [](wire::Span) HWY_ATTR { return true; };
    if (kind == Kind::kBytes) {
      return Ended(kernel::WalkBytes(list, depth, accept));
    }
    if (kind == Kind::kFloat) {
      return Ended(kernel::WalkFixed32(list, depth, accept));
    }
    return Ended(kernel::WalkVarints(
        list, depth,
        [this](wire::Span run) HWY_ATTR {
          size_t count;
          const wire::Fault fault = kernel::CountVarints(run, &count);
          return fault == wire::Fault::kNone || Fail(fault, run.data);
        },
        [](uint64_t) HWY_ATTR { return true; }));
  }

  const plan::Program& program_;
  const bool verify_unselected_;
  const bool is_list_;
  column::ColumnSet* const columns_;
  infer::LateFeatures* const late_;
  EntryReader* const entries_;
  // The column of the entry being walked; null if values are only checked.
  column::Builder* builder_ = nullptr;
  size_t feature_begin_ = 0;      // values before this Feature
  Kind list_kind_ = Kind::kNull;  // of the first typed step
  bool list_is_wrong_ = false;
  wire::Span key_;
  bool is_late_ = false;
  bool in_columns_ = false;
  bool noted_wrong_ = false;
  bool no_room_ = false;
  bool met_lists_ = false;
};

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_ROW_SINK_INL_H_
