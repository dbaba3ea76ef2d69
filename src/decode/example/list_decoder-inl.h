// ListDecoder decodes a list of Examples into one row for its context and one
// row for each Example.
//
//   ExampleListWithContext { repeated Example examples = 1;
//                            Example context = 2; }
//
// The context and the Examples are decoded in wire order, each like a record. A
// context in several pieces is one message by the rules of libprotobuf, so all
// pieces are walked into one row. A list is committed or rolled back whole.
// After an error in a row the rest of the list is still read, because malformed
// bytes are the error to report first.

// clang-format off
#if defined(HEADRACE_SRC_DECODE_EXAMPLE_LIST_DECODER_INL_H_) == defined(HWY_TARGET_TOGGLE)
// clang-format on
#ifdef HEADRACE_SRC_DECODE_EXAMPLE_LIST_DECODER_INL_H_
#undef HEADRACE_SRC_DECODE_EXAMPLE_LIST_DECODER_INL_H_
#else
#define HEADRACE_SRC_DECODE_EXAMPLE_LIST_DECODER_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "headrace/status.h"
#include "hwy/highway.h"
#include "src/base/memory/prefetch.h"
#include "src/decode/example/list_rows.h"
#include "src/decode/example/row_decoder-inl.h"
#include "wire/cursor.h"
#include "wire/wire.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {

// The limit on nested groups counts the list around an Example, too.
inline constexpr Nesting kInList = {.depth = 1, .is_list = true};
inline constexpr Nesting kContextOfList = {.depth = 1};
// In kExampleInExample each Example is a separate message.
inline constexpr Nesting kInExample = {.is_list = true};

// Must be called before a ListDecoder is made.
inline void StartOrders(const plan::Program& program,
                        const BlockOptions& options) {
  const plan::ListParts& parts = *program.lists();
  ListRows& rows = *options.lists;
  options.order->Start(program);
  rows.order.Start(*parts.examples);
  rows.unread_order.Start(*parts.unread);
  if (parts.wrapper) rows.wrapper_order.Start(*parts.wrapper);
}

class ListDecoder {
 public:
  ListDecoder(const plan::Program& program, const BlockOptions& options,
              column::ColumnSet* columns, infer::LateFeatures* late)
      : program_(program),
        parts_(*program.lists()),
        options_(options),
        example_options_{.verify_unselected = options.verify_unselected,
                         .check = options.lists->check},
        wrapper_options_{.verify_unselected = options.verify_unselected,
                         .check = options.lists->wrapper_check},
        columns_(columns),
        late_(late),
        rows_(*options.lists),
        list_size_(parts_.list_size > 0 ? parts_.list_size : ~uint64_t{0}) {
    if (!parts_.wrapper) return;
    wrapper_.emplace(*parts_.wrapper, !options.verify_unselected,
                     &rows_.wrapper, &rows_.wrapper_order);
  }

  // Decodes one record, and commits its rows or rolls all of them back.
  ErrorCode Decode(const record::RecordSpan& span) {
    if (!columns_->BeginRow()) return NoRoom(*columns_);
    const uint32_t first = rows_.columns.num_rows();
    size_ = 0;
    row_error_ = ErrorCode::kOk;
    if (rows_.list_check != nullptr) rows_.list_check->Begin();
    ErrorCode code = parts_.wrapper ? DecodeWrapped(span) : DecodeElwc(span);
    if (code == ErrorCode::kOk) code = JudgeList(first);
    if (HWY_LIKELY(code == ErrorCode::kOk)) {
      Commit();
    } else {
      RollBack(first);
    }
    return code;
  }

 private:
  // If a list has several errors, the one with the lowest code is reported.
  void NoteRowError(ErrorCode code) {
    if (row_error_ == ErrorCode::kOk || code < row_error_) row_error_ = code;
  }

  // Notes a row error and returns kOk. Returns all other errors, and
  // kMalformed, which end the walk.
  ErrorCode Continue(ErrorCode code) {
    if (HWY_LIKELY(code == ErrorCode::kOk)) return code;
    if (!IsRowError(code) || code == ErrorCode::kMalformed) return code;
    NoteRowError(code);
    return ErrorCode::kOk;
  }

  ErrorCode DecodeExample(wire::Span example, const Nesting& nesting) {
    const record::RecordSpan span{.payload = example.data,
                                  .size = static_cast<uint32_t>(example.size)};
    if (HWY_LIKELY(size_++ < list_size_)) {
      return Continue(DecodeRow(*parts_.examples, span, example_options_,
                                nesting, &rows_.columns, &rows_.late,
                                &examples_));
    }
    if (!rows_.unread.BeginRow()) return NoRoom(rows_.unread);
    unread_.StartRecord();
    RowSink sink(*parts_.unread, options_.verify_unselected, nesting,
                 &rows_.unread, nullptr, &unread_);
    Walker<RowSink> walker(sink, nesting.depth);
    const bool walked = walker.WalkExample(example);
    rows_.unread.RollBackRow();
    return walked ? ErrorCode::kOk : ErrorCode::kMalformed;
  }

