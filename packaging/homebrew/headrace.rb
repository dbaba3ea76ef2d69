class Headrace < Formula
  desc "Read TFRecord files into columns and tensors, without TensorFlow"
  homepage "https://github.com/headrace/headrace"
  url "https://github.com/headrace/headrace/archive/refs/tags/v0.1.0.tar.gz"
  # Of the archive, when there is one.
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"
  head "https://github.com/headrace/headrace.git", branch: "main"

  depends_on "cli11" => :build
  depends_on "flatbuffers" => :build
  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "abseil"
  depends_on "highway"
  depends_on "libdeflate"
  depends_on :linux
  depends_on "snappy"
  depends_on "xxhash"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "meson", "setup", "build", "-Dtests=false", "-Dbenchmarks=false",
           "-Ddefault_library=shared", *std_meson_args
    system "meson", "compile", "-C", "build", "--verbose"
    system "meson", "install", "-C", "build"
  end

  test do
    system bin/"headrace", "gen", "--records", "10", "people.tfrecord"
    assert_equal "10\n", shell_output("#{bin}/headrace count people.tfrecord")
  end
end
