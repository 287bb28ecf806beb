// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a server does with a stream that its client opens beyond the limit that it has acknowledged.
public enum HTTP2StreamExcess: Sendable, Hashable {
    /// The connection is ended with `PROTOCOL_ERROR`.
    case protocolError
    /// The stream is reset with `REFUSED_STREAM`; the client may send the request again.
    case refuse
    /// The connection is ended: GOAWAY with this code and this text.
    case goAway(HTTP2ErrorCode, String)
    /// The stream is served all the same; the limit is announced and not enforced.
    case serve
}
