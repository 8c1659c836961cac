# Compiler settings shared by all targets.
include(GNUInstallDirs)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
# An installed tree may be moved: the program finds the library next to itself.
file(RELATIVE_PATH MORTISE_BIN_TO_LIB ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(CMAKE_INSTALL_RPATH $ORIGIN/${MORTISE_BIN_TO_LIB})
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# -O2 everywhere, -O3 for the dense kernels (src/CMakeLists.txt): half the time to compile, no measurable loss elsewhere.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(CCACHE ccache)
if(CCACHE)
  # Precompiled headers are what ccache asks these two concessions for.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

# Headers that most files read anyway, compiled once a target, and sources in batches, which share what they instantiate:
# a third of the time for a whole build. Files still include what they use (packaging.headers compiles every header
# alone; MORTISE_PCH=OFF and MORTISE_UNITY=OFF compile every source so), and names in the anonymous namespaces of a room
# do not repeat.
option(MORTISE_PCH "Precompile the standard library, Eigen and fmt" ON)
set(MORTISE_COMMON_HEADERS <algorithm> <array> <chrono> <cmath> <fstream> <functional> <limits> <map>
  <memory> <optional> <random> <span> <sstream> <stdexcept> <string> <string_view> <unordered_map> <utility> <vector>
  <Eigen/Dense> <fmt/format.h> ${PROJECT_SOURCE_DIR}/src/mortise/linalg/dense.h)
function(mortise_precompile target)
  if(MORTISE_PCH)
    target_precompile_headers(${target} PRIVATE ${MORTISE_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()
# Batches are made of files of one folder, and which batch a file is in depends on its name alone: a new file changes one
# batch, not all that follow it.
function(mortise_unite target batch)
  if(NOT MORTISE_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    list(APPEND "in_${folder}" ${source})
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH "in_${folder}" count)
    math(EXPR batches "(${count} + ${batch} - 1) / ${batch}")
    foreach(source IN LISTS "in_${folder}")
      get_filename_component(name ${source} NAME)
      string(MD5 hash ${name})
      string(SUBSTRING ${hash} 0 6 hash)
      math(EXPR which "0x${hash} % ${batches}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${which})
    endforeach()
  endforeach()
endfunction()

add_library(mortise_settings INTERFACE)
target_compile_options(mortise_settings INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${MORTISE_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms inside std::string of g++ 12 (GCC bugs 105651 and 105329); which ones depends on what is inlined.
  target_compile_options(mortise_settings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread)
endif()
# The same source gives the same bits: no fused multiply-add behind our back.
target_compile_options(mortise_settings INTERFACE -ffp-contract=off)
# Nobody replaces our functions at load time; let the compiler inline them in the shared library as in a static one.
target_compile_options(mortise_settings INTERFACE -fno-semantic-interposition)
target_compile_definitions(mortise_settings INTERFACE EIGEN_MPL2_ONLY MORTISE_VERSION="${PROJECT_VERSION}")
# Link what is used: HDF5's finder names libcrypto, libcurl and others that only libhdf5 itself needs.
target_link_options(mortise_settings INTERFACE LINKER:--as-needed)
if(MORTISE_SANITIZE)
  target_compile_options(mortise_settings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
    -fno-omit-frame-pointer -Wno-error=maybe-uninitialized)
  target_link_options(mortise_settings INTERFACE -fsanitize=address,undefined)
endif()
if(MORTISE_FUZZ)
  # The library gets the coverage counters; the fuzz targets add libFuzzer's main (fuzz/CMakeLists.txt).
  target_compile_options(mortise_settings INTERFACE -fsanitize=fuzzer-no-link,address,undefined
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(mortise_settings INTERFACE -fsanitize=address,undefined)
endif()
