# SPDX-License-Identifier: BSD-3-Clause
# CUDA: nvcc compiles kernels for NVIDIA GPUs, or the C++ compiler compiles them for the emulation on the CPU.
#
# diopi::cudart is CUDA's runtime with its headers: the static library of the toolkit, or the emulation.
# diopi_add_cuda_kernels(<vendor> [SOURCES ...]) compiles the *.cu below the calling folder, and links them into the vendor's
# libraries. Call it after diopi_add_vendor(<vendor> LIBRARIES diopi::cudart).

option(DIOPI_CUDA_EMULATED "Compile CUDA kernels for the CPU: no GPU, no nvcc" OFF)
set(DIOPI_CUDA_ARCHITECTURES 80 90 CACHE STRING "The GPUs that nvcc compiles kernels for, in order; the last one also as PTX")

include(DiopiCudaEmulation)

# nvcc of the machine, or of the Python packages that scripts/install_deps.sh --cuda installs.
function(diopi_find_cuda)
  file(GLOB python_packages ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu13)
  find_program(DIOPI_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin ${python_packages}/bin)
  if(NOT DIOPI_NVCC)
    message(FATAL_ERROR "There is no nvcc. Run scripts/install_deps.sh --cuda, or configure with -DDIOPI_CUDA_EMULATED=ON.")
  endif()
  # nvcc may be a link or a script, so nvcc itself says where its toolkit is.
  execute_process(COMMAND ${DIOPI_NVCC} --dryrun -c x.cu RESULT_VARIABLE status ERROR_VARIABLE dry_run OUTPUT_QUIET)
  if(NOT dry_run MATCHES "#\\$ TOP=([^\n]+)")
    message(FATAL_ERROR "${DIOPI_NVCC} does not say where its toolkit is: ${dry_run}")
  endif()
  cmake_path(SET top NORMALIZE "${CMAKE_MATCH_1}")
  find_path(DIOPI_CUDA_INCLUDE cuda_runtime_api.h HINTS ${top}/include ${top}/targets/x86_64-linux/include NO_DEFAULT_PATH
            REQUIRED)
  find_library(DIOPI_CUDART libcudart_static.a HINTS ${top}/lib64 ${top}/lib NO_DEFAULT_PATH REQUIRED)
endfunction()

if(NOT DIOPI_CUDA_EMULATED AND NOT TARGET diopi_cudart)
  diopi_find_cuda()
  add_library(diopi_cudart STATIC IMPORTED GLOBAL)
  set_target_properties(diopi_cudart PROPERTIES IMPORTED_LOCATION ${DIOPI_CUDART}
                                                INTERFACE_INCLUDE_DIRECTORIES ${DIOPI_CUDA_INCLUDE})
  target_link_libraries(diopi_cudart INTERFACE Threads::Threads ${CMAKE_DL_LIBS} rt)
  add_library(diopi::cudart ALIAS diopi_cudart)
elseif(DIOPI_CUDA_EMULATED AND NOT TARGET diopi::cudart)
  add_library(diopi::cudart ALIAS diopi_cuda_emulation)
endif()

# diopi_add_gpu_kernels(<target> <file.cu> ... [DEFINITIONS ...]): an archive of kernels that nvcc compiles.
function(diopi_add_gpu_kernels target)
  cmake_parse_arguments(arg "" "" "DEFINITIONS" ${ARGN})
  file(STRINGS ${PROJECT_SOURCE_DIR}/impl/cuda/nvcc_flags.txt flags)  # the tests of the machine code use them, too
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/impl/cuda/nvcc_flags.txt)
  list(APPEND flags -Xfatbin -compress-all -I ${PROJECT_SOURCE_DIR} -I ${PROJECT_SOURCE_DIR}/proto/include
       -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-ffp-contract=off)
  list(TRANSFORM arg_DEFINITIONS PREPEND -D)
  list(APPEND flags ${arg_DEFINITIONS})
  if(DIOPI_WERROR)
    list(APPEND flags -Werror all-warnings -Xcompiler -Werror)
  endif()
  foreach(architecture IN LISTS DIOPI_CUDA_ARCHITECTURES)
    list(APPEND flags -gencode arch=compute_${architecture},code=sm_${architecture})
    set(newest ${architecture})
  endforeach()
  list(APPEND flags -gencode arch=compute_${newest},code=compute_${newest})
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}/${name}.o)
    cmake_path(GET object PARENT_PATH folder)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${DIOPI_NVCC} -ccbin ${CMAKE_CXX_COMPILER} ${flags} -MD -MF ${object}.d -c ${source}
              -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d
      COMMENT "Compiling ${name} for GPUs" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  add_library(${target} STATIC ${objects})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${target} PUBLIC diopi_cudart)
endfunction()

function(diopi_add_cuda_kernels vendor)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  if(NOT arg_SOURCES)
    file(GLOB_RECURSE arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cu)
  endif()
  list(GET DIOPI_CUDA_ARCHITECTURES 0 oldest)
  target_compile_definitions(diopi_${vendor}_objects PRIVATE DIOPI_CUDA_OLDEST=${oldest})
  set(kernels diopi_${vendor}_kernels)
  if(DIOPI_CUDA_EMULATED)
    diopi_add_emulated_kernels(${kernels} SOURCES ${arg_SOURCES})
    target_compile_definitions(${kernels} PRIVATE DIOPI_VENDOR=${vendor})
  else()
    diopi_add_gpu_kernels(${kernels} ${arg_SOURCES} DEFINITIONS DIOPI_VENDOR=${vendor})
  endif()
  set_property(TARGET diopi_${vendor}_objects APPEND PROPERTY DIOPI_KERNELS $<TARGET_FILE:${kernels}>)
  # The file of diopi_common comes again, after the kernels, for functions that only kernels use.
  target_link_libraries(diopi_impl_${vendor} PRIVATE ${kernels} $<TARGET_FILE:diopi_common>)
  target_link_libraries(diopi_impl_${vendor}_static PUBLIC ${kernels})
endfunction()
