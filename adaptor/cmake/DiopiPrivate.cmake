# SPDX-License-Identifier: BSD-3-Clause
# Private copies of the libraries that a vendor needs: DIOPI_PRIVATE_DEPENDENCIES.
#
# A process may also load other builds of oneDNN, BLAS or OpenMP. The loader would then use the functions of whichever
# library was loaded first, for all users. So the vendor's library is not linked with these libraries. It loads private
# copies, which have their own names and are in lib/diopi, and finds the functions in them (see imports.py and
# private_copies.py in adaptor/codegen). Sanitizer builds link the libraries instead: AddressSanitizer refuses to load
# libraries in this way, and the other sanitizers only observe linked libraries.

find_program(DIOPI_PATCHELF patchelf DOC "Gives the copies of libraries their names")
set(possible OFF)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT DIOPI_SANITIZER)
  set(possible ON)
endif()
option(DIOPI_PRIVATE_DEPENDENCIES "Use private copies of oneDNN, BLAS, OpenMP, ..., whatever the process has loaded"
       ${possible})
if(DIOPI_PRIVATE_DEPENDENCIES AND NOT DIOPI_PATCHELF)
  message(FATAL_ERROR "There is no patchelf. Run scripts/install_deps.sh, or configure with "
                      "-DDIOPI_PRIVATE_DEPENDENCIES=OFF.")
endif()

set(DIOPI_PRIVATE_FOLDER ${PROJECT_BINARY_DIR}/lib/diopi)
set(DIOPI_LIBRARY_SETTINGS libdiopi-library-settings.so)

if(DIOPI_PRIVATE_DEPENDENCIES)
  add_library(diopi_library_settings SHARED ${PROJECT_SOURCE_DIR}/adaptor/entry/library_settings.c)
  set_target_properties(diopi_library_settings PROPERTIES OUTPUT_NAME diopi-library-settings C_VISIBILITY_PRESET default
                                                         LIBRARY_OUTPUT_DIRECTORY ${DIOPI_PRIVATE_FOLDER})
  target_compile_options(diopi_library_settings PRIVATE -Wall -Wextra -fno-builtin-getenv)
  target_compile_definitions(diopi_library_settings PRIVATE _POSIX_C_SOURCE=200809L)
endif()

# diopi_import_privately(<library> <objects> LIBRARIES ...): links `library` only with the archives of this tree, and
# generates the code that finds all other functions that the objects use. Sets DIOPI_PRIVATE_COPIES (file names) for the
# caller.
function(diopi_import_privately library objects)
  cmake_parse_arguments(arg "" "" "LIBRARIES" ${ARGN})
  diopi_sort_libraries(files linked diopi::libgomp ${arg_LIBRARIES})
  set(linked_archives ${linked})
  list(FILTER linked_archives INCLUDE REGEX "\\.a$|^\\$<TARGET_FILE:")
  execute_process(
    COMMAND ${DIOPI_PYTHON} -m adaptor.codegen.private_copies --out ${DIOPI_PRIVATE_FOLDER} --patchelf
            ${DIOPI_PATCHELF} --environment ${DIOPI_LIBRARY_SETTINGS} ${files}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} RESULT_VARIABLE status OUTPUT_VARIABLE copies ERROR_VARIABLE message
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "Copying the libraries that ${library} needs: ${message}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files}
               ${PROJECT_SOURCE_DIR}/adaptor/codegen/private_copies.py)
  string(REPLACE "\n" ";" copies "${copies}")
  set_property(GLOBAL APPEND PROPERTY DIOPI_ALL_PRIVATE_COPIES ${copies})
  list(TRANSFORM copies PREPEND ${DIOPI_PRIVATE_FOLDER}/ OUTPUT_VARIABLE paths)

  set(archives diopi_entry diopi_common)
  set(archive_files $<TARGET_FILE:diopi_entry> $<TARGET_FILE:diopi_common>)
  set(imports ${PROJECT_BINARY_DIR}/generated/${library}/imports.cpp)
  set(object_list ${PROJECT_BINARY_DIR}/generated/${library}/linked-$<CONFIG>.txt)
  file(GENERATE OUTPUT ${object_list} CONTENT "$<JOIN:$<TARGET_OBJECTS:${objects}>;${archive_files};${linked_archives},\n>\n")
  get_target_property(lies_in ${library} LIBRARY_OUTPUT_DIRECTORY)
  file(RELATIVE_PATH folder ${lies_in} ${DIOPI_PRIVATE_FOLDER})
  if(folder STREQUAL "")
    set(folder .)
  endif()
  diopi_codegen_inputs(codegen_inputs)
  add_custom_command(
    OUTPUT ${imports}
    COMMAND ${DIOPI_PYTHON} -m adaptor.codegen.imports --objects ${object_list} --folder ${folder} --nm ${CMAKE_NM}
            --out ${imports} ${paths}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS ${codegen_inputs} ${objects} $<TARGET_OBJECTS:${objects}> ${archives} ${linked_archives} ${object_list} ${paths}
    COMMENT "Generating what ${library} calls in its private copies of libraries" VERBATIM)
  target_sources(${library} PRIVATE ${imports})
  target_include_directories(${library} PRIVATE ${PROJECT_SOURCE_DIR})
  # Links the files of the archives, because their targets would add the libraries too.
  target_link_libraries(${library} PRIVATE ${archive_files} ${linked} ${CMAKE_DL_LIBS})
  add_dependencies(${library} ${archives} diopi_library_settings)
  set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS ${archive_files} ${linked_archives})
  set_property(TARGET ${library} PROPERTY DIOPI_PRIVATE_COPIES ${paths})
endfunction()

# Sorts libraries and all that they need. `shared`: the files of shared libraries, given by path or as imported targets, of
# which the vendor gets private copies. `linked`: everything else, which is linked as it is, such as archives and names.
function(diopi_sort_libraries shared linked)
  set(files "")
  set(rest "")
  foreach(item IN LISTS ARGN)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" item "${item}")
    set(needs "")
    if(TARGET ${item})
      get_target_property(type ${item} TYPE)
      get_target_property(imported ${item} IMPORTED)
      get_target_property(needs ${item} INTERFACE_LINK_LIBRARIES)
      if(type STREQUAL "STATIC_LIBRARY")
        set(item $<TARGET_FILE:${item}>)
      elseif(type STREQUAL "INTERFACE_LIBRARY")
        set(item "")
      elseif(imported)
        diopi_imported_file(item ${item})
      endif()
    endif()
    if(item MATCHES "/.*\\.so[.0-9]*$")
      list(APPEND files ${item})
    else()
      list(APPEND rest ${item})
    endif()
    if(needs)
      diopi_sort_libraries(more_files more_rest ${needs})
      list(APPEND files ${more_files})
      list(APPEND rest ${more_rest})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(${shared} ${files} PARENT_SCOPE)
  set(${linked} ${rest} PARENT_SCOPE)
endfunction()

function(diopi_imported_file result target)
  get_target_property(file ${target} IMPORTED_LOCATION)
  if(NOT file)
    get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
    list(GET configurations 0 configuration)
    get_target_property(file ${target} IMPORTED_LOCATION_${configuration})
  endif()
  set(${result} ${file} PARENT_SCOPE)
endfunction()
