// One walk over the arrays of columns and tensors, for batch_copy.cc. Its
// archives count, copy, write or read the arrays.

#ifndef HEADRACE_SRC_READ_BATCH_BATCH_ARRAYS_H_
#define HEADRACE_SRC_READ_BATCH_BATCH_ARRAYS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/batch.h"
#include "headrace/types.h"

namespace headrace::reader {

// A walk passes each number, and the address of each array, to an archive,
// which may change both. A null array stays null. A number precedes the arrays
// that it counts.

template <class Archive, class T>
void WalkArray(Archive* archive, const T** array, size_t count) {
  const void* data = *array;
  archive->Bytes(&data, count * sizeof(T));
  *array = static_cast<const T*>(data);
}

template <class Archive>
void WalkValues(Archive* archive, DType dtype, const void** values,
                size_t count) {
  if (dtype == DType::kBytes) {
    archive->Strings(values, count);
  } else {
    archive->Bytes(values, count * DTypeSize(dtype));
  }
}

template <class Archive>
void WalkSize(Archive* archive, size_t* size) {
  uint64_t number = *size;
  archive->Number(&number);
  *size = static_cast<size_t>(number);
}

template <class Archive>
void WalkSpan(Archive* archive, std::span<const int64_t>* span) {
  size_t size = span->size();
  WalkSize(archive, &size);
  const int64_t* data = span->data();
  WalkArray(archive, &data, size);
  *span = {data, data == nullptr ? 0 : size};
}

template <class Archive>
void WalkColumn(Archive* archive, Column* column) {
  const auto bits = [](size_t count) { return (count + 7) / 8; };
  WalkSize(archive, &column->null_count);
  WalkSize(archive, &column->step_null_count);
  WalkArray(archive, &column->validity, bits(column->num_rows));
  WalkArray(archive, &column->offsets, column->num_rows + 1);
  if (column->in_sequence) {
    const size_t steps = column->num_steps();
    WalkArray(archive, &column->step_validity, bits(steps));
    WalkArray(archive, &column->step_offsets, steps + 1);
    // If the saved text ended too early, the offsets are null.
    if (column->step_offsets == nullptr) column->kind = Kind::kNull;
  }
  if (column->kind == Kind::kNull) return;
  WalkValues(archive, static_cast<DType>(column->kind), &column->values,
             column->num_values());
}

template <class Archive>
void WalkInts(Archive* archive, RowSplits* ints) {
  uint64_t wide = ints->is_int64;
  archive->Number(&wide);
  ints->is_int64 = wide != 0;
  WalkSize(archive, &ints->size);
  archive->Bytes(&ints->data, ints->size * (ints->is_int64 ? 8 : 4));
}

template <class Archive>
void WalkSplits(Archive* archive, std::span<const RowSplits>* splits) {
  size_t count = splits->size();
  WalkSize(archive, &count);
  std::vector<RowSplits> levels(splits->begin(), splits->end());
  levels.resize(count);
  for (RowSplits& level : levels) WalkInts(archive, &level);
  // `levels` is a local array, so Own always copies it: an earlier copy from
  // this address would be of another array.
  const void* data = levels.data();
  archive->Own(&data, count * sizeof(RowSplits));
  if (data != levels.data()) {
    *splits = {static_cast<const RowSplits*>(data), count};
  }
}

// The keys are those of the plan.
template <class Archive>
void WalkJagged(Archive* archive, Tensor* tensor) {
  WalkInts(archive, &tensor->key_lengths);
  WalkInts(archive, &tensor->key_offsets);
  WalkSpan(archive, &tensor->key_ends);
  WalkArray(archive, &tensor->weights, tensor->num_values);
}

template <class Archive>
void WalkTensor(Archive* archive, size_t num_rows, Tensor* tensor) {
  uint64_t kind = static_cast<uint64_t>(tensor->kind);
  archive->Number(&kind);
  tensor->kind = static_cast<TensorKind>(kind);
  WalkSpan(archive, &tensor->shape);
  WalkSize(archive, &tensor->num_values);
  WalkValues(archive, tensor->dtype, &tensor->values, tensor->num_values);
  WalkSpan(archive, &tensor->indices);
  WalkSplits(archive, &tensor->row_splits);
  WalkSpan(archive, &tensor->lengths);
  WalkArray(archive, &tensor->row_offsets, num_rows + 1);
  const size_t steps = tensor->row_offsets == nullptr
                           ? 0
                           : static_cast<size_t>(tensor->row_offsets[num_rows]);
  WalkArray(archive, &tensor->step_offsets, steps + 1);
  WalkSize(archive, &tensor->num_list_values);
  WalkValues(archive, tensor->dtype, &tensor->list_values,
             tensor->num_list_values);
  if (tensor->kind == TensorKind::kJagged) WalkJagged(archive, tensor);
}

// One copier counts the bytes of all arrays; a second one then copies the
// arrays to memory of that size. An array that occurs twice is copied once.
class ArrayCopier {
 public:
  static constexpr size_t kAlignment = 64;

  // Counts bytes, and copies nothing.
  ArrayCopier() = default;
  // Copies arrays to `memory`, and the bytes of strings to `text`.
  ArrayCopier(uint8_t* memory, uint8_t* text) : memory_(memory), text_(text) {}

  void Number(uint64_t*) {}
  void Bytes(const void** data, size_t size) { Copy(data, size, false); }
  void Strings(const void** data, size_t count) {
    Copy(data, count * sizeof(std::string_view), true);
  }
  void Own(const void** data, size_t size) {
    if (*data != nullptr) Append(data, size);
  }

  size_t array_bytes() const { return array_bytes_; }
  size_t text_bytes() const { return text_bytes_; }

 private:
  void Copy(const void** data, size_t size, bool is_text);
  void Append(const void** data, size_t size);
  void CopyText(std::span<std::string_view> strings);

  uint8_t* memory_ = nullptr;
  uint8_t* text_ = nullptr;
  size_t array_bytes_ = 0;
  size_t text_bytes_ = 0;
  std::map<std::pair<const void*, size_t>, const void*> copied_;
};

// Appends numbers and arrays to a text.
class ArrayWriter {
 public:
  explicit ArrayWriter(std::string* out) : out_(out) {}

  void Number(uint64_t* number) { Append(number, sizeof(*number)); }
  void Bytes(const void** data, size_t size);
  void Strings(const void** data, size_t count);
  void Own(const void**, size_t) {}
  void Text(std::string_view text);

 private:
  void Append(const void* data, size_t size) {
    out_->append(static_cast<const char*>(data), size);
  }

  std::string* out_;
};

// Reads what ArrayWriter wrote. If the text ends too early, the rest is read as
// zeros and nulls, and failed() is true.
class ArrayReader {
 public:
  explicit ArrayReader(std::string_view text) : rest_(text) {}

  void Number(uint64_t* number);
  void Bytes(const void** data, size_t size);
  void Strings(const void** data, size_t count);
  void Own(const void** data, size_t size) { Keep(data, *data, size); }
  std::string Text();

  bool failed() const { return failed_; }

 private:
  // Returns false if fewer than `size` bytes are left.
  bool Take(uint64_t size, const char** data);
  void Keep(const void** data, const void* from, size_t size);

  std::string_view rest_;
  bool failed_ = false;
  // Aligned copies of arrays, because the text is not aligned.
  std::vector<std::vector<uint64_t>> kept_;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_BATCH_BATCH_ARRAYS_H_
