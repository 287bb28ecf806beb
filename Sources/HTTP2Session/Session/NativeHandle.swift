// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CNghttp2

/// Owns the `nghttp2_session` and frees it.
final class NativeHandle {
    let pointer: OpaquePointer

    init(role: HTTP2Session.Role, limits: HTTP2Limits) throws(HTTP2SessionError) {
        var option: OpaquePointer?
        guard nghttp2_option_new(&option) == 0 else { throw Self.outOfMemory }
        defer { nghttp2_option_del(option) }
        // A request must not go out before the peer has said how many it takes: one is always allowed.
        nghttp2_option_set_peer_max_concurrent_streams(option, 1)
        // Closed streams are of no use without priorities, and Apple ignores those.
        nghttp2_option_set_no_closed_streams(option, 1)
        // The flood guard is the one rule for these: the library's own would end the connection earlier, or
        // without a GOAWAY, and gives nothing back to a busy honest peer.
        nghttp2_option_set_stream_reset_rate_limit(option, .max, 0)
        nghttp2_option_set_max_outbound_ack(option, limits.controlFrameBurst + 1)
        // No header list that is accepted needs more: it has 8,000 bytes, and a frame takes twice as many.
        nghttp2_option_set_max_continuations(option, 8)
        var created: OpaquePointer?
        let status =
            switch role {
            case .client: nghttp2_session_client_new2(&created, SessionCallbacks.table.pointer, nil, option)
            case .server: nghttp2_session_server_new2(&created, SessionCallbacks.table.pointer, nil, option)
            }
        guard status == 0, let created else { throw Self.outOfMemory }
        self.pointer = created
    }

    deinit {
        nghttp2_session_del(self.pointer)
    }

    /// Makes `session` the one that callbacks reach.
    ///
    /// It must own this handle.
    func attach(_ session: HTTP2Session) {
        nghttp2_session_set_user_data(self.pointer, Unmanaged.passUnretained(session).toOpaque())
    }

    private static var outOfMemory: HTTP2SessionError {
        HTTP2SessionError(code: .outOfMemory, message: "no memory for an HTTP/2 session")
    }
}
