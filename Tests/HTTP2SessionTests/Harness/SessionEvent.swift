// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTP2Session

/// One call that a session or a connection makes to its delegate.
enum SessionEvent: Sendable, Equatable {
    case opened
    case headersBegan(Int32)
    case field(Int32, String, String)
    case headersEnded(Int32, endStream: Bool)
    case data(Int32, Int)
    case dataEnded(Int32)
    case closed(Int32, HTTP2ErrorCode)
    case settings
    case goAway(lastStreamID: Int32, HTTP2ErrorCode, String)
    case pingAcknowledged
    case readBurst
    case connectionClosed(HTTP2SessionError.Code?)

    /// The stream whose message from the peer is complete with this event.
    var completedStream: Int32? {
        switch self {
        case .headersEnded(let id, endStream: true), .dataEnded(let id): id
        default: nil
        }
    }

    /// The stream that closed.
    var closedStream: Int32? {
        if case .closed(let id, _) = self { id } else { nil }
    }
}
