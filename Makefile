# The front door. CMake does the work; these are the usual ways to call it.
#
#   make demo        build, compile an OCR model, read a drawn line of text with it
#   make check       build and run every test suite (what CI runs)
#   make check-long  the tests that take too long for that
#   make build       install what is missing, configure, build
#   make docs        op and pass reference -> build/docs
#   make format      clang-format what git tracks
#   make clean       remove build folders (setup's .venv and .deps stay)

SHELL := /bin/bash
CMAKE := .venv/bin/cmake
CTEST := .venv/bin/ctest

.DEFAULT_GOAL := help
.PHONY: help demo check check-long build setup docs format clean

setup:
	@scripts/setup.sh

build/build.ninja: | setup
	$(CMAKE) --preset default

build: setup build/build.ninja
	$(CMAKE) --build --preset default

check: build
	$(CTEST) --preset default --parallel $$(nproc) --label-exclude long

check-long: build
	$(CTEST) --preset default --label-regex long

demo: build
	.venv/bin/python tools/demo/read_line.py

docs: setup build/build.ninja
	$(CMAKE) --build --preset default --target ampc-docs

format:
	git ls-files '*.cpp' '*.h' | xargs clang-format-19 -i

clean:
	rm -rf build build-asan build-generic

help:
	@sed -n '/^#   /s/^#   //p' Makefile
