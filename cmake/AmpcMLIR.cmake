# MLIR, and the functions that declare the compiler's libraries and tools.
#
#   ampc_add_library(name a.cpp b.cpp [DEPENDS tablegen-target...]
#                    [LINK library...] [EXCEPTIONS])
#   ampc_add_tool(name main.cpp [LINK library...])
#   ampc_add_plugin(name a.cpp [LINK library...])
#
# Libraries are static and do not name MLIR: tools link the shared libMLIR and
# libLLVM once, at the end, and plugins not at all, since the tool that loads
# them brings its own.

# A version number fails here: Debian's MLIRConfigVersion accepts none.
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-19)
if(NOT LLVM_VERSION_MAJOR EQUAL 19)
  message(FATAL_ERROR "MLIR ${LLVM_VERSION} at ${MLIR_DIR}: ampc is written for 19")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
# Both are set by MLIRConfig.cmake to the folders of Debian's packages.
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
add_definitions(${LLVM_DEFINITIONS})

# The compiler spends its time inside libMLIR and libLLVM, which are optimized
# whatever happens here, so -O1 loses nothing that can be measured and builds
# faster than -O2. GCC 12's two warnings misread ArrayRef and FailureOr.
set(ampc_mlir_options -O1 -Wno-init-list-lifetime -Wno-maybe-uninitialized)

# One precompiled header for all that is compiled without exceptions. A typical
# file takes 1.4 s with it and 6.4 s without.
if(AMPC_PCH)
  file(WRITE ${PROJECT_BINARY_DIR}/ampc_pch.cpp "")
  add_library(ampc_pch OBJECT ${PROJECT_BINARY_DIR}/ampc_pch.cpp)
  target_compile_options(ampc_pch PRIVATE ${ampc_mlir_options} -fno-exceptions
                         -fpch-preprocess)
  # In brackets, since CMake writes a path of its own into the other form, and
  # with it no two checkouts could share what ccache keeps.
  target_precompile_headers(ampc_pch PRIVATE <cmake/PrecompiledMLIR.h>)
  # A precompiled header is half a gigabyte, and no two builds write the same one.
  # ccache looks at this sum of what goes into it instead.
  file(SHA256 ${PROJECT_SOURCE_DIR}/cmake/PrecompiledMLIR.h pch_sum)
  file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/ampc_pch.dir/cmake_pch.hxx.gch.sum
       "${pch_sum} ${CMAKE_CXX_COMPILER_VERSION} ${LLVM_PACKAGE_VERSION}")
endif()

function(ampc_compile_for_mlir target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "EXCEPTIONS" "" "")
  target_compile_options(${target} PRIVATE ${ampc_mlir_options})
  if(ARG_EXCEPTIONS)
    return()
  endif()
  target_compile_options(${target} PRIVATE -fno-exceptions)
  if(AMPC_PCH)
    # -fPIC for executables too: GCC refuses a precompiled header that was made
    # with other code generation options.
    target_compile_options(${target} PRIVATE -fpch-preprocess -fPIC)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_precompile_headers(${target} REUSE_FROM ampc_pch)
  endif()
endfunction()

function(ampc_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "EXCEPTIONS" "" "DEPENDS;LINK")
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_EXCEPTIONS)
    ampc_compile_for_mlir(${name} EXCEPTIONS)
  else()
    ampc_compile_for_mlir(${name})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  # TableGen writes *.inc next to the library's build files.
  target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

function(ampc_add_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "LINK")
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  ampc_compile_for_mlir(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
endfunction()

function(ampc_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "LINK")
  add_library(${name} MODULE ${ARG_UNPARSED_ARGUMENTS})
  ampc_compile_for_mlir(${name})
  set_target_properties(${name} PROPERTIES PREFIX "")
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()
