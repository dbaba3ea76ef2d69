#include "src/input/write/block_compressor.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "src/base/little_endian.h"
#include "src/input/deflate/checksum.h"
#include "src/input/deflate/gzip_member.h"

#if HEADRACE_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif
#if HEADRACE_HAVE_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

namespace headrace::record {
namespace {

constexpr size_t kTrailerBytes = 8;

// ISA-L's levels 1 to 3 are several times as fast as any other library's, but
// compress less.
constexpr int kMaxIsalLevel = 3;

// If ISA-L hardly makes a block smaller, a longer search gains little.
constexpr size_t kSampleBytes = size_t{64} << 10;
constexpr double kHardlySmaller = 0.8;

#if HEADRACE_HAVE_ISAL
// Deflates with ISA-L. Run returns 0 if the output does not fit `out`, or if
// the input is too large for the library.
class IsalDeflate {
 public:
  IsalDeflate() : memory_(ISAL_DEF_LVL3_DEFAULT) {}

  size_t Run(int level, std::span<const uint8_t> plain,
             std::span<uint8_t> out) {
    constexpr size_t kMax = std::numeric_limits<uint32_t>::max() / 2;
    if (plain.size() > kMax || out.size() > kMax) return 0;
    isal_zstream stream;
    isal_deflate_init(&stream);
    stream.level = static_cast<uint32_t>(level);
    stream.level_buf = memory_.data();
    stream.level_buf_size = static_cast<uint32_t>(memory_.size());
    stream.next_in = const_cast<uint8_t*>(plain.data());
    stream.next_out = out.data();
    stream.avail_out = static_cast<uint32_t>(out.size());
    // At the beginning of a stream ISA-L 2.30 takes the third byte's place in
    // its table from a register that was never set (.write_first_byte of
    // igzip_icf_body_h1_gr_bt.asm), so its output would depend on earlier code.
    // So the stream begins with a few bytes, too few to search.
    const size_t head = std::min(plain.size(), kHeadBytes);
    stream.avail_in = static_cast<uint32_t>(head);
    stream.flush = SYNC_FLUSH;
    if (isal_deflate(&stream) != COMP_OK) return 0;
    stream.avail_in = static_cast<uint32_t>(plain.size() - head);
    stream.flush = NO_FLUSH;
    stream.end_of_stream = 1;
    if (isal_deflate(&stream) != COMP_OK) return 0;
    const bool is_whole = stream.internal_state.state == ZSTATE_END;
    return is_whole ? out.size() - stream.avail_out : 0;
  }

 private:
  static constexpr size_t kHeadBytes = 8;

  std::vector<uint8_t> memory_;
};
#else
class IsalDeflate {
 public:
  size_t Run(int, std::span<const uint8_t>, std::span<uint8_t>) { return 0; }
};
#endif

// Deflates at any level, with libdeflate or zlib.
class AnyDeflate {
 public:
#if HEADRACE_HAVE_LIBDEFLATE
  explicit AnyDeflate(int level)
      : compressor_(libdeflate_alloc_compressor(level)) {}
  ~AnyDeflate() { libdeflate_free_compressor(compressor_); }
  bool has_memory() const { return compressor_ != nullptr; }
  size_t Bound(size_t size) const {
    return libdeflate_deflate_compress_bound(compressor_, size);
  }
  size_t Run(std::span<const uint8_t> plain, std::span<uint8_t> out) {
    return libdeflate_deflate_compress(compressor_, plain.data(), plain.size(),
                                       out.data(), out.size());
  }

 private:
  libdeflate_compressor* const compressor_;
#else
  explicit AnyDeflate(int level)
      : has_memory_(deflateInit2(&stream_, level, Z_DEFLATED,
                                 /*windowBits=*/-15, /*memLevel=*/8,
                                 Z_DEFAULT_STRATEGY) == Z_OK) {}
  ~AnyDeflate() {
    if (has_memory_) deflateEnd(&stream_);
  }
  bool has_memory() const { return has_memory_; }
  size_t Bound(size_t size) {
    return deflateBound(&stream_, static_cast<uLong>(size));
  }
  // Blocks have less than 2^32 bytes.
  size_t Run(std::span<const uint8_t> plain, std::span<uint8_t> out) {
    deflateReset(&stream_);
    stream_.next_in = const_cast<Bytef*>(plain.data());
    stream_.avail_in = static_cast<uInt>(plain.size());
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<uInt>(out.size());
    return deflate(&stream_, Z_FINISH) == Z_STREAM_END
               ? out.size() - stream_.avail_out
               : 0;
  }

