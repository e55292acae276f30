# `make install`: the tool, the library (shared and static), the header, and what pkg-config and
# find_package(polytomy) need to find them.
include(CMakePackageConfigHelpers)

install(TARGETS polytomy LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES $<TARGET_FILE:polytomy_whole> DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/polytomy DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET polytomy_cli)
  install(TARGETS polytomy_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # The tool finds the library that was installed with it, wherever the prefix is.
  set_target_properties(polytomy_cli PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()

# The man page and the completions, made by the tool from its own tables.
if(TARGET polytomy_cli AND NOT CMAKE_CROSSCOMPILING AND NOT POLYTOMY_SANITIZE AND NOT POLYTOMY_COVERAGE)
  set(help ${CMAKE_BINARY_DIR}/help)
  file(MAKE_DIRECTORY ${help})
  add_custom_command(OUTPUT ${help}/polytomy.1 ${help}/polytomy ${help}/_polytomy ${help}/polytomy.fish
    COMMAND polytomy_cli help --man -o ${help}/polytomy.1
    COMMAND polytomy_cli help --completion bash -o ${help}/polytomy
    COMMAND polytomy_cli help --completion zsh -o ${help}/_polytomy
    COMMAND polytomy_cli help --completion fish -o ${help}/polytomy.fish
    DEPENDS polytomy_cli VERBATIM)
  add_custom_target(polytomy_help ALL DEPENDS ${help}/polytomy.1)
  install(FILES ${help}/polytomy.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${help}/polytomy DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${help}/_polytomy DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${help}/polytomy.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# For libpolytomy.a: what it is linked with, as it was found. Not as Requires.private: pkg-config would
# then ask for what a static OpenBLAS needs, a Fortran compiler's library among it.
if(CLP_FOUND)
  set(clp_module clp)
  set(polytomy_cxx stdc++)
  list(APPEND CLP_LDFLAGS -lstdc++)
endif()
if(OpenMP_C_FOUND)
  set(polytomy_threads OpenMP::OpenMP_C)
endif()
string(JOIN " " static_libraries ${OPENBLAS_LDFLAGS} ${JANSSON_LDFLAGS} ${ZLIB_LDFLAGS} ${ZSTD_LDFLAGS}
  ${XXHASH_LDFLAGS} ${CLP_LDFLAGS})
configure_file(cmake/polytomy.pc.in polytomy.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/polytomy.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/polytomy)
configure_package_config_file(cmake/polytomy-config.cmake.in polytomy-config.cmake
  INSTALL_DESTINATION ${config_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(polytomy-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/polytomy-config.cmake
  ${CMAKE_BINARY_DIR}/polytomy-config-version.cmake DESTINATION ${config_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
