// JsonLineWriter turns serialized messages into lines of JSON. Use it to show
// or export records in the form of docs/cli.md ("JSON lines"), which loses
// nothing.
//
//   headrace::JsonLineWriter writer(headrace::MessageType::kExample);
//   std::string line;
//   HEADRACE_RETURN_IF_ERROR(writer.Append(payload, &line));  // {"age":[29]}
//
// One thread at a time may use a writer.

#ifndef HEADRACE_SRC_EXCHANGE_JSON_JSON_LINES_H_
#define HEADRACE_SRC_EXCHANGE_JSON_JSON_LINES_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

class JsonLineWriter {
 public:
  // `message` is the type of the payloads: kExample, kSequence, kElwc or kRaw.
  // `keeps` returns whether to write the feature or feature list of a name. It
  // is called at least once for each name that a message has, and must not
  // throw. If it is empty, all are written.
  explicit JsonLineWriter(
      MessageType message,
      std::function<bool(std::string_view name)> keeps = {});
  JsonLineWriter(JsonLineWriter&&) noexcept;
  JsonLineWriter& operator=(JsonLineWriter&&) noexcept;
  ~JsonLineWriter();

  // Appends the payload as one line, without a line feed. After an error `out`
  // is unchanged. Returns kMalformed as ParseMessage does (message.h), even for
  // features that are not written; kInvalidArgument for another type of message
  // than those above, and for a writer that was moved from.
  Status Append(std::string_view payload, std::string* out);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headrace

#endif  // HEADRACE_SRC_EXCHANGE_JSON_JSON_LINES_H_
