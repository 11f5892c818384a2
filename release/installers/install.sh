#!/bin/sh
# Installs svc @VERSION@ for one user, without root. Run `sh install.sh --help`.
set -eu

version='@VERSION@'
address='@ADDRESS@'
sums='@SUMS@'
# Below the prefix.
files='bin/svc
@SHARED@
share/doc/svc/LICENSE
share/doc/svc/THIRD-PARTY-NOTICES.txt'
list=share/doc/svc/installed-files

usage() {
  cat <<END
Installs svc $version for one user, without root.

  sh install.sh [--prefix DIR] [--from DIR]   installs below DIR (default ~/.local)
  sh install.sh --uninstall [--prefix DIR]    removes what it installed

It downloads one archive, or takes it from the folder of --from, and compares its
SHA-256 with the one in this script. Then it copies the executable, the manual page
and the completions of shells below DIR. It changes nothing else.
END
}

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

# Quotes a text for a shell.
quoted() {
  printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

main() {
  from=''
  action=install
  prefix=${HOME:+$HOME/.local}
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix | --from)
        [ -n "${2:-}" ] || fail "$1 needs a folder."
        case $1 in
          --prefix) prefix=$2 ;;
          *) from=$2 ;;
        esac
        shift 2
        ;;
      --uninstall) action=uninstall; shift ;;
      -h | --help) usage; exit 0 ;;
      *) fail "Unknown option '$1'. See sh install.sh --help." ;;
    esac
  done
  [ -n "$prefix" ] || fail 'HOME is not set. Name a folder with --prefix DIR.'
  case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
  prefix=${prefix%/}
  if [ "$action" = uninstall ]; then uninstall; else install; fi
}

# --- Removing --------------------------------------------------------------------------------------------------------

