# SPDX-License-Identifier: BSD-3-Clause
# CUDA kernels for the emulation on the CPU (diopi_test/emulation/cuda, docs/emulation.md).

# diopi_add_cuda_emulation(<target> [sanitizer]): CUDA's runtime on the CPU, and the headers that kernels include. The
# sanitizer defaults to that of the whole build.
function(diopi_add_cuda_emulation target)
  set(folder ${PROJECT_SOURCE_DIR}/diopi_test/emulation/cuda)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${sources})
  target_include_directories(${target} PUBLIC ${folder}/include)
  target_link_libraries(${target} PRIVATE diopi_options PUBLIC Threads::Threads)
  set(sanitizer ${DIOPI_SANITIZER} ${ARGN})
  if(sanitizer STREQUAL "thread")  # sanitizers.hpp says why
    target_compile_options(${target} PRIVATE -fno-sanitize=thread)
    target_compile_definitions(${target} PRIVATE DIOPI_EMULATION_UNDER_TSAN)
  elseif(ARGN)
    target_compile_options(${target} PRIVATE -fsanitize=${ARGN})
  endif()
endfunction()

if(NOT TARGET diopi_cuda_emulation)
  diopi_add_cuda_emulation(diopi_cuda_emulation)
endif()

# diopi_add_emulated_kernels(<target> SOURCES <file.cu> ... [EMULATION target]): an archive of kernels for the emulation. An
# access whose address is not aligned ends the process with its file and line; on a chip it would end the kernel.
function(diopi_add_emulated_kernels target)
  cmake_parse_arguments(arg "" "EMULATION" "SOURCES" ${ARGN})
  if(NOT arg_EMULATION)
    set(arg_EMULATION diopi_cuda_emulation)
  endif()
  set_source_files_properties(${arg_SOURCES} PROPERTIES LANGUAGE CXX)
  add_library(${target} STATIC ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE DIOPI_EMULATED_KERNELS)
  target_link_libraries(${target} PRIVATE diopi_headers diopi_options PUBLIC ${arg_EMULATION})
  target_compile_options(${target} PRIVATE -fsanitize=alignment -fno-sanitize-recover=alignment)
  target_link_options(${target} PUBLIC -fsanitize=alignment)
endfunction()
