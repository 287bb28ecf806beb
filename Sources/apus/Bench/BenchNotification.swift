// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto

/// What both sides of a measurement send: 230 bytes of payload and the headers of an ordinary alert.
enum BenchNotification {
    static let payloadSize = 230
    static let topic = "com.example.app"

    static var payload: String {
        let head = #"{"aps":{"alert":{"title":"Apus","body":""#
        let tail = #""}}}"#
        return head + String(repeating: "n", count: Self.payloadSize - head.utf8.count - tail.utf8.count) + tail
    }

    /// Distinct tokens of 32 bytes, the same in every run.
    static func tokens(_ count: Int) -> [String] {
        (0..<count).map { index in
            SHA256.hash(data: Array("token \(index)".utf8)).map { byte in
                let digits = String(byte, radix: 16)
                return byte < 16 ? "0" + digits : digits
            }.joined()
        }
    }
}
