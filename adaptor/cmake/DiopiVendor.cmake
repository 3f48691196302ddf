# SPDX-License-Identifier: BSD-3-Clause
# diopi_add_vendor(<name> [SOURCES ...] [LIBRARIES ...] [DEFINITIONS ...] [FOLDER dir] [CONFIG file])
#
# Builds the libdiopi_impl.so of one vendor as target diopi_impl_<name>. It compiles SOURCES, reads from the object
# files which functions of the contract are defined in `namespace impl::<name>`, generates a C entry for each of them,
# and exports only these entries. CONFIG lists conversions for the entries; the default is convert_config.yaml in
# FOLDER, if it exists. SOURCES default to the *.cpp of FOLDER and of all folders below it. FOLDER defaults to the calling
# folder. The library of the selected vendor (DIOPI_VENDOR) is written to lib/, any other to lib/<name>/. A shared library
# in LIBRARIES, given by its path or as an imported target, becomes a private copy; everything else is linked as it is.

include(CheckLinkerFlag)
include(DiopiPrivate)

check_linker_flag(CXX LINKER:--ignore-unresolved-symbol=x DIOPI_LINKER_IGNORES_SYMBOLS)

set(DIOPI_ENTRY_SHARDS 4)

function(diopi_add_vendor name)
  cmake_parse_arguments(arg "" "FOLDER;CONFIG" "SOURCES;LIBRARIES;DEFINITIONS" ${ARGN})
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "A vendor's name has small letters, digits and _ only, and begins with a letter; '${name}' does not.")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "diopi_add_vendor(${name}) does not know '${arg_UNPARSED_ARGUMENTS}'. It takes SOURCES, LIBRARIES, "
                        "DEFINITIONS, FOLDER and CONFIG.")
  endif()
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  if(NOT arg_SOURCES)
    file(GLOB_RECURSE arg_SOURCES CONFIGURE_DEPENDS ${arg_FOLDER}/*.cpp)
  endif()
  if(NOT arg_CONFIG)
    file(GLOB arg_CONFIG CONFIGURE_DEPENDS ${arg_FOLDER}/convert_config.yaml)
    file(GLOB misnamed CONFIGURE_DEPENDS ${arg_FOLDER}/convert_config.yml)
    if(misnamed)
      message(FATAL_ERROR "${misnamed} must be called convert_config.yaml.")
    endif()
  endif()

  set(objects diopi_${name}_objects)
  add_library(${objects} OBJECT ${arg_SOURCES})
  target_link_libraries(${objects} PUBLIC diopi_common ${arg_LIBRARIES})
  target_compile_definitions(${objects} PRIVATE DIOPI_VENDOR=${name} ${arg_DEFINITIONS})
  target_include_directories(${objects} PRIVATE ${PROJECT_BINARY_DIR}/generated)

  # The sources in FOLDER and FOLDER/functions may define operators. They include the declarations of the whole contract
  # in the vendor's namespace, so that a wrong return type does not compile. Sources in other folders below FOLDER do not
  # include them, so a change of the contract does not recompile these sources.
  set(generated ${PROJECT_BINARY_DIR}/generated/${name})
  set(declarations ${generated}/vendor_functions.hpp)
  diopi_codegen_inputs(codegen_inputs)
  add_custom_command(
    OUTPUT ${declarations}
    COMMAND ${DIOPI_PYTHON} -m adaptor.codegen.declarations --vendor ${name} --out ${declarations}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} DEPENDS ${codegen_inputs}
    COMMENT "Declaring the contract in namespace impl::${name}" VERBATIM)
  add_custom_target(diopi_${name}_declarations DEPENDS ${declarations})
  add_dependencies(${objects} diopi_${name}_declarations diopi_arguments)
  set(function_sources)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${arg_FOLDER})
    if(NOT path MATCHES "/" OR path MATCHES "^(functions|\\.\\.)/")
      list(APPEND function_sources ${source})
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE path)
      cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
      string(REPLACE "../" "__/" path ${path})  # as in the name of the object file
      list(APPEND checked_sources ${path})
    endif()
  endforeach()
  set(checked ${generated}/checked_sources.txt)
  file(GENERATE OUTPUT ${checked} CONTENT "$<JOIN:${checked_sources},\n>\n")
  set_source_files_properties(${function_sources} PROPERTIES COMPILE_OPTIONS "-include;${declarations}")

  set(entries ${generated}/exports.map)
  math(EXPR last "${DIOPI_ENTRY_SHARDS} - 1")
  foreach(shard RANGE ${last})
    list(APPEND entry_sources ${generated}/entries_${shard}.cpp)
  endforeach()
  list(APPEND entry_sources ${generated}/capabilities.cpp)
  set(fallback "")
  if(arg_CONFIG)
    cmake_path(ABSOLUTE_PATH arg_CONFIG BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${arg_CONFIG})
    diopi_falls_back(fallback ${arg_CONFIG})
  endif()
  # The list of objects is written to a file, because it may be too long for a command line. The property DIOPI_KERNELS
  # has archives with more functions of the vendor, such as kernels of a device.
  set(object_list ${generated}/objects-$<CONFIG>.txt)
  set(kernels $<GENEX_EVAL:$<TARGET_PROPERTY:${objects},DIOPI_KERNELS>>)
  file(GENERATE OUTPUT ${object_list} CONTENT "$<JOIN:$<TARGET_OBJECTS:${objects}>;${kernels},\n>\n")
  add_custom_command(
    OUTPUT ${entry_sources} ${entries}
    COMMAND ${DIOPI_PYTHON} -m adaptor.codegen.entries --vendor ${name} --objects ${object_list} --nm ${CMAKE_NM}
            --shards ${DIOPI_ENTRY_SHARDS} --checked ${checked} --out ${generated} "$<$<BOOL:${arg_CONFIG}>:--config;${arg_CONFIG}>"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS ${codegen_inputs} ${arg_CONFIG} ${objects} $<TARGET_OBJECTS:${objects}> ${kernels} ${object_list} ${checked}
    COMMENT "Generating the entries of vendor ${name} from its compiled functions" COMMAND_EXPAND_LISTS VERBATIM)

  add_library(diopi_${name}_entries OBJECT ${entry_sources})
  target_link_libraries(diopi_${name}_entries PUBLIC diopi_entry)
  target_include_directories(diopi_${name}_entries PRIVATE ${generated})
  target_compile_options(diopi_${name}_entries PRIVATE ${DIOPI_VENDOR_STATE_OPTIONS})

  set(library diopi_impl_${name})
  add_library(${library} SHARED $<TARGET_OBJECTS:diopi_${name}_entries> $<TARGET_OBJECTS:${objects}>)
  target_link_libraries(${library} PUBLIC diopi_headers)
  if(NOT name STREQUAL DIOPI_VENDOR)
    set_target_properties(${library} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/${name})
  endif()
  set_target_properties(${library} PROPERTIES OUTPUT_NAME diopi_impl)
  if(fallback)
    diopi_link_fallback(${library})
  endif()
  diopi_link_vendor(${library} ${objects} ${entries} LIBRARIES ${arg_LIBRARIES})
  # Every symbol must be found while the library is linked, except the functions of the runtime, which the process defines.
  # Sanitizers leave their symbols to the process, too.
  if(DIOPI_LINKER_IGNORES_SYMBOLS AND NOT DIOPI_SANITIZER)
    target_link_options(${library} PRIVATE -Wl,-z,defs @${generated}/runtime_symbols.txt)
  endif()

  # A static library with the same code, in which every symbol is visible, for unit tests of internals. It is built only
  # if a target links it.
  add_library(${library}_static STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:diopi_${name}_entries>
                                                        $<TARGET_OBJECTS:${objects}>)
  target_link_libraries(${library}_static PUBLIC diopi_entry diopi_common ${arg_LIBRARIES})
endfunction()

# diopi_link_vendor(<library> <objects> <version script> LIBRARIES ...): what all libraries of vendors are linked with.
function(diopi_link_vendor library objects exports)
  cmake_parse_arguments(arg "" "" "LIBRARIES" ${ARGN})
  if(DIOPI_PRIVATE_DEPENDENCIES)
    diopi_import_privately(${library} ${objects} LIBRARIES ${arg_LIBRARIES})
  else()
    target_link_libraries(${library} PRIVATE diopi_entry diopi_common ${arg_LIBRARIES})
  endif()
  # The library is never unloaded, because threads of its pool still run its code.
  target_link_options(${library} PRIVATE -Wl,-z,nodelete -Wl,-Bsymbolic -Wl,--version-script=${exports} -Wl,--gc-sections)
  set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS ${exports})
endfunction()

# Returns the folder of a vendor: DIOPI_VENDOR_FOLDER, or the folder of its name in impl/.
function(diopi_vendor_folder result name)
  set(folder ${PROJECT_SOURCE_DIR}/impl/${name})
  if(DIOPI_VENDOR_FOLDER AND name STREQUAL DIOPI_VENDOR)
    cmake_path(ABSOLUTE_PATH DIOPI_VENDOR_FOLDER BASE_DIRECTORY ${PROJECT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE folder)
  endif()
  set(${result} ${folder} PARENT_SCOPE)
endfunction()

# Returns whether a vendor's configuration has `fallback`.
function(diopi_falls_back result config)
  execute_process(COMMAND ${DIOPI_PYTHON} -m adaptor.codegen.fallback ${config} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  RESULT_VARIABLE status OUTPUT_VARIABLE answer ERROR_VARIABLE error OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "The vendor's configuration cannot be read: ${error}")
  endif()
  set(${result} ${answer} PARENT_SCOPE)
endfunction()

# Adds to a vendor's library what computes on the host, and keeps the callbacks that the vendor registers for it.
function(diopi_link_fallback library)
  set_property(TARGET ${library} PROPERTY DIOPI_FALLS_BACK ON)
  target_link_libraries(${library} PRIVATE $<TARGET_FILE:diopi_fallback>)
  add_dependencies(${library} diopi_fallback diopi_host)
  set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS $<TARGET_FILE:diopi_fallback>)
  foreach(name MemcpyH2DAsync MemcpyD2HAsync SynchronizeStream)
    target_link_options(${library} PRIVATE -Wl,--wrap=diopiRegister${name}Func)
  endforeach()
endfunction()

# diopi_add_host_library(<vendor> LIBRARIES ...): libdiopi_host.so, the operators of a vendor that computes on the host,
# together with a reference runtime of their own. Fallback opens it; see adaptor/entry/fallback.
function(diopi_add_host_library vendor)
  cmake_parse_arguments(arg "" "" "LIBRARIES" ${ARGN})
  set(unless_needed EXCLUDE_FROM_ALL)
  if(DIOPI_HOST_LIBRARY)
    set(unless_needed "")
  endif()
  add_library(diopi_host SHARED ${unless_needed} $<TARGET_OBJECTS:diopi_${vendor}_entries> $<TARGET_OBJECTS:diopi_${vendor}_objects>
                                $<TARGET_OBJECTS:diopirt_objects>)
  target_link_libraries(diopi_host PUBLIC diopi_headers)
  set_target_properties(diopi_host PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/diopi)
  diopi_link_vendor(diopi_host diopi_${vendor}_objects ${PROJECT_SOURCE_DIR}/adaptor/entry/fallback/host.map
                    LIBRARIES ${arg_LIBRARIES})
  get_target_property(copies diopi_host DIOPI_PRIVATE_COPIES)
  if(NOT copies)
    set(copies "")
  endif()
  set_property(TARGET diopi_host PROPERTY DIOPI_HOST_FILES $<TARGET_FILE:diopi_host> ${copies})
endfunction()

# diopi_borrow_host_library(<build folder>): uses libdiopi_host.so of another build folder. A link stands for it in this
# one. It finds its private copies beside itself, in the other folder.
function(diopi_borrow_host_library build)
  cmake_path(ABSOLUTE_PATH build BASE_DIRECTORY ${PROJECT_SOURCE_DIR} NORMALIZE)
  set(file ${build}/lib/diopi/libdiopi_host.so)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "DIOPI_HOST_BUILD: there is no ${file}. Build it: cmake --build ${build} --target diopi_host")
  endif()
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib/diopi)
  file(CREATE_LINK ${file} ${PROJECT_BINARY_DIR}/lib/diopi/libdiopi_host.so SYMBOLIC)
  add_custom_target(diopi_host)
  file(GLOB files ${build}/lib/diopi/*.so*)
  set_property(TARGET diopi_host PROPERTY DIOPI_HOST_FILES ${files})
endfunction()

# The files that the generators consist of: if one changes, the generators run again.
function(diopi_codegen_inputs result)
  file(GLOB inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/adaptor/codegen/*.py
       ${PROJECT_SOURCE_DIR}/adaptor/codegen/arguments/*.py ${PROJECT_SOURCE_DIR}/adaptor/codegen/rules/*.py
       ${PROJECT_SOURCE_DIR}/adaptor/codegen/templates/* ${PROJECT_SOURCE_DIR}/proto/registry/*.yaml)
  set(${result} ${inputs} PARENT_SCOPE)
endfunction()
