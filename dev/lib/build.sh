# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# The builds of the repository. Every script uses these, so that none of them builds anything a second time:
# the strict debug build in .build (dev/check, dev/test) and the release build in .build-release (dev/demo, dev/bench).
# What dev/bench peers compares Apus with is built in .build-peers.

# A warning of this package is an error, and a module that a target imports must stand among its dependencies.
debug_build() {
    APUS_STRICT=1 swift build --explicit-target-dependency-import-check error "$@"
}

release_build() {
    swift build --configuration release --scratch-path .build-release --product apus
}

# Builds the release binary, with word of what to expect when that is the first time.
build_release_binary() {
    if [ ! -x .build-release/release/apus ]; then
        say "Building the release binary for the first time: fetches the packages and compiles all of them,"
        say "10 to 15 minutes on two cores. The next time it takes seconds."
    fi
    step "release build" release_build || fail "the release build failed"
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
