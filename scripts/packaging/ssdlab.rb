# A formula for a tap: `make dist`, put the archive somewhere, and fill in its address and `shasum -a 256`.
class Ssdlab < Formula
  desc "Simulator of flash drives with published FTLs, exact to the byte"
  homepage "https://example.org/ssdlab"
  url "https://example.org/ssdlab-0.1.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "BSD-2-Clause"

  depends_on "pkgconf" => :build
  depends_on "libarchive"
  depends_on "libconfig"

  uses_from_macos "zlib"

  def install
    system "make", "install", "PREFIX=#{prefix}"
  end

  test do
    assert_match "waf = ", shell_output("#{bin}/ssd run --show waf -s trace.limit=1000 tiny mixed")
  end
end
