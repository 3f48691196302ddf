# SPDX-License-Identifier: BSD-3-Clause
# CUDA kernels for the emulation on the CPU (diopi_test/emulation/cuda).

if(NOT TARGET diopi_cuda_emulation)
  add_subdirectory(${PROJECT_SOURCE_DIR}/diopi_test/emulation/cuda ${PROJECT_BINARY_DIR}/diopi_test/emulation/cuda)
endif()

# diopi_add_emulated_kernels(<target> <file.cu> ...): an archive of kernels for the emulation. An access whose address is not
# aligned ends the process with its file and line, as it would end a kernel.
function(diopi_add_emulated_kernels target)
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
  add_library(${target} STATIC ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE diopi_headers diopi_options PUBLIC diopi_cuda_emulation)
  target_compile_options(${target} PRIVATE -fsanitize=alignment -fno-sanitize-recover=alignment)
  target_link_options(${target} PUBLIC -fsanitize=alignment)
endfunction()
