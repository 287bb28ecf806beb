// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The topic that a request is about: its own header field, or the only topic of the connection's certificate.
enum RequestTopic {
    case named(UnsafeBufferPointer<UInt8>)
    case certificate([UInt8])

    /// Whether it is this topic.
    func equals(_ other: [UInt8]) -> Bool {
        switch self {
        case .named(let bytes): bytes.equals(other)
        case .certificate(let bytes): bytes == other
        }
    }
}
