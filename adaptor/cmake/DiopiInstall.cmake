# SPDX-License-Identifier: BSD-3-Clause
# cmake --install: installs the headers, the selected vendor's library, the reference runtime, and the files by which
# other projects find them (CMake package, pkg-config).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/proto/include/diopi DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(installed diopi_headers diopi_impl_${DIOPI_VENDOR})
set_target_properties(diopi_headers PROPERTIES EXPORT_NAME headers)
set_target_properties(diopi_impl_${DIOPI_VENDOR} PROPERTIES EXPORT_NAME impl)
if(TARGET diopirt)
  set(host_headers ${PROJECT_SOURCE_DIR}/runtime/include)
  install(FILES ${host_headers}/diopirt_host.h ${host_headers}/diopirt_dlpack.h ${host_headers}/diopi_fallback.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  list(APPEND installed diopirt)
endif()
install(TARGETS ${installed} EXPORT diopi-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

# The library finds the copies relative to itself, so the installation can be moved.
get_target_property(copies diopi_impl_${DIOPI_VENDOR} DIOPI_PRIVATE_COPIES)
set(copied_names "")
if(copies)
  install(PROGRAMS ${copies} $<TARGET_FILE:diopi_library_settings> DESTINATION ${CMAKE_INSTALL_LIBDIR}/diopi)
  list(TRANSFORM copies REPLACE ".*/" "" OUTPUT_VARIABLE copied_names)
endif()
get_target_property(falls_back diopi_impl_${DIOPI_VENDOR} DIOPI_FALLS_BACK)
if(falls_back)
  get_target_property(host_files diopi_host DIOPI_HOST_FILES)
  install(PROGRAMS ${host_files} DESTINATION ${CMAKE_INSTALL_LIBDIR}/diopi)
  list(TRANSFORM host_files REPLACE ".*/" "" OUTPUT_VARIABLE host_names)
  list(APPEND copied_names ${host_names})
endif()
set(stale_copies ${CMAKE_CURRENT_LIST_DIR}/DiopiStaleCopies.cmake)
install(CODE "include(\"${stale_copies}\")
  set(folder \"${CMAKE_INSTALL_LIBDIR}/diopi\")
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}\")
  diopi_remove_stale_copies(\"\$ENV{DESTDIR}\${folder}\" ${copied_names})")

# The copies of all vendors in this build share one folder.
include(${stale_copies})
get_property(every_copy GLOBAL PROPERTY DIOPI_ALL_PRIVATE_COPIES)
diopi_remove_stale_copies(${DIOPI_PRIVATE_FOLDER} ${every_copy})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/diopi)
install(EXPORT diopi-targets NAMESPACE diopi:: DESTINATION ${package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/diopi-config.cmake.in
                              ${PROJECT_BINARY_DIR}/diopi-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/diopi-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/diopi-config.cmake ${PROJECT_BINARY_DIR}/diopi-config-version.cmake
        DESTINATION ${package})

# The path from lib/<architecture>/pkgconfig to the prefix, so that an installation can be moved.
file(RELATIVE_PATH DIOPI_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" DIOPI_PC_TO_PREFIX "${DIOPI_PC_TO_PREFIX}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/diopi.pc.in ${PROJECT_BINARY_DIR}/diopi.pc @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/diopirt.pc.in ${PROJECT_BINARY_DIR}/diopirt.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/diopi.pc ${PROJECT_BINARY_DIR}/diopirt.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
