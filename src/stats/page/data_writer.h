// Writes JSON that stands inside of <script>.

#ifndef HEADRACE_SRC_STATS_PAGE_DATA_WRITER_H_
#define HEADRACE_SRC_STATS_PAGE_DATA_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace headrace::report {

// Appends members of objects, elements of lists, and what is between them. Each
// value of an object comes after its key.
class DataWriter {
 public:
  explicit DataWriter(std::string* out) : out_(out) {}

  void Open(char bracket);
  void Close(char bracket);
  void Key(std::string_view key);

  // Six digits. What is not finite becomes text, such as "∞".
  void Add(double number);
  void Add(float number) { Add(static_cast<double>(number)); }
  void Add(uint64_t number);
  // Text beyond 2^53, where script would round it.
  void Add(int64_t number);
  // UTF-8, already fit for display.
  void AddText(std::string_view text);
  void AddBase64(std::string_view bytes);
  void AddNull();
  // A member of the object, if it is not zero.
  void AddCount(std::string_view key, uint64_t count);

 private:
  void Separate();

  std::string* const out_;
  bool is_first_ = true;
};

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_PAGE_DATA_WRITER_H_
