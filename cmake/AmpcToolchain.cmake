# How everything is compiled and linked, compiler and runtime alike.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# NDEBUG is not defined: an assertion that fails beats undefined behaviour, and
# Debian's MLIR has its own assertions off, so those in its headers are all we get.
set(CMAKE_C_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
add_compile_options(-Wall)

if(AMPC_CCACHE)
  find_program(AMPC_CCACHE_PROGRAM ccache)
  if(AMPC_CCACHE_PROGRAM)
    # Sloppiness is what ccache needs to accept a precompiled header; base_dir and
    # nohashdir let checkouts in different folders share objects.
    set(launcher ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
        ${AMPC_CCACHE_PROGRAM})
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  endif()
endif()

if(AMPC_LLD)
  find_program(AMPC_LLD_PROGRAM NAMES ld.lld HINTS /usr/lib/llvm-19/bin
               NO_DEFAULT_PATH)
  if(AMPC_LLD_PROGRAM)
    cmake_path(GET AMPC_LLD_PROGRAM PARENT_PATH lld_folder)
    add_link_options(-fuse-ld=lld -B${lld_folder})
  endif()
endif()

if(AMPC_SANITIZE)
  add_compile_options(-fsanitize=${AMPC_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${AMPC_SANITIZE})
endif()

# libMLIR stays without instrumentation: no type checks across that border, and no
# bounds of containers that it fills (tests/fuzz/run.py turns those off).
if(AMPC_FUZZ)
  set(sanitizers -fsanitize=address,undefined -fno-sanitize=vptr,function)
  add_compile_options(${sanitizers} -fsanitize=fuzzer-no-link
                      -fno-sanitize-recover=all -fno-omit-frame-pointer -g1
                      -Wno-unknown-warning-option)
  add_link_options(${sanitizers})
endif()

# Headers are named from the top of the tree: #include "compiler/ir/Amp.h".
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
add_compile_definitions(AMPC_VERSION="${PROJECT_VERSION}")
