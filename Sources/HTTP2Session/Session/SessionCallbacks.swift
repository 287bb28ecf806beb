// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CNghttp2

/// The C callbacks through which libnghttp2 reaches an ``HTTP2Session``: one constant table for all sessions.
///
/// The session passes itself as user data, and a stream's slot plus one as the stream's user data.
struct SessionCallbacks: @unchecked Sendable {
    // Unchecked: the table is filled once, before anyone sees it, and only read from then on.
    static let table = SessionCallbacks()

    let pointer: OpaquePointer

    private init() {
        var created: OpaquePointer?
        guard nghttp2_session_callbacks_new(&created) == 0, let created else {
            fatalError("no memory for the table of HTTP/2 callbacks")
        }
        self.pointer = created
        nghttp2_session_callbacks_set_on_begin_headers_callback(created) { _, frame, user in
            guard let frame, let user else { return 0 }
            return HTTP2Session.of(user).beginHeaders(frame)
        }
        nghttp2_session_callbacks_set_on_header_callback(created) {
            _,
            frame,
            name,
            nameLength,
            value,
            length,
            _,
            user in
            guard let frame, let user else { return 0 }
            return HTTP2Session.of(user).field(
                of: frame,
                name: UnsafeBufferPointer(start: name, count: nameLength),
                value: UnsafeBufferPointer(start: value, count: length)
            )
        }
        nghttp2_session_callbacks_set_on_invalid_header_callback(created) {
            _,
            frame,
            _,
            nameLength,
            _,
            length,
            _,
            user in
            guard let frame, let user else { return 0 }
            return HTTP2Session.of(user).invalidField(of: frame, size: nameLength &+ length)
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(created) { _, _, id, bytes, length, user in
            guard let user else { return 0 }
            HTTP2Session.of(user).data(UnsafeRawBufferPointer(start: bytes, count: length), on: id)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(created) { _, frame, user in
            guard let frame, let user else { return 0 }
            return HTTP2Session.of(user).frameReceived(frame)
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(created) { _, frame, _, user in
            guard let frame, let user else { return 0 }
            return HTTP2Session.of(user).invalidFrameReceived(frame)
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(created) { _, frame, user in
            guard let frame, let user else { return 0 }
            HTTP2Session.of(user).frameSent(frame)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(created) { _, id, code, user in
            guard let user else { return 0 }
            HTTP2Session.of(user).streamClosed(id, code: HTTP2ErrorCode(rawValue: code))
            return 0
        }
    }
}

/// Copies the next piece of a request's or a response's body into a DATA frame.
///
/// `source.fd` is the stream's slot.
let readBody: nghttp2_data_source_read_callback = { _, _, buffer, capacity, flags, source, user in
    guard let user, let source, let buffer, let flags else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
    let record = HTTP2Session.of(user).streams.records.advanced(by: Int(source.pointee.fd))
    let length = min(capacity, record.pointee.bodyRemaining, record.pointee.maximumFrame)
    if let cursor = record.pointee.bodyCursor, length > 0 {
        buffer.update(from: cursor.assumingMemoryBound(to: UInt8.self), count: length)
        record.pointee.bodyCursor = cursor + length
        record.pointee.bodyRemaining -= length
    }
    if record.pointee.bodyRemaining == 0 { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return length
}
