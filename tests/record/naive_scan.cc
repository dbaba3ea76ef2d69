#include "tests/record/naive_scan.h"

#include "src/base/record_header.h"
#include "tests/support/hex.h"

namespace headrace::testing {
namespace {

uint64_t Number(std::string_view bytes, uint64_t at, int size) {
  uint64_t value = 0;
  for (int i = 0; i < size; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[at + static_cast<size_t>(i)]);
    value |= uint64_t{byte} << (8 * i);
  }
  return value;
}

uint64_t MaskedCrc(std::string_view bytes) {
  return MaskCrc32c(ScalarCrc32c(reinterpret_cast<const uint8_t*>(bytes.data()),
                                 bytes.size()));
}

bool IsText(std::string_view header) {
  for (char c : header) {
    const bool printable = c >= 0x20 && c <= 0x7e;
    if (!printable && c != '\t' && c != '\r' && c != '\n') return false;
  }
  return true;
}

class Naive {
 public:
  Naive(std::string_view file, const NaiveOptions& options)
      : file_(file), options_(options) {}

  ScanOutcome Run() {
    while (out_.error == ErrorCode::kOk && at_ < file_.size()) {
      const ErrorCode code = Classify(at_);
      if (code == ErrorCode::kOk) {
        out_.records.push_back(
            {std::string(file_.substr(at_ + 12, Number(file_, at_, 8))), at_,
             recovered_, next_++});
        at_ += 16 + out_.records.back().payload.size();
      } else if (IsCut(code) && options_.stream_fails) {
        break;
      } else {
        Damage(code);
      }
    }
    if (out_.error == ErrorCode::kOk && options_.stream_fails) {
      if (options_.on_corrupt == OnCorrupt::kRescan) {
        LeaveOut(kUnknown, ErrorCode::kDecompress);
        at_ = file_.size();
      } else {
        out_.error = ErrorCode::kDecompress;
      }
    }
    out_.offset = at_;
    if (out_.error != ErrorCode::kOk) out_.number = next_;
    return std::move(out_);
  }

 private:
  static bool IsCut(ErrorCode code) {
    return code == ErrorCode::kTruncatedHeader ||
           code == ErrorCode::kTruncatedPayload ||
           code == ErrorCode::kTruncatedFooter;
  }

  bool HeaderFits(uint64_t at) const {
    return file_.size() - at >= 12 &&
           MaskedCrc(file_.substr(at, 8)) == Number(file_, at + 8, 4);
  }

  // What is wrong with the record at `at`, of which there is a byte.
  ErrorCode Classify(uint64_t at, bool verify_payload) const {
    const uint64_t left = file_.size() - at;
    if (left < 12) return ErrorCode::kTruncatedHeader;
    if (!HeaderFits(at)) {
      return at == 0 && IsText(file_.substr(0, 12)) ? ErrorCode::kNotTfrecord
                                                    : ErrorCode::kHeaderCrc;
    }
    const uint64_t length = Number(file_, at, 8);
    if (length > options_.max_record_bytes) return ErrorCode::kTooLarge;
    if (left - 12 < length) return ErrorCode::kTruncatedPayload;
    if (left - 12 - length < 4) return ErrorCode::kTruncatedFooter;
    const bool right = MaskedCrc(file_.substr(at + 12, length)) ==
                       Number(file_, at + 12 + length, 4);
    return right || !verify_payload ? ErrorCode::kOk : ErrorCode::kPayloadCrc;
  }
  ErrorCode Classify(uint64_t at) const {
    return Classify(at, options_.verify_payload);
  }

  void Damage(ErrorCode code) {
    const bool payload = code == ErrorCode::kPayloadCrc;
    const uint64_t record_end =
        payload ? at_ + 16 + Number(file_, at_, 8) : file_.size();
    if (options_.on_corrupt == OnCorrupt::kSkip && (payload || IsCut(code))) {
      LeaveOut(record_end, code);
      next_ += payload;
    } else if (options_.on_corrupt != OnCorrupt::kRescan) {
      out_.error = code;
    } else if (payload &&
               (record_end == file_.size() || HeaderFits(record_end))) {
      LeaveOut(record_end, code);
      ++next_;
    } else {
      uint64_t next = at_ + 1;
      while (next < file_.size() && Classify(next, true) != ErrorCode::kOk) {
        ++next;
      }
      LeaveOut(next, code);
      recovered_ = true;
    }
  }

  void LeaveOut(uint64_t end, ErrorCode code) {
    out_.regions.push_back({at_, end, code});
    at_ = end;
  }

  const std::string_view file_;
  const NaiveOptions options_;
  uint64_t at_ = 0;
  uint64_t next_ = 0;  // the number of the record at at_
  bool recovered_ = false;
  ScanOutcome out_;
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const ScanOutcome& outcome) {
  out << outcome.records.size() << " records";
  for (const ScannedRecord& record : outcome.records) {
    out << " [" << record.number << " at " << record.offset
        << (record.recovered ? " recovered " : " ")
        << ToHex(record.payload.substr(0, 16)) << "]";
  }
  for (const SkippedRegion& region : outcome.regions) {
    out << " (" << region.begin << ", " << region.end << " "
        << NameOf(region.reason) << ")";
  }
  return out << " " << NameOf(outcome.error) << " at " << outcome.offset;
}

ScanOutcome NaiveScan(std::string_view file, const NaiveOptions& options) {
  return Naive(file, options).Run();
}

}  // namespace headrace::testing
