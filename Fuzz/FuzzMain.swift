// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The target that APUS_FUZZ_TARGET names; dev/fuzz sets it.
///
/// Unchecked, since libFuzzer calls from one thread only.
nonisolated(unsafe) private let target: any FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["APUS_FUZZ_TARGET"] ?? ""
    do {
        switch name {
        case "http2": return HTTP2Target()
        case "headers": return try HeadersTarget()
        case "json": return JSONTarget()
        case "binary": return BinaryTarget()
        default: fatalError("APUS_FUZZ_TARGET is http2, headers, json or binary; got '\(name)'")
        }
    } catch {
        fatalError("the target \(name) cannot be set up: \(error)")
    }
}()

/// libFuzzer's door.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.feed(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
