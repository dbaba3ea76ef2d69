#include "tests/agreement/wire_agreement.h"

#include <optional>

#include "gtest/gtest.h"
#include "headrace/message.h"
#include "tests/naive/batch_columns.h"
#include "tests/naive/naive_decoder.h"
#include "tests/naive/protobuf_oracle.h"
#include "tests/support/hex.h"

namespace headrace::testing {

namespace {

std::string Disagree(const char* who, std::string_view bytes,
                     MessageType type) {
  std::string text = std::string(who) + " on " + ToHex(bytes);
  return text.append(type == MessageType::kExample ? " as Example"
                                                   : " as SequenceExample");
}

// The library promises this about the error itself.
std::string BrokenError(const Status& error, size_t size) {
  if (error.code() != ErrorCode::kMalformed) return "another error class";
  if (error.message().empty()) return "an error without a message";
  const uint64_t offset = error.info()->offset;
  if (offset == kUnknown || offset > size) return "an offset outside";
  return {};
}

std::string CheckLibrary(std::string_view bytes, MessageType type,
                         const std::optional<NaiveMessage>& expected) {
  const Result<Message> message = ParseMessage(bytes, type);
  if (message.ok() != expected.has_value()) {
    return message.ok() ? "library accepts" : "library rejects";
  }
  if (!expected) return BrokenError(message.status(), bytes.size());
  if (ToNaive(*message) != *expected) return "library reads otherwise";
  if (message->type != type) return "library gives another type";
  return {};
}

}  // namespace

std::string Agreement::Check(std::string_view bytes, MessageType type) {
  const auto expected = NaiveParse(bytes, type);
  const auto protobuf = ProtobufParse(bytes, type);
  if (protobuf != expected) {
    if (protobuf && expected) {
      return Disagree("naive decoder reads otherwise", bytes, type);
    }
    return Disagree(
        expected ? "naive decoder accepts" : "naive decoder rejects", bytes,
        type);
  }
  return CheckQuickly(bytes, type);
}

std::string Agreement::CheckQuickly(std::string_view bytes, MessageType type) {
  const auto expected = NaiveParse(bytes, type);
  accepted_ = expected.has_value();
  const std::string wrong =
      CheckLibrary(guarded_.PlaceAtEnd(bytes), type, expected);
  return wrong.empty() ? "" : Disagree(wrong.c_str(), bytes, type);
}

std::string Agreement::Check(std::string_view bytes) {
  std::string wrong = Check(bytes, MessageType::kSequence);
  return wrong.empty() ? Check(bytes, MessageType::kExample) : wrong;
}

void FewFailures::Add(const std::string& disagreement) {
  if (disagreement.empty()) return;
  if (++count_ <= kEnough) ADD_FAILURE() << disagreement;
}

}  // namespace headrace::testing
