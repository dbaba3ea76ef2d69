#include "src/cli/progress.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

// The line is not drawn earlier, because the rate would say little, and most
// verbs have ended by then.
constexpr int64_t kFirstDrawNs = 1'000'000'000;
constexpr int64_t kDrawEveryNs = 200'000'000;
// The clock is read after this many bytes or calls, because reading it costs
// more than a small record.
constexpr uint64_t kLookEvery = uint64_t{1} << 16;
constexpr uint32_t kLookEveryCalls = 64;
// An opening that takes less time is not worth a note.
constexpr double kSlowSeconds = 5;
// Longer than this is as good as never.
constexpr double kMaxSecondsLeft = 100 * 3600 - 1;

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Returns text like "0:07", "12:34" or "1:02:03".
std::string Clock(double seconds) {
  const auto whole = static_cast<uint64_t>(seconds);
  const auto two = [](uint64_t number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
  };
  const std::string end = ":" + two(whole % 60);
  if (whole < 3600) return std::to_string(whole / 60) + end;
  return std::to_string(whole / 3600) + ":" + two(whole / 60 % 60) + end;
}

// Returns text like "912.0 kB" or "1.5 GB"; the units are powers of 1000, as in
// other rates.
std::string Amount(double bytes) {
  constexpr std::array kUnits = {" kB", " MB", " GB"};
  double amount = bytes / 1000;
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && amount >= 999.95) {
    amount /= 1000;
    ++unit;
  }
  return Decimal(amount, 1) + kUnits[unit];
}

}  // namespace

Progress::Progress(std::string_view verb, const Console& console,
                   const std::string& output)
    : verb_(verb),
      enabled_(!console.quiet() && CanRedrawLines() && !IsTerminal(output)),
      start_ns_(enabled_ ? NowNs() : 0),
      next_draw_ns_(start_ns_ + kFirstDrawNs) {}

bool Progress::IsDue(uint64_t bytes) {
  if (!enabled_) return false;
  // Threads that count at the same time may lose a call, which does no harm.
  const uint32_t calls = calls_.load(std::memory_order_relaxed) + 1;
  calls_.store(calls, std::memory_order_relaxed);
  if (calls % kLookEveryCalls != 0 &&
      bytes < next_look_.load(std::memory_order_relaxed)) {
    return false;
  }
  next_look_.store(bytes + kLookEvery, std::memory_order_relaxed);
  const int64_t now = NowNs();
  int64_t due = next_draw_ns_.load(std::memory_order_relaxed);
  // Only the thread that moves the time of the next drawing draws.
  return now >= due && next_draw_ns_.compare_exchange_strong(
                           due, now + kDrawEveryNs, std::memory_order_relaxed);
}

void Progress::Update(uint64_t bytes, uint64_t done, uint64_t total) {
  if (!IsDue(bytes)) return;
  std::optional<double> share;
  // A growing file may have more bytes than its size said.
  if (total > 0 && done <= total) {
    share = static_cast<double>(done) / static_cast<double>(total);
  }
  const double seconds = static_cast<double>(NowNs() - start_ns_) / 1e9;
  DrawLine(ProgressText(verb_, bytes, share, seconds));
}

std::string ProgressText(std::string_view verb, uint64_t bytes,
                         std::optional<double> share, double seconds) {
  std::string text = std::string(verb) + ": ";
  text += share ? std::to_string(static_cast<int>(*share * 100)) + "%"
                : Amount(static_cast<double>(bytes));
  text += ", " + Amount(static_cast<double>(bytes) / seconds) + "/s";
  if (share && *share > 0) {
    const double left = seconds / *share - seconds;
    text += ", " + Clock(std::min(left, kMaxSecondsLeft)) + " left";
  }
  return text;
}

double MegabytesPerSecond(uint64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) / 1e6 / seconds : 0;
}

std::string SpeedText(uint64_t bytes, double seconds) {
  return " in " + Decimal(seconds, 2) + " s (" +
         Decimal(MegabytesPerSecond(bytes, seconds), 1) + " MB/s)";
}

std::string SlowOpeningNote(double seconds) {
  if (seconds < kSlowSeconds) return "";
  return "files were read for " + Decimal(seconds, 0) +
         " seconds to find where records are; `headrace index FILE...` writes "
         "indexes, which make this unnecessary";
}

}  // namespace headrace::cli
