// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation

/// The fields of a push as a provider sends them.
enum PushRequest {
    static let body = Array(#"{"aps":{"alert":"hello"},"n":1}"#.utf8)

    /// A push to a token, with a provider token of the demo key.
    static func fields(
        _ simulator: APNsSimulator,
        token: String,
        topic: String = "com.example.app",
        others: [(StaticString, String)] = []
    ) throws -> [(StaticString, String)] {
        let jwt = try ProviderTokenFactory(simulator.demoKey).token(issuedAt: simulator.configuration.clock.now())
        return self.fields(
            path: "/3/device/\(token)",
            others: [
                ("authorization", "bearer \(jwt)"), ("apns-topic", topic),
            ] + others
        )
    }

    /// A request without trust.
    static func fields(path: String, others: [(StaticString, String)] = []) -> [(StaticString, String)] {
        [(":method", "POST"), (":scheme", "https"), (":path", path), (":authority", "localhost")] + others
    }
}
