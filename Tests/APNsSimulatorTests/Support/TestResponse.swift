// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import HTTP2Session

/// What a provider gets for a request.
struct TestResponse: Sendable, Equatable {
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    /// In how many pieces the body came.
    var dataFrames = 0
    /// Whether a DATA frame came.
    var hasData = false

    var status: String? { self.headers[":status"] }

    var reason: String? {
        (try? JSONSerialization.jsonObject(with: Data(self.body)) as? [String: Any])?["reason"] as? String
    }

    var timestamp: Int? {
        (try? JSONSerialization.jsonObject(with: Data(self.body)) as? [String: Any])?["timestamp"] as? Int
    }
}

/// Why there was no response.
enum TestFailure: Error, Equatable {
    case reset(UInt32)
    case closed
}

/// A GOAWAY that came in.
struct TestGoAway: Sendable, Equatable {
    var lastStreamID: Int32
    var code: UInt32
    var debugData: String
}
