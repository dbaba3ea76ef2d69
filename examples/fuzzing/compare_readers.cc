// Fuzzes another reader of TFRecord files. `Records` below stands for the
// reader that you want to test. It must return the same records as headrace,
// and libprotobuf must accept each as an Example if headrace does.
//
// With -DBUG_CRC the reader does not check payload checksums, and with
// -DBUG_BOUND it trusts all lengths after the first record: two mistakes that
// readers make.

#include <google/protobuf/unknown_field_set.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/fuzzing.h"
#include "headrace/message.h"
#include "headrace/record_reader.h"

#ifdef KNOWS_TFRECORD
HEADRACE_LIBFUZZER_MUTATOR(headrace::fuzzing::InputFormat::kRecords);
#endif

namespace {

uint32_t Crc(std::string_view bytes) {
  const uint32_t masked = headrace::fuzzing::MaskedCrc(bytes) - 0xa282ead8u;
  return masked >> 17 | masked << 15;
}

uint32_t Unmasked(const char* bytes) {
  uint32_t masked;
  std::memcpy(&masked, bytes, sizeof(masked));
  masked -= 0xa282ead8u;
  return masked >> 17 | masked << 15;
}

// Returns the records before the first damaged one.
std::vector<std::string> Records(std::string_view file) {
  std::vector<std::string> records;
  while (file.size() >= 16) {
    uint64_t length;
    std::memcpy(&length, file.data(), sizeof(length));
    if (Unmasked(file.data() + 8) != Crc(file.substr(0, 8))) break;
#ifdef BUG_BOUND
    if (length > (records.empty() ? file.size() - 16 : 1u << 20)) break;
#else
    if (length > file.size() - 16) break;
#endif
    const std::string payload(file.data() + 12, length);
#ifndef BUG_CRC
    if (Unmasked(file.data() + 12 + length) != Crc(payload)) break;
#endif
    records.push_back(payload);
    file.remove_prefix(16 + length);
  }
  return records;
}

void Require(bool right) {
  if (!right) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  headrace::RecordReaderOptions options;
  options.compression = headrace::Compression::kNone;
  auto reader = headrace::RecordReader::FromMemory(file, options);
  Require(reader.ok());
  for (const std::string& payload : Records(file)) {
    const auto record = reader->Next();
    Require(record && record->payload == payload);
    google::protobuf::UnknownFieldSet fields;
    const bool is_message = fields.ParseFromString(payload);
    // Every protobuf reader accepts an Example.
    if (!is_message) {
      Require(!headrace::ParseMessage(payload, headrace::MessageType::kExample)
                   .ok());
    }
  }
  Require(!reader->Next());  // no more records, or damage
  return 0;
}
