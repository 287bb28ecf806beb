// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

/// The entry point of the tests where the package manager looks for one (everywhere but on Apple's systems).
///
/// All tests are written with Swift Testing, which finds them itself. Without this file the package manager would look for
/// XCTest's in an index of the compiled code first, and every build would have to write that index.
@main
struct TestRunner {
    static func main() async {
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
