# SPDX-License-Identifier: BSD-3-Clause
# Compiler, cache, warnings and Python for every target of the tree.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

find_program(DIOPI_CCACHE ccache)
if(DIOPI_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${DIOPI_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${DIOPI_CCACHE})
endif()

# Uses the tree's own virtual environment if there is one, otherwise any python3. Python must have jinja2 and PyYAML.
if(NOT DIOPI_PYTHON AND DEFINED ENV{DIOPI_PYTHON})
  set(DIOPI_PYTHON $ENV{DIOPI_PYTHON} CACHE FILEPATH "Python with jinja2 and PyYAML, for the generators")
endif()
find_program(DIOPI_PYTHON python3 HINTS ${PROJECT_SOURCE_DIR}/.venv/bin NO_CMAKE_PATH
             DOC "Python with jinja2 and PyYAML, for the generators")
execute_process(COMMAND ${DIOPI_PYTHON} -c "import jinja2, yaml" RESULT_VARIABLE python_status OUTPUT_QUIET ERROR_QUIET)
if(NOT python_status EQUAL 0)
  message(FATAL_ERROR "${DIOPI_PYTHON} lacks jinja2 or PyYAML. Run scripts/install_deps.sh, or set DIOPI_PYTHON.")
endif()

# The OpenMP library is GCC's for every compiler: oneDNN and OpenBLAS use it, and the process must have only one pool of
# threads.
find_package(Threads REQUIRED)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.so OUTPUT_VARIABLE gomp_file
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
get_filename_component(gomp_folder "${gomp_file}" DIRECTORY)
find_library(DIOPI_LIBGOMP NAMES gomp libgomp.so.1 HINTS "${gomp_folder}" REQUIRED)
add_library(diopi::libgomp SHARED IMPORTED GLOBAL)
set_target_properties(diopi::libgomp PROPERTIES IMPORTED_LOCATION ${DIOPI_LIBGOMP})

add_library(diopi_options INTERFACE)
# Unused parameters are allowed, because the contract fixes the parameters of a function. Clang's warning about a loop
# that it does not vectorize is off: -Wno-pass-failed.
target_compile_options(diopi_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
target_compile_options(diopi_options INTERFACE -Wall -Wextra -Wno-unused-parameter $<$<BOOL:${DIOPI_WERROR}>:-Werror>)
# -ffp-contract=off: contraction to fused multiply-add would make results depend on the vector target. -fno-math-errno:
# no code reads errno.
target_compile_options(diopi_options INTERFACE -ffp-contract=off -fno-math-errno)

# For the targets whose thread-local variables an operator reads in every call. Such a variable is found in one step, and
# not by a call of the C library. All variables of the library then are in memory that the C library reserves for
# libraries that are opened while the process runs, about 1.5 KB for all of them together. So they must be few and small.
# A vendor's library with a static library that has large variables cannot be opened then. CUDA's static runtime has 4 KB.
set(DIOPI_THREAD_STATE_OPTIONS -ftls-model=initial-exec)
if(DIOPI_VENDOR STREQUAL "cuda" AND NOT DIOPI_CUDA_EMULATED)
  option(DIOPI_STATIC_TLS "Keep the thread-local variables of a vendor's library in reserved memory" OFF)
else()
  option(DIOPI_STATIC_TLS "Keep the thread-local variables of a vendor's library in reserved memory" ON)
endif()
set(DIOPI_VENDOR_STATE_OPTIONS $<$<BOOL:${DIOPI_STATIC_TLS}>:${DIOPI_THREAD_STATE_OPTIONS}>)

# Hardening. Sanitizer builds have their own checks, and the fortified functions need optimization.
target_compile_options(diopi_options INTERFACE -fstack-protector-strong)
if(NOT DIOPI_SANITIZER)
  target_compile_options(diopi_options INTERFACE $<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=2>)
endif()
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)

# A finding of a sanitizer ends the process, so that the test fails. GCC's warnings of uninitialized variables are often
# wrong if it adds the checks of a sanitizer.
if(DIOPI_SANITIZER)
  set(sanitizer_flags -fsanitize=${DIOPI_SANITIZER} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_compile_options(${sanitizer_flags})
  target_compile_options(diopi_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options(${sanitizer_flags})
endif()