 private:
  z_stream stream_ = {};
  const bool has_memory_;
#endif
 public:
  AnyDeflate(const AnyDeflate&) = delete;
  AnyDeflate& operator=(const AnyDeflate&) = delete;
};

class GzipBlocks final : public BlockCompressor {
 public:
  explicit GzipBlocks(int level) : level_(level), any_(level) {}

  bool Init() const { return any_.has_memory(); }

  Status Compress(std::span<const uint8_t> plain, uint32_t num_records,
                  std::vector<uint8_t>* out) override {
    const size_t bound = any_.Bound(plain.size());
    out->resize(compression::kClaimingHeader + bound + kTrailerBytes);
    const size_t deflated = Deflate(
        plain, std::span(*out).subspan(compression::kClaimingHeader, bound));
    out->resize(compression::kClaimingHeader + deflated + kTrailerBytes);
    uint8_t* const header = out->data();
    compression::StoreClaimingHeader(static_cast<uint32_t>(out->size()),
                                     static_cast<uint32_t>(plain.size()),
                                     num_records, header);
    uint8_t* const trailer = header + compression::kClaimingHeader + deflated;
    StoreLittle32(trailer, compression::Crc32(0, plain));
    StoreLittle32(trailer + 4, static_cast<uint32_t>(plain.size()));
    return Status();
  }

 private:
  size_t Deflate(std::span<const uint8_t> plain, std::span<uint8_t> out) {
    const int isal_level =
        level_ <= kMaxIsalLevel ? level_ : LevelForHardlySmaller(plain, out);
    const size_t size = isal_level > 0 ? isal_.Run(isal_level, plain, out) : 0;
    if (size > 0) return size;
    return any_.Run(plain, out);
  }

  // Returns ISA-L's level for a block that hardly shrinks; 0 if a longer search
  // is worthwhile.
  int LevelForHardlySmaller(std::span<const uint8_t> plain,
                            std::span<uint8_t> out) {
    const auto sample = plain.first(std::min(plain.size(), kSampleBytes));
    const size_t size = isal_.Run(kMaxIsalLevel, sample, out);
    const double most = kHardlySmaller * static_cast<double>(sample.size());
    return static_cast<double>(size) > most ? kMaxIsalLevel : 0;
  }

  const int level_;
  AnyDeflate any_;
  IsalDeflate isal_;
};

// Frames have their inflated size and a checksum.
class ZstdBlocks final : public BlockCompressor {
 public:
  ZstdBlocks() : context_(ZSTD_createCCtx(), &ZSTD_freeCCtx) {}

  bool Init(int level) {
    const auto set = [this](ZSTD_cParameter parameter, int value) {
      return ZSTD_isError(
                 ZSTD_CCtx_setParameter(context_.get(), parameter, value)) == 0;
    };
    return context_ != nullptr && set(ZSTD_c_checksumFlag, 1) &&
           set(ZSTD_c_compressionLevel, level);
  }

  Status Compress(std::span<const uint8_t> plain, uint32_t /*num_records*/,
                  std::vector<uint8_t>* out) override {
    out->resize(ZSTD_compressBound(plain.size()));
    const size_t size = ZSTD_compress2(context_.get(), out->data(), out->size(),
                                       plain.data(), plain.size());
    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) {
      return Status::OutOfMemory();
    }
    if (ZSTD_isError(size) != 0) {
      // not covered: nothing else can go wrong as it is called here.
      return Status(ErrorCode::kIo,
                    std::string("zstd: ") + ZSTD_getErrorName(size));
    }
    out->resize(size);
    return Status();
  }

 private:
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
};

}  // namespace

Result<std::unique_ptr<BlockCompressor>> MakeBlockCompressor(
    Compression compression, int level) {
  if (compression == Compression::kGzip) {
    auto gzip = std::make_unique<GzipBlocks>(level);
    if (!gzip->Init()) return Status::OutOfMemory();
    return std::unique_ptr<BlockCompressor>(std::move(gzip));
  }
  auto zstd = std::make_unique<ZstdBlocks>();
  if (!zstd->Init(level)) return Status::OutOfMemory();
  return std::unique_ptr<BlockCompressor>(std::move(zstd));
}

}  // namespace headrace::record
