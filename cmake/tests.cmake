# Everything that ctest runs. Labels: unit, property, conformance, faults, regression, cli, headers,
# packaging, bindings, docs, example; and beside them `threads` (also run under TSan), `heavy` (begun first; in
# `make check` a share of its cases, tests/support/share.h) and `slow` (only in `make check-slow`).
# A test asks for these three with a line of its source:
#     /* labels: threads heavy */
# A program that exits with 77 reports itself skipped. A test that compares with a library which
# nothing else needs says so: /* needs: glpk */. One that solves linear programs, too: /* needs: clp */
# (# needs: clp in a script); it is left out of a build without Clp. One that asks OpenMP itself:
# /* needs: openmp */.
enable_testing()
add_custom_target(threads_tests) # all that TSan runs

# tests/<kind>/test_<name>.c and tests/regression/issue_<n>.c: cmocka programs over the internals.
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
find_library(GLPK_LIBRARY glpk)
find_path(GLPK_INCLUDE_DIR glpk.h)
if(CMOCKA_FOUND)
  foreach(kind unit property conformance faults regression)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${kind}/test_*.c
      ${CMAKE_SOURCE_DIR}/tests/${kind}/issue_*.c)
    foreach(source ${sources})
      get_filename_component(name ${source} NAME_WE)
      file(STRINGS ${source} line REGEX "^/\\* labels: .* \\*/" LIMIT_COUNT 1)
      string(REGEX REPLACE "^/\\* labels: (.*) \\*/.*" "\\1" more "${line}")
      separate_arguments(more)
      file(STRINGS ${source} needs REGEX "^/\\* needs: .* \\*/" LIMIT_COUNT 1)
      if(needs MATCHES "clp" AND NOT CLP_FOUND)
        continue()
      endif()
      if(needs MATCHES "openmp" AND NOT OpenMP_C_FOUND)
        continue()
      endif()
      string(REGEX MATCH glpk glpk "${needs}")
      if(glpk AND NOT (GLPK_LIBRARY AND GLPK_INCLUDE_DIR))
        message(STATUS "glpk is missing: no ${name}; run scripts/install_packages.sh check")
        continue()
      endif()
      add_executable(${name} ${source})
      target_link_libraries(${name} PRIVATE polytomy_whole PkgConfig::CMOCKA)
      target_compile_definitions(${name} PRIVATE PT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
      if(glpk)
        target_include_directories(${name} PRIVATE ${GLPK_INCLUDE_DIR})
        target_link_libraries(${name} PRIVATE ${GLPK_LIBRARY})
      endif()
      add_test(NAME ${name} COMMAND ${name})
      set_tests_properties(${name} PROPERTIES LABELS "${kind};${more}")
      if("heavy" IN_LIST more)
        set_tests_properties(${name} PROPERTIES COST 100)
      endif()
      if("threads" IN_LIST more)
        add_dependencies(threads_tests ${name})
      endif()
    endforeach()
  endforeach()
else()
  message(STATUS "cmocka is missing: no unit tests; run scripts/install_packages.sh check")
endif()

# Headers compile alone with every warning: the public ones as C11 and C++17, ours as C17.
function(polytomy_header_test name standard language file)
  add_test(NAME header_${name} COMMAND ${CMAKE_C_COMPILER} -x ${language} -std=${standard}
    -fsyntax-only ${POLYTOMY_WARNINGS} -Werror -I${CMAKE_SOURCE_DIR}/include ${ARGN} ${file})
  set_tests_properties(header_${name} PROPERTIES LABELS headers)
endfunction()
file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/polytomy/*.h)
foreach(header ${headers})
  get_filename_component(name ${header} NAME_WE)
  polytomy_header_test(${name}_c11 c11 c ${header} -Wconversion -Wstrict-prototypes)
  polytomy_header_test(${name}_cxx17 c++17 c++ ${header} -Wconversion -Wold-style-cast)
endforeach()
file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*/*.h ${CMAKE_SOURCE_DIR}/src/*/*/*.h
  ${CMAKE_SOURCE_DIR}/cli/*.h)
list(FILTER headers EXCLUDE REGEX "_body\\.h$") # included several times, with macros set
list(TRANSFORM OPENBLAS_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE blas_include)
foreach(header ${headers})
  file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${header})
  string(MAKE_C_IDENTIFIER ${name} name)
  polytomy_header_test(${name} c17 c ${header} -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE
    -I${CMAKE_SOURCE_DIR}/include -I${CMAKE_SOURCE_DIR}/src ${blas_include})
endforeach()

if(EXISTS ${CMAKE_SOURCE_DIR}/tests/cli/CMakeLists.txt)
  add_subdirectory(tests/cli)
endif()

# The examples run as their first comment says; 03 and 07 use the model that 00 wrote.
function(polytomy_example_test name)
  add_test(NAME example_${name} COMMAND example_${name} ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(example_${name} PROPERTIES LABELS example)
endfunction()
set(model ${CMAKE_BINARY_DIR}/example-iris.model)
polytomy_example_test(00_quick data/iris.csv ${model})
polytomy_example_test(01_dataset data/iris.csv)
polytomy_example_test(02_cross_validation data/iris.csv)
polytomy_example_test(03_predict ${model} data/iris.csv)
polytomy_example_test(04_progress_and_cancel)
polytomy_example_test(05_own_learner ${CMAKE_BINARY_DIR}/example-own.model)
polytomy_example_test(06_design_a_code)
polytomy_example_test(07_score_rows ${model} data/iris.csv)
polytomy_example_test(08_from_memory)
polytomy_example_test(09_own_kernel ${CMAKE_BINARY_DIR}/example-kernel.model)
polytomy_example_test(10_in_parts)
foreach(source ${EXAMPLE_SOURCES}) # one that is built and not run would go unnoticed
  get_filename_component(name ${source} NAME_WE)
  if(NOT TEST example_${name})
    message(FATAL_ERROR "examples/${name}.c is not run: add it to cmake/tests.cmake")
  endif()
endforeach()
set_tests_properties(example_00_quick PROPERTIES FIXTURES_SETUP iris_model)
set_tests_properties(example_03_predict example_07_score_rows PROPERTIES FIXTURES_REQUIRED iris_model)

# What is exported and installed; a build with sanitizers is not one to install.
if(NOT POLYTOMY_SANITIZE AND NOT POLYTOMY_COVERAGE)
  add_test(NAME exports COMMAND ${CMAKE_SOURCE_DIR}/tests/packaging/exports.sh
    $<TARGET_FILE:polytomy> ${CMAKE_SOURCE_DIR}/include/polytomy/polytomy.h
    ${CMAKE_SOURCE_DIR}/include/polytomy/experimental.h)
  add_test(NAME silent COMMAND ${CMAKE_SOURCE_DIR}/tests/packaging/silent.sh
    $<TARGET_FILE:polytomy> ${CMAKE_BUILD_TYPE})
  add_test(NAME licences COMMAND ${CMAKE_SOURCE_DIR}/tests/packaging/licences.sh
    $<TARGET_FILE:polytomy> ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
  set_tests_properties(exports silent licences PROPERTIES LABELS packaging)
  add_test(NAME readme_program COMMAND ${CMAKE_SOURCE_DIR}/tests/packaging/readme_program.sh
    ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
  set_tests_properties(readme_program PROPERTIES LABELS packaging)
  foreach(way pkg-config static find-package)
    add_test(NAME installed_${way} COMMAND ${CMAKE_SOURCE_DIR}/tests/packaging/installed.sh
      ${way} ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
    set_tests_properties(installed_${way} PROPERTIES LABELS packaging)
  endforeach()
endif()

# bindings/: skipped where Python has no numpy, and where there is no R or scikit-learn. A library with
# sanitizers is not for another program to load. Trees pass with a smallest weight of their leaves.
if(NOT POLYTOMY_SANITIZE AND NOT POLYTOMY_COVERAGE)
  set(python ${CMAKE_SOURCE_DIR}/tests/bindings/python.sh $<TARGET_FILE:polytomy> ${CMAKE_SOURCE_DIR})
  add_test(NAME bindings_python COMMAND ${python} test)
  add_test(NAME bindings_check_estimator COMMAND ${python} check onelsm spoc all-pairs constraint
    softmax tree:min_leaf_weight=1 adaboost-mo:min_leaf_weight=1)
  add_test(NAME bindings_r COMMAND ${CMAKE_SOURCE_DIR}/tests/bindings/r.sh $<TARGET_FILE:polytomy>
    ${CMAKE_SOURCE_DIR})
  set_tests_properties(bindings_python bindings_check_estimator bindings_r PROPERTIES
    LABELS bindings)
endif()

# What the pages show: sessions and programs run as they stand, messages and links exist. A library with sanitizers is
# not for the compiler of a reader, and rounds otherwise: the sessions are left out there.
find_program(PYTHON3 python3)
if(TARGET polytomy_cli AND PYTHON3)
  foreach(page README docs/tutorial docs/gallery)
    if(POLYTOMY_SANITIZE OR POLYTOMY_COVERAGE)
      continue()
    endif()
    get_filename_component(name ${page} NAME)
    string(TOLOWER docs_${name} name)
    add_test(NAME ${name} COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/tests/docs/session.py
      $<TARGET_FILE:polytomy_cli> ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/${page}.md)
    set_tests_properties(${name} PROPERTIES LABELS docs TIMEOUT 300)
  endforeach()
  add_test(NAME docs_messages COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/tests/docs/messages.py
    ${CMAKE_SOURCE_DIR})
  add_test(NAME docs_links COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/scripts/check_links.py
    ${CMAKE_SOURCE_DIR})
  set_tests_properties(docs_messages docs_links PROPERTIES LABELS docs)
endif()

# tests/torture: the tool with faults of memory, of files, and killed; a sample here, all of it by
# tests/slow/torture.sh. And its peak of memory under limits. Memory of sanitizers is their own.
if(TARGET polytomy_cli AND NOT POLYTOMY_SANITIZE AND NOT POLYTOMY_COVERAGE)
  add_test(NAME torture COMMAND ${CMAKE_SOURCE_DIR}/tests/torture/torture.py
    $<TARGET_FILE:polytomy_cli>)
  add_test(NAME peak COMMAND ${CMAKE_SOURCE_DIR}/tests/torture/peak.py
    $<TARGET_FILE:polytomy_cli>)
  set_tests_properties(torture peak PROPERTIES LABELS faults COST 50)
endif()

# tests/slow/<name>.sh: real data sets through the tool, only in `make check-slow`.
set(slow_tests "")
if(TARGET polytomy_cli)
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/slow/*.sh)
  foreach(script ${scripts})
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME slow_${name} COMMAND ${script} $<TARGET_FILE:polytomy_cli>)
    set_tests_properties(slow_${name} PROPERTIES LABELS slow)
    list(APPEND slow_tests slow_${name})
  endforeach()
endif()

# What holds for every test of this folder.
get_property(all_tests DIRECTORY PROPERTY TESTS)
set_tests_properties(${all_tests} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800)
if(slow_tests)
  set_tests_properties(${slow_tests} PROPERTIES TIMEOUT 7200)
endif()
if(POLYTOMY_SANITIZE)
  # Memory that cannot be had is NULL, as without sanitizers: there are tests of that.
  set(null allocator_may_return_null=1)
  set_property(TEST ${all_tests} APPEND PROPERTY ENVIRONMENT_MODIFICATION
    ASAN_OPTIONS=string_append:\:${null} TSAN_OPTIONS=string_append:\:${null}
    LSAN_OPTIONS=set:suppressions=${CMAKE_SOURCE_DIR}/tests/support/lsan.supp)
  # Threads of libomp that wait yield for a fifth of a second otherwise: a tenth of all the time.
  set_property(TEST ${all_tests} APPEND PROPERTY ENVIRONMENT_MODIFICATION KMP_BLOCKTIME=set:0)
endif()
if(POLYTOMY_SANITIZE MATCHES "thread") # archer tells TSan what OpenMP orders
  file(GLOB archer_folders /usr/lib/llvm-*/lib)
  find_library(ARCHER_LIBRARY archer HINTS ${archer_folders} REQUIRED)
  set_property(TEST ${all_tests} APPEND PROPERTY ENVIRONMENT_MODIFICATION
    OMP_TOOL_LIBRARIES=set:${ARCHER_LIBRARY})
endif()
