// Writes to and reads from the program's own storage, here memory: own_files.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "headrace/message.h"
#include "headrace/reader.h"
#include "headrace/record_writer.h"

namespace {

// Stands for an object store.
using Store = std::map<std::string, std::string>;

// An object that is written. It is in the store once it is complete.
class StoreSink : public headrace::OutputSink {
 public:
  StoreSink(Store* store, std::string name)
      : store_(store), name_(std::move(name)) {}

  headrace::Status Write(std::span<const uint8_t> bytes) override {
    content_.append(bytes.begin(), bytes.end());
    return {};
  }
  headrace::Status Close() override {
    (*store_)[name_] = std::move(content_);
    return {};
  }

 private:
  Store* const store_;
  const std::string name_;
  std::string content_;
};

// An object that is read. Seek and size are optional: without them a reader
// can still read it once, from its beginning.
class StoreInput : public headrace::InputFile {
 public:
  explicit StoreInput(const std::string& content) : content_(content) {}

  headrace::Result<size_t> Read(std::span<uint8_t> out) override {
    if (position_ >= content_.size()) return size_t{0};
    const size_t size = std::min(out.size(), content_.size() - position_);
    std::copy_n(content_.begin() + static_cast<ptrdiff_t>(position_), size,
                out.begin());
    position_ += size;
    return size;
  }
  bool can_seek() const override { return true; }
  headrace::Status Seek(uint64_t position) override {
    position_ = static_cast<size_t>(position);
    return {};
  }
  uint64_t size() const override { return content_.size(); }

 private:
  const std::string& content_;
  size_t position_ = 0;
};

headrace::Status Write(const std::string& name, Store* store) {
  HEADRACE_ASSIGN_OR_RETURN(auto writer,
                            headrace::RecordWriter::ToSink(
                                std::make_unique<StoreSink>(store, name), name,
                                {.compression = headrace::Compression::kGzip}));
  for (int64_t i = 0; i < 10; ++i) {
    headrace::Message example;
    example.features["id"] = {.kind = headrace::Kind::kInt64, .int64s = {i}};
    HEADRACE_ASSIGN_OR_RETURN(auto payload,
                              headrace::SerializeMessage(example));
    HEADRACE_RETURN_IF_ERROR(writer.Write(payload));
  }
  return writer.Close();
}

headrace::Status Read(const std::string& name, const Store& store) {
  headrace::ReadOptions options;
  // A Result accepts a pointer to any class derived from InputFile.
  options.open_input = [&store](const std::string& wanted)
      -> headrace::Result<std::unique_ptr<headrace::InputFile>> {
    const auto found = store.find(wanted);
    if (found != store.end()) {
      return std::make_unique<StoreInput>(found->second);
    }
    return headrace::Status(headrace::ErrorCode::kNotFound, "no such object");
  };
  HEADRACE_ASSIGN_OR_RETURN(auto reader,
                            headrace::Reader::Open({name}, options));
  while (auto batch = reader.Next()) {
    std::printf("%zu rows of %s\n", batch->num_rows(), name.c_str());
  }
  return reader.status();
}

}  // namespace

int main() {
  Store store;
  headrace::Status status = Write("ids.tfrecord.gz", &store);
  if (status.ok()) status = Read("ids.tfrecord.gz", store);
  if (status.ok()) status = Read("others.tfrecord", store);
  std::printf("%s\n", status.ToString().c_str());
}