# Removes the files that are named on standard input, and the folders that are empty without them.
remove() {
  while IFS= read -r path; do
    case $path in '' | /* | *..*) fail "$prefix/$list contains an unexpected path: $path" ;; esac
    rm -f -- "$prefix/$path.new"
    if [ -e "$prefix/$path" ]; then
      rm -f -- "$prefix/$path"
      printf 'Removed %s\n' "$prefix/$path"
    fi
    folder=$(dirname -- "$path")
    while [ "$folder" != . ] && rmdir -- "$prefix/$folder" 2>/dev/null; do
      folder=$(dirname -- "$folder")
    done
  done
  [ "$prefix" = "${HOME:-}" ] || rmdir -- "$prefix" 2>/dev/null || true
}

uninstall() {
  [ -f "$prefix/$list" ] || fail "svc is not installed below $prefix. Name its folder with --prefix DIR."
  remove <"$prefix/$list"
  printf '%s\n' "$list" | remove >/dev/null
  printf 'svc is removed. It leaves your recordings, your login and its cache:\n'
  for folder in "${XDG_DATA_HOME:-${HOME:-~}/.local/share}" "${XDG_CONFIG_HOME:-${HOME:-~}/.config}" "${XDG_CACHE_HOME:-${HOME:-~}/.cache}"; do
    printf '  %s\n' "$folder/svc"
  done
}

# --- Installing ------------------------------------------------------------------------------------------------------

# Sets `archive` and `expected`, its SHA-256.
choose_archive() {
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=macos ;;
    *) fail "There is no executable for $(uname -s). Use npm install --global @svc/cli." ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) processor=x64 ;;
    aarch64 | arm64) processor=arm64 ;;
    *) fail "There is no executable for $(uname -m). Use npm install --global @svc/cli." ;;
  esac
  # A shell that Rosetta translates sees the processor of Intel.
  if [ "$system" = macos ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then processor=arm64; fi
  archive=svc-$version-$system-$processor.tar.gz
  expected=$(printf '%s\n' "$sums" | sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p")
  [ -n "$expected" ] || fail "This release has no executable for $system-$processor. Use npm install --global @svc/cli."
}

# Writes the archive to "$work".
get_archive() {
  if [ -n "$from" ]; then
    printf 'Taking %s from %s\n' "$archive" "$from"
    cp -- "$from/$archive" "$work/$archive"
  else
    [ -n "$address" ] || fail 'This copy of install.sh has no address to download from. Name the folder of the release with --from DIR.'
    printf 'Downloading %s/%s\n' "$address" "$archive"
    if command -v curl >/dev/null; then
      curl --fail --silent --show-error --location --proto-redir '=https' --output "$work/$archive" "$address/$archive"
    elif command -v wget >/dev/null; then
      wget --quiet --output-document="$work/$archive" "$address/$archive"
    else
      fail 'Neither curl nor wget is installed.'
    fi
  fi
  if command -v sha256sum >/dev/null; then
    found=$(sha256sum <"$work/$archive")
  elif command -v shasum >/dev/null; then
    found=$(shasum -a 256 <"$work/$archive")
  else
    fail 'Neither sha256sum nor shasum is installed, so the archive cannot be checked.'
  fi
  found=${found%% *}
  [ "$found" = "$expected" ] || fail "$archive is not the file of this release: its SHA-256 is $found, not $expected."
  printf 'The SHA-256 is correct.\n'
}

# Stops if something is in the way that this script did not install.
check_prefix() {
  printf '%s\n' "$files" | while IFS= read -r path; do
    [ ! -d "$prefix/$path" ] || fail "$prefix/$path is a folder. Remove it, or choose another folder with --prefix DIR."
    [ -e "$prefix/$path" ] || continue
    grep -qxF -- "$path" "$prefix/$list" 2>/dev/null ||
      fail "$prefix/$path exists already. Remove it, or choose another folder with --prefix DIR."
  done
}

clean_up() {
  rm -rf -- "$work"
  rm -f -- "$prefix/$list.new"
  printf '%s\n' "$files" | while IFS= read -r path; do rm -f -- "$prefix/$path.new"; done
}

install() {
  choose_archive
  check_prefix
  work=$(mktemp -d)
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  get_archive
  mkdir "$work/files"
  tar -xzf "$work/$archive" -C "$work/files"

  # If this is interrupted, --uninstall removes the files of both versions.
  is_first=yes
  [ ! -f "$prefix/$list" ] || is_first=no
  mkdir -p -- "$prefix/bin" "$prefix/share/doc/svc"
  touch -- "$prefix/$list"
  { cat -- "$prefix/$list"; printf '%s\n' "$files"; } | sort -u >"$prefix/$list.new"
  mv -f -- "$prefix/$list.new" "$prefix/$list"

  # The executable is tried before anything is replaced.
  cp -- "$work/files/svc" "$prefix/bin/svc.new"
  printed=$("$prefix/bin/svc.new" --version) || printed=''
  if [ "$printed" != "$version" ]; then
    [ "$is_first" = no ] || printf '%s\n' "$files" "$list" | remove
    fail 'The executable does not run on this system. Use npm install --global @svc/cli.'
  fi

  printf '%s\n' "$files" | while IFS= read -r path; do
    case $path in
      bin/svc) source=svc ;;
      share/doc/svc/*) source=${path##*/} ;;
      *) source=$path ;;
    esac
    mkdir -p -- "$(dirname -- "$prefix/$path")"
    # A running svc keeps its old file.
    cp -- "$work/files/$source" "$prefix/$path.new"
    mv -f -- "$prefix/$path.new" "$prefix/$path"
    printf 'Installed %s\n' "$prefix/$path"
  done
  # What only the version before had.
  printf '%s\n' "$files" >"$work/files.now"
  grep -vxFf "$work/files.now" "$prefix/$list" | remove
  cp -- "$work/files.now" "$prefix/$list.new"
  mv -f -- "$prefix/$list.new" "$prefix/$list"

  printf '\nsvc %s is installed. ' "$version"
  case :${PATH:-}: in
    *:"$prefix/bin":*) printf 'Run svc help.\n' ;;
    *) printf "Add its folder to your PATH:\n\n  export PATH=%s:\"\$PATH\"\n\n" "$(quoted "$prefix/bin")" ;;
  esac
  printf 'To remove it, run sh install.sh --uninstall'
  [ "$prefix" = "${HOME:-}/.local" ] || printf ' --prefix %s' "$(quoted "$prefix")"
  printf '.\n'
}

main "$@"
