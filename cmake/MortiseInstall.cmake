# `cmake --install`: the program, the library, its headers and what find_package(mortise) reads.
include(CMakePackageConfigHelpers)
set(MORTISE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/mortise)

install(TARGETS mortise EXPORT mortiseTargets)
if(TARGET mortise_program)
  install(TARGETS mortise_program)
endif()
install(EXPORT mortiseTargets NAMESPACE mortise:: DESTINATION ${MORTISE_CMAKE_DIR})

# Headers of the command line and those listed in private-headers.txt stay at home: a public header includes the
# standard library, Eigen and other public headers only (packaging.headers checks it).
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/private-headers.txt)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/private-headers.txt MORTISE_PRIVATE_HEADERS REGEX "^[a-z]")
set(stay_at_home)
foreach(header IN LISTS MORTISE_PRIVATE_HEADERS)
  list(APPEND stay_at_home PATTERN ${header} EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/mortise DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "mortise/cli" EXCLUDE ${stay_at_home})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

get_target_property(definitions mortise COMPILE_DEFINITIONS)
if("MORTISE_HAVE_SUNDIALS" IN_LIST definitions)
  set(MORTISE_USES_SUNDIALS ON)
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/mortiseConfig.cmake.in
  ${PROJECT_BINARY_DIR}/mortiseConfig.cmake INSTALL_DESTINATION ${MORTISE_CMAKE_DIR})
# Before 1.0 a new minor version may break its callers.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mortiseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mortiseConfig.cmake ${PROJECT_BINARY_DIR}/mortiseConfigVersion.cmake
  DESTINATION ${MORTISE_CMAKE_DIR})
