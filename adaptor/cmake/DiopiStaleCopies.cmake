# SPDX-License-Identifier: BSD-3-Clause
# diopi_remove_stale_copies(<folder> <name>...): of the private copies of libraries in a folder (see DiopiPrivate.cmake),
# removes those that no name stands for any more. A copy is named for its contents, so that a newer library gets another
# name and its predecessor would stay, to be shipped beside it. Used when configuring and when installing.
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
