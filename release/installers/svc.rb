# Homebrew: https://docs.brew.sh/Formula-Cookbook
class Svc < Formula
  desc "@SUMMARY@"
  homepage "@ADDRESS@"
  license "@LICENSE@"

  on_macos do
    on_arm do
      url "@ADDRESS@/svc-@VERSION@-macos-arm64.tar.gz"
      sha256 "@SUM:macos-arm64@"
    end
    on_intel do
      url "@ADDRESS@/svc-@VERSION@-macos-x64.tar.gz"
      sha256 "@SUM:macos-x64@"
    end
  end

  on_linux do
    on_arm do
      url "@ADDRESS@/svc-@VERSION@-linux-arm64.tar.gz"
      sha256 "@SUM:linux-arm64@"
    end
    on_intel do
      url "@ADDRESS@/svc-@VERSION@-linux-x64.tar.gz"
      sha256 "@SUM:linux-x64@"
    end
  end

  conflicts_with "daemontools", because: "both install a program named svc"

  def install
    bin.install "svc"
    man1.install "@MANUAL@"
    bash_completion.install "@BASH@"
    zsh_completion.install "@ZSH@"
    fish_completion.install "@FISH@"
    prefix.install "THIRD-PARTY-NOTICES.txt"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/svc --version").strip
  end
end