  ErrorCode DecodeElwc(const record::RecordSpan& span) {
    context_.StartRecord();
    RowSink sink(program_, options_.verify_unselected, kContextOfList, columns_,
                 late_, &context_);
    Walker<RowSink> walker(sink, kContextOfList.depth);
    wire::Cursor cursor({span.payload, span.size});
    while (!cursor.done()) {
      uint32_t tag;
      wire::Span part;
      if (!cursor.ReadTag(&tag)) return ErrorCode::kMalformed;
      if (HWY_LIKELY(tag == wire::Tag(1, wire::kLen))) {
        if (!cursor.ReadLen(&part)) return ErrorCode::kMalformed;
        // The next Examples are about as large as this one.
        constexpr size_t kAhead = 2048;
        Prefetch(part.data, part.size, kAhead);
        const ErrorCode code = DecodeExample(part, kInList);
        if (HWY_UNLIKELY(code != ErrorCode::kOk)) return code;
      } else if (tag == wire::Tag(2, wire::kLen)) {
        if (!cursor.ReadLen(&part)) return ErrorCode::kMalformed;
        if (!walker.WalkExample(part)) return WalkError(sink, *columns_);
      } else if (!cursor.SkipValue(tag, 0)) {
        return ErrorCode::kMalformed;
      }
    }
    return JudgeContext(span, sink);
  }

  // Decodes the Example around the list into a row that is never kept; its
  // values stay valid until the next record.
  ErrorCode DecodeWrapped(const record::RecordSpan& span) {
    if (!rows_.wrapper.BeginRow()) return NoRoom(rows_.wrapper);
    ErrorCode code = WalkRow(*parts_.wrapper, span, wrapper_options_, Nesting(),
                             &rows_.wrapper, nullptr, &*wrapper_);
    if (HWY_LIKELY(code == ErrorCode::kOk)) code = DecodeValues(span);
    rows_.wrapper.RollBackRow();
    return code;
  }

  ErrorCode DecodeValues(const record::RecordSpan& span) {
    context_.StartRecord();
    RowSink sink(program_, options_.verify_unselected, Nesting(), columns_,
                 late_, &context_);
    Walker<RowSink> walker(sink);
    if (!walker.WalkExample(ValueOf(0, 0))) return WalkError(sink, *columns_);
    const size_t count = rows_.wrapper.Count(rows_.wrapper.builder(1));
    for (size_t i = 0; i < count; ++i) {
      const ErrorCode code = DecodeExample(ValueOf(1, i), kInExample);
      if (HWY_UNLIKELY(code != ErrorCode::kOk)) return code;
    }
    return JudgeContext(span, sink);
  }

  wire::Span ValueOf(uint32_t slot, size_t i) const {
    const std::string_view value = reinterpret_cast<const std::string_view*>(
        rows_.wrapper.builder(slot).values)[i];
    return {reinterpret_cast<const uint8_t*>(value.data()), value.size()};
  }

  ErrorCode JudgeContext(const record::RecordSpan& span, const RowSink& sink) {
    const ErrorCode code =
        JudgeWalked(program_, span, options_, columns_, late_, sink);
    if (HWY_UNLIKELY(code != ErrorCode::kOk)) {
      if (!IsRowError(code)) return code;
      NoteRowError(code);
    }
    if (options_.strict_columns && rows_.late.total() > 0) {
      NoteRowError(ErrorCode::kWrongKind);
    }
    return row_error_;
  }

  ErrorCode JudgeList(uint32_t first) {
    constexpr size_t kMaxExamples = (size_t{1} << 31) - 1;
    if (size_ > kMaxExamples) return ErrorCode::kLimit;
    if (rows_.list_check == nullptr) return ErrorCode::kOk;
    return rows_.list_check->Check(columns_, &rows_.columns,
                                   rows_.columns.num_rows() - first);
  }

  void Commit() {
    rows_.ends.push_back(static_cast<int32_t>(rows_.columns.num_rows()));
    rows_.sizes.push_back(static_cast<int32_t>(size_));
    columns_->CommitRow();
    if (late_ == nullptr) return;
    late_->CommitRow();
    if (HWY_UNLIKELY(rows_.late.total() > 0)) {
      late_->Add(rows_.late);
      rows_.late.Clear();
    }
  }

  void RollBack(uint32_t first) {
    columns_->RollBackRow();
    rows_.columns.TakeBackRows(first);
    if (rows_.list_check != nullptr) rows_.list_check->RollBack();
    if (late_) late_->RollBackRow();
    rows_.late.Clear();
  }

  const plan::Program& program_;
  const plan::ListParts& parts_;
  const BlockOptions& options_;
  const BlockOptions example_options_;
  const BlockOptions wrapper_options_;
  column::ColumnSet* const columns_;
  infer::LateFeatures* const late_;
  ListRows& rows_;
  const uint64_t list_size_;
  EntryReader context_{program_, !options_.verify_unselected, columns_,
                       options_.order};
  EntryReader examples_{*parts_.examples, !options_.verify_unselected,
                        &rows_.columns, &rows_.order};
  EntryReader unread_{*parts_.unread, !options_.verify_unselected,
                      &rows_.unread, &rows_.unread_order};
  std::optional<EntryReader> wrapper_;
  // Of the list being decoded:
  uint64_t size_ = 0;
  ErrorCode row_error_ = ErrorCode::kOk;
};

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_LIST_DECODER_INL_H_
