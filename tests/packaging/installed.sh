#!/bin/bash
# Installs into a temporary prefix, builds an example against it in one of three ways, runs it.
#     installed.sh pkg-config|static|find-package BUILD-DIR SOURCE-DIR
set -euo pipefail
way=$1 build=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
libdir=$(dirname "$(find "$prefix" -name polytomy.pc)")/..
export PKG_CONFIG_PATH=$libdir/pkgconfig

case $way in
pkg-config)
    # shellcheck disable=SC2046 # flags are words
    cc -std=c11 "$source/examples/01_dataset.c" -o "$work/example" \
        $(pkg-config --cflags --libs polytomy) -Wl,-rpath,"$libdir"
    ;;
static)
    # shellcheck disable=SC2046
    cc -std=c11 "$source/examples/01_dataset.c" -o "$work/example" $(pkg-config --cflags polytomy) \
        "$libdir/libpolytomy.a" $(pkg-config --static --libs polytomy | sed 's/-lpolytomy//')
    if ldd "$work/example" | grep libpolytomy; then
        echo "the static library was not used"
        exit 1
    fi
    ;;
find-package)
    cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(polytomy 0.1 REQUIRED)
add_executable(example "$source/examples/01_dataset.c")
target_link_libraries(example PRIVATE polytomy::polytomy)
add_executable(example_static "$source/examples/01_dataset.c")
target_link_libraries(example_static PRIVATE polytomy::polytomy_static)
END
    cmake -S "$work" -B "$work" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$work"
    "$work/example_static" "$source/data/iris.csv"
    ;;
*)
    echo "no such way: $way"
    exit 2
    ;;
esac
"$work/example" "$source/data/iris.csv"

# The tool of the prefix finds the library of the prefix.
[ ! -x "$prefix/bin/polytomy" ] || env -u LD_LIBRARY_PATH "$prefix/bin/polytomy" version
