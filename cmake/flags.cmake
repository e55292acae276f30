# How everything is compiled: C17 (and one file of C++), warnings, sanitizers.

set(POLYTOMY_SANITIZE "" CACHE STRING "sanitizers, as in address,undefined or thread")
option(POLYTOMY_WERROR "a warning is an error" OFF)
option(POLYTOMY_TESTS "build the tests, the examples and the benchmarks" ON)
option(POLYTOMY_FUZZ "build the fuzz targets (clang)" OFF)
set(POLYTOMY_CLP AUTO CACHE STRING "linear programs by Clp (codes with --norm 1 and inf): ON, OFF, or AUTO, if it is there")
set_property(CACHE POLYTOMY_CLP PROPERTY STRINGS AUTO ON OFF)
set(POLYTOMY_OPENMP AUTO CACHE STRING "threads by OpenMP: ON, OFF (every call runs on one thread), or AUTO, if it is there")
set_property(CACHE POLYTOMY_OPENMP PROPERTY STRINGS AUTO ON OFF)
option(POLYTOMY_COVERAGE "measure which lines the tests reach" OFF)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

set(POLYTOMY_WARNINGS -Wall -Wextra -Wpedantic -Wshadow)
add_compile_options(${POLYTOMY_WARNINGS}
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
add_compile_definitions(_POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
# ISO C leaves it to the compiler whether a * b + c is rounded once or twice. Twice, then: gcc and
# clang give the same. The files *_isa.c choose for themselves.
add_compile_options(-ffp-contract=off)
if(POLYTOMY_WERROR)
  add_compile_options(-Werror)
endif()

if(POLYTOMY_SANITIZE)
  # Lines in reports need -g1 only, and what reads through a null pointer is ASan's to tell.
  add_compile_options(-fsanitize=${POLYTOMY_SANITIZE} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${POLYTOMY_SANITIZE})
  find_program(LLD_PROGRAM ld.lld) # three times as fast, for a hundred and fifty programs
  if(LLD_PROGRAM AND CMAKE_C_COMPILER_ID MATCHES "Clang")
    add_link_options(-fuse-ld=lld)
  endif()
  if(POLYTOMY_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=null)
    # clang looks at calls through pointers in C++ alone, by a run-time library that programs in C
    # are not linked with.
    add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=function>)
  endif()
endif()
if(POLYTOMY_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  # Checksums of zip members are not looked at: mutations must get behind them.
  add_compile_definitions(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
endif()
if(POLYTOMY_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
