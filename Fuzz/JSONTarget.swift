// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

@testable import APNsSimulator

/// Everything that reads JSON from outside: bodies of the control API, fault scripts, payloads.
struct JSONTarget: FuzzTarget {
    func feed(_ bytes: [UInt8]) {
        Self.read(bytes)
        _ = try? FaultScript(json: bytes)
        let isObject = bytes.withUnsafeBufferPointer { JSONValidator.isObject($0) }
        let isPayload = (try? JSONScanner.validateObject(bytes)) != nil
        // Two readers of the same grammar; only one of them bounds numbers.
        if isPayload { precondition(isObject, "a payload for the client is none for the simulator") }
        if let payload = try? APNsPayload(json: bytes) { precondition(payload.bytes == bytes, "a payload was changed") }
    }

    /// Asks for each kind of member, as the routes do.
    private static func read(_ bytes: [UInt8]) {
        guard var object = try? JSONRequestBody(bytes) else { return }
        _ = try? object.string("s")
        _ = try? object.bool("b")
        _ = try? object.integer("i", in: 0...100)
        _ = try? object.number("n", in: 0...1)
        _ = try? object.strings("a")
        if var inner = try? object.object("o") { _ = try? inner.string("s") }
        try? object.finish()
    }
}
