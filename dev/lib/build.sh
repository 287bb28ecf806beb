# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# The builds of the repository. Every script uses these, so that none of them builds anything a second time:
# the debug build in .build (dev/demo, dev/test, dev/check) and the release build in .build-release (dev/demo --release,
# dev/bench, dev/soak). What dev/bench peers compares Apus with is built in .build-peers.

# The newest Swift with which this package compiles without warnings. With a newer one, its new warnings are no errors.
strict_swift=6.3
if [ -z "${APUS_STRICT:-}" ]; then
    swift_version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | head -n 1)
    APUS_STRICT=0
    [ "$(printf '%s\n' "$strict_swift" "$swift_version" | sort -t. -k1,1n -k2,2n | tail -n 1)" != "$strict_swift" ] || APUS_STRICT=1
fi
export APUS_STRICT

# swift_package COMMAND...: the package manager with the compilers of dev/lib/compilers. Every build and every test run
# goes through this function: other flags, or other compilers, would compile everything again.
swift_package() {
    local swiftc clang
    if [ "$(uname -s)" != Linux ]; then
        swift "$@"
        return
    fi
    swiftc=$(command -v swiftc)
    # The toolchain's own; another clang may come first on the PATH.
    clang=$(dirname "$swiftc")/clang
    [ -x "$clang" ] || clang=$(command -v clang) || fail "clang is not installed (or not on the PATH); Swift's toolchains bring it."
    # shellcheck disable=SC2154  # common.sh sets apus_root
    APUS_ROOT=$apus_root APUS_SWIFTC=$swiftc APUS_CLANG=$clang SWIFT_EXEC=$apus_root/dev/lib/compilers/swiftc \
        CC=$apus_root/dev/lib/compilers/clang swift "$@"
}

debug_build() {
    # A module that a target imports must be one of its declared dependencies.
    swift_package build --disable-index-store --explicit-target-dependency-import-check error "$@"
}

# On Linux the release build contains the Swift runtime. It exports no symbols, since the linker keeps exported functions even
# when nothing calls them. The build ID ties the executable to its debug symbols.
# docs/decisions/0016-static-swift-runtime.md has the figures.
release_options=(--configuration release --scratch-path .build-release)
[ "$(uname -s)" != Linux ] || release_options+=(
    --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker --build-id=sha1 -Xlinker --no-export-dynamic
)

release_build() {
    swift_package build "${release_options[@]}" "$@"
}

# announce_build CPU_MINUTES WHAT: says what to expect of a first build. The figures are of a slow core: dev/measure-build.
announce_build() {
    local cores
    cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
    say "The first $2 fetches the packages and compiles all of them: up to $((($1 + cores - 1) / cores)) minutes on this machine's $cores cores."
    say "Later builds compile what has changed."
}

# The executable for dev/demo, in the build that dev/test completes with the tests.
build_debug_binary() {
    [ -x .build/debug/apus ] || announce_build 16 "debug build"
    step "debug build of apus" debug_build --product apus || fail "the build failed"
}

build_tests() {
    [ -e .build/debug/apusPackageTests.xctest ] || announce_build 30 "debug build with tests"
    step "debug build with tests" debug_build --build-tests || fail "the build failed"
}

build_release_binary() {
    [ -x .build-release/release/apus ] || announce_build 40 "release build"
    step "release build" release_build --product apus || fail "the release build failed"
}

# apus-bench starts the apus beside itself.
build_release_bench() {
    build_release_binary
    step "release build of apus-bench" release_build --product apus-bench || fail "the release build failed"
}

async_http_client_peer_build() {
    swift build --configuration release --package-path dev/peers/async-http-client-peer \
        --scratch-path "$PWD/.build-peers/async-http-client"
}

# Builds the sender on AsyncHTTPClient that Apus is compared with.
build_async_http_client_peer() {
    if [ ! -x .build-peers/async-http-client/release/AsyncHTTPClientPeer ]; then
        say "Building the sender on AsyncHTTPClient for the first time: fetches its packages and compiles all of them,"
        say "5 to 10 minutes on two cores. The next time it takes seconds."
    fi
    step "sender on AsyncHTTPClient" async_http_client_peer_build \
        || fail "the sender on AsyncHTTPClient could not be built; are the packages that
  dev/peers/async-http-client-peer/Package.swift names within reach?"
}
