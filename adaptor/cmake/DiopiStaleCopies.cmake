# SPDX-License-Identifier: BSD-3-Clause
# diopi_remove_stale_copies(<folder> <name>...): removes from a folder of private copies (see DiopiPrivate.cmake) those
# that are not listed. The name of a copy depends on its contents, so a newer library gets another name; without this
# function the old copy would stay and be installed too. Called at configure time and at install time.
function(diopi_remove_stale_copies folder)
  file(GLOB found "${folder}/*-diopi-*.so*" "${folder}/.*-diopi-*.so*")
  foreach(path IN LISTS found)
    get_filename_component(name "${path}" NAME)
    list(FIND ARGN "${name}" place)
    string(REGEX MATCH "-diopi-([0-9a-f]+)[.]so" match "${name}")
    string(LENGTH "${CMAKE_MATCH_1}" digits)
    if(match AND digits EQUAL 8 AND place EQUAL -1)
      message(STATUS "Removing ${path}: no library is copied under this name any more")
      file(REMOVE "${path}")
    endif()
  endforeach()
endfunction()
