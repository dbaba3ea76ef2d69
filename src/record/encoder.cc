#include "src/record/encoder.h"

#include <snappy.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace headrace::record {
namespace {

constexpr size_t kOutputBytes = size_t{64} << 10;

// TensorFlow's reader holds 256 KiB of a stream at a time, compressed and
// uncompressed, and refuses a block that needs more. Bytes that do not compress
// grow by a sixth.
constexpr size_t kSnappyBlock = size_t{128} << 10;

Status EncodeError(const OutputFile& out, ErrorCode code, std::string message) {
  return Status(ErrorInfo{
      .code = code, .message = std::move(message), .file = out.name()});
}

class Plain final : public Encoder {
 public:
  explicit Plain(OutputFile* out) : out_(out) {}
  Status Write(const uint8_t* data, size_t size) override {
    return out_->Write(data, size);
  }
  Status Finish() override { return Status(); }

 private:
  OutputFile* out_;
};

// A gzip file has one member, a zlib file one stream.
class Deflate final : public Encoder {
 public:
  explicit Deflate(OutputFile* out) : out_(out), buffer_(kOutputBytes) {}
  ~Deflate() override {
    if (open_) deflateEnd(&stream_);
  }

  bool Init(bool gzip) {
    constexpr int kWindowBits = 15;
    constexpr int kGzipWrapper = 16;
    constexpr int kMemoryLevel = 8;  // zlib's default
    open_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                         kWindowBits + (gzip ? kGzipWrapper : 0), kMemoryLevel,
                         Z_DEFAULT_STRATEGY) == Z_OK;
    return open_;
  }

  Status Write(const uint8_t* data, size_t size) override {
    while (size > 0) {
      const size_t part =
          std::min<size_t>(size, std::numeric_limits<uInt>::max());
      stream_.next_in = const_cast<Bytef*>(data);
      stream_.avail_in = static_cast<uInt>(part);
      if (Status status = Run(Z_NO_FLUSH); !status.ok()) return status;
      data += part;
      size -= part;
    }
    return Status();
  }

  Status Finish() override { return Run(Z_FINISH); }

 private:
  // Runs until the input is used up, or with Z_FINISH all output is given.
  Status Run(int flush) {
    for (;;) {
      stream_.next_out = buffer_.data();
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      const int result = deflate(&stream_, flush);
      assert(result != Z_STREAM_ERROR);  // of a stream that was not begun
      const size_t made = buffer_.size() - stream_.avail_out;
      if (Status s = out_->Write(buffer_.data(), made); !s.ok()) return s;
      if (flush == Z_FINISH ? result == Z_STREAM_END : stream_.avail_out != 0) {
        return Status();
      }
    }
  }

  OutputFile* out_;
  std::vector<uint8_t> buffer_;
  z_stream stream_ = {};
  bool open_ = false;
};

// TensorFlow frames each raw snappy block with its size, a u32 big-endian.
class Snappy final : public Encoder {
 public:
  explicit Snappy(OutputFile* out) : out_(out) {
    block_.reserve(kSnappyBlock);
    compressed_.resize(snappy::MaxCompressedLength(kSnappyBlock));
  }

  Status Write(const uint8_t* data, size_t size) override {
    while (size > 0) {
      const size_t part = std::min(size, kSnappyBlock - block_.size());
      block_.insert(block_.end(), data, data + part);
      data += part;
      size -= part;
      if (block_.size() < kSnappyBlock) break;
      if (Status status = PutBlock(); !status.ok()) return status;
    }
    return Status();
  }

  Status Finish() override { return block_.empty() ? Status() : PutBlock(); }

 private:
  Status PutBlock() {
    size_t size = 0;
    snappy::RawCompress(block_.data(), block_.size(), compressed_.data(),
                        &size);
    block_.clear();
    const char header[4] = {
        static_cast<char>(size >> 24), static_cast<char>(size >> 16),
        static_cast<char>(size >> 8), static_cast<char>(size)};
    if (Status s = out_->Write(header, sizeof(header)); !s.ok()) return s;
    return out_->Write(compressed_.data(), size);
  }

  OutputFile* out_;
  std::vector<char> block_;
  std::vector<char> compressed_;
};

// The file is one frame, with its checksum.
class Zstd final : public Encoder {
 public:
  explicit Zstd(OutputFile* out)
      : out_(out),
        context_(ZSTD_createCCtx(), &ZSTD_freeCCtx),
        buffer_(ZSTD_CStreamOutSize()) {}

  bool Init() {
    return context_ != nullptr &&
           ZSTD_isError(ZSTD_CCtx_setParameter(context_.get(),
                                               ZSTD_c_checksumFlag, 1)) == 0;
  }

  Status Write(const uint8_t* data, size_t size) override {
    return Run({.src = data, .size = size, .pos = 0}, ZSTD_e_continue);
  }
  Status Finish() override {
    return Run({.src = nullptr, .size = 0, .pos = 0}, ZSTD_e_end);
  }

 private:
  Status Run(ZSTD_inBuffer input, ZSTD_EndDirective directive) {
    for (;;) {
      ZSTD_outBuffer output = {
          .dst = buffer_.data(), .size = buffer_.size(), .pos = 0};
      const size_t left =
          ZSTD_compressStream2(context_.get(), &output, &input, directive);
      if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) {
        return Status::OutOfMemory();
      }
      if (ZSTD_isError(left) != 0) {
        // not covered: nothing else can go wrong as it is called here.
        return EncodeError(*out_, ErrorCode::kIo,
                           std::string("zstd: ") + ZSTD_getErrorName(left));
      }
      if (Status s = out_->Write(buffer_.data(), output.pos); !s.ok()) {
        return s;
      }
      if (directive == ZSTD_e_end ? left == 0 : input.pos == input.size) {
        return Status();
      }
    }
  }

  OutputFile* out_;
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
  std::vector<uint8_t> buffer_;
};

template <class T, class... Args>
Result<std::unique_ptr<Encoder>> Make(OutputFile* out, Args... args) {
  auto encoder = std::make_unique<T>(out);
  if (!encoder->Init(args...)) {
    return EncodeError(*out, ErrorCode::kOutOfMemory, "out of memory");
  }
  return std::unique_ptr<Encoder>(std::move(encoder));
}

}  // namespace

Result<std::unique_ptr<Encoder>> MakeEncoder(Compression compression,
                                             OutputFile* out) {
  switch (compression) {
    case Compression::kAuto:
    case Compression::kNone:
      return std::unique_ptr<Encoder>(std::make_unique<Plain>(out));
    case Compression::kGzip:
      return Make<Deflate>(out, true);
    case Compression::kZlib:
      return Make<Deflate>(out, false);
    case Compression::kSnappy:
      return std::unique_ptr<Encoder>(std::make_unique<Snappy>(out));
    case Compression::kZstd:
      return Make<Zstd>(out);
  }
  return EncodeError(*out, ErrorCode::kInvalidArgument,
                     "no such kind of compression");
}

}  // namespace headrace::record
