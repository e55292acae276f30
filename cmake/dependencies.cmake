# The libraries we stand on. `polytomy_internal` carries them, with the include paths of the sources,
# to everything that is compiled from or against the internals. All of them are in packages.txt.
find_package(PkgConfig REQUIRED)
if(POLYTOMY_OPENMP)
  find_package(OpenMP COMPONENTS C)
  if(NOT OpenMP_C_FOUND AND NOT POLYTOMY_OPENMP STREQUAL "AUTO")
    message(FATAL_ERROR "the compiler has no OpenMP; -DPOLYTOMY_OPENMP=OFF builds without threads")
  endif()
endif()
if(NOT OpenMP_C_FOUND)
  set(OpenMP_C_FLAGS "")
  message(STATUS "without OpenMP: every call runs on one thread")
endif()
find_package(Threads REQUIRED)

set(missing "")
foreach(pair "OPENBLAS openblas libopenblas-openmp-dev" "JANSSON jansson libjansson-dev"
        "ZLIB zlib zlib1g-dev" "ZSTD libzstd libzstd-dev" "XXHASH libxxhash libxxhash-dev")
  separate_arguments(pair)
  list(GET pair 0 prefix)
  list(GET pair 1 module)
  list(GET pair 2 package)
  pkg_check_modules(${prefix} IMPORTED_TARGET ${module})
  if(NOT ${prefix}_FOUND)
    list(APPEND missing ${package})
  endif()
endforeach()
if(POLYTOMY_CLP)
  pkg_check_modules(CLP IMPORTED_TARGET clp)
  if(NOT CLP_FOUND AND NOT POLYTOMY_CLP STREQUAL "AUTO")
    list(APPEND missing coinor-libclp-dev)
  endif()
endif()
if(missing)
  message(FATAL_ERROR "these packages are missing: ${missing}; run scripts/install_packages.sh demo")
endif()

# Of Clp what holds its C interface: its pkg-config file names a BLAS and a LAPACK as well, and one of
# another flavour than ours is not to be linked beside it.
if(CLP_FOUND)
  list(FILTER CLP_LDFLAGS INCLUDE REGEX "Clp|Coin")
  set_property(TARGET PkgConfig::CLP PROPERTY INTERFACE_LINK_LIBRARIES ${CLP_LDFLAGS})
else()
  set(CLP_LDFLAGS "")
  message(STATUS "without Clp: codes with --norm 1 and --norm inf will be refused")
endif()

add_library(polytomy_internal INTERFACE)
target_include_directories(polytomy_internal INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(polytomy_internal INTERFACE $<TARGET_NAME_IF_EXISTS:OpenMP::OpenMP_C>
  Threads::Threads PkgConfig::OPENBLAS
  PkgConfig::JANSSON PkgConfig::ZLIB PkgConfig::ZSTD PkgConfig::XXHASH
  $<TARGET_NAME_IF_EXISTS:PkgConfig::CLP> m)
