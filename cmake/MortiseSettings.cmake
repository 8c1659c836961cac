# Compiler settings shared by all targets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(mortise_settings INTERFACE)
target_compile_options(mortise_settings INTERFACE -Wall -Wextra -Wpedantic -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms inside std::string of g++ 12 (GCC bug 105651).
  target_compile_options(mortise_settings INTERFACE -Wno-restrict)
endif()
# The same source gives the same bits: no fused multiply-add behind our back.
target_compile_options(mortise_settings INTERFACE -ffp-contract=off)
target_compile_definitions(mortise_settings INTERFACE EIGEN_MPL2_ONLY)
if(MORTISE_SANITIZE)
  target_compile_options(mortise_settings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(mortise_settings INTERFACE -fsanitize=address,undefined)
endif()
