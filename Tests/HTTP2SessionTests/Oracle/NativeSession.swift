// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CNghttp2

/// libnghttp2's session, a client or a server that echoes bodies: what ours is compared with.
final class NativeSession {
    struct Message {
        var fields: [HeaderField] = []
        var body: [UInt8] = []
        /// The code with which the stream closed; `nil` while it is open.
        var code: UInt32?
    }

    private var pointer: OpaquePointer?
    private let isServer: Bool
    /// What has come, by stream.
    private(set) var messages: [Int32: Message] = [:]
    /// What is to be sent, by stream.
    private var bodies: [Int32: ArraySlice<UInt8>] = [:]
    /// Requests that the server resets when they begin.
    var resets: Set<Int32> = []

    init(isServer: Bool, settings: [(nghttp2_settings_id, UInt32)]) {
        self.isServer = isServer
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        defer { nghttp2_session_callbacks_del(callbacks) }
        Self.fill(callbacks)
        let user = Unmanaged.passUnretained(self).toOpaque()
        if isServer {
            nghttp2_session_server_new(&self.pointer, callbacks, user)
        } else {
            nghttp2_session_client_new(&self.pointer, callbacks, user)
        }
        let entries = settings.map { nghttp2_settings_entry(settings_id: Int32($0.0.rawValue), value: $0.1) }
        nghttp2_submit_settings(self.pointer, 0, entries, entries.count)
    }

    deinit {
        nghttp2_session_del(self.pointer)
    }

    private static func of(_ user: UnsafeMutableRawPointer?) -> NativeSession? {
        user.map { Unmanaged<NativeSession>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func fill(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _,
            frame,
            name,
            nameLength,
            value,
            length,
            _,
            user in
            guard let frame, let session = NativeSession.of(user) else { return 0 }
            let field = HeaderField(
                name: UnsafeBufferPointer(start: name, count: nameLength),
                value: UnsafeBufferPointer(start: value, count: length)
            )
            session.messages[frame.pointee.hd.stream_id, default: Message()].fields.append(field)
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, bytes, count, user in
            NativeSession.of(user)?.messages[stream, default: Message()].body
                .append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
            guard let frame else { return 0 }
            NativeSession.of(user)?.received(frame.pointee.hd)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, user in
            NativeSession.of(user)?.messages[stream, default: Message()].code = code
            return 0
        }
    }

    private func received(_ frame: nghttp2_frame_hd) {
        guard self.isServer else { return }
        if UInt32(frame.type) == NGHTTP2_HEADERS.rawValue, self.resets.contains(frame.stream_id) {
            nghttp2_submit_rst_stream(self.pointer, 0, frame.stream_id, 0x8)
            return
        }
        guard [NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue].contains(UInt32(frame.type)),
            UInt32(frame.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
        else { return }
        let body = self.messages[frame.stream_id]?.body ?? []
        self.submit([HeaderField(":status", "200")], body: body) { fields, count, provider in
            nghttp2_submit_response(self.pointer, frame.stream_id, fields, count, provider) == 0
                ? frame.stream_id : -1
        }
    }

    /// Submits a request.
    func request(_ fields: [HeaderField], body: [UInt8]) -> Int32 {
        self.submit(fields, body: body) { fields, count, provider in
            nghttp2_submit_request(self.pointer, nil, fields, count, provider, nil)
        }
    }

    func reset(_ stream: Int32) {
        nghttp2_submit_rst_stream(self.pointer, 0, stream, 0x8)
    }

    @discardableResult
    private func submit(
        _ fields: [HeaderField],
        body: [UInt8],
        _ submit: (UnsafePointer<nghttp2_nv>, Int, UnsafePointer<nghttp2_data_provider>?) -> Int32
    ) -> Int32 {
        let native = NativeFields(fields)
        guard !body.isEmpty else { return submit(native.vectors, native.count, nil) }
        var provider = nghttp2_data_provider()
        provider.read_callback = { _, stream, buffer, capacity, flags, _, user in
            guard let session = NativeSession.of(user), let buffer, let rest = session.bodies[stream] else { return 0 }
            let piece = rest.prefix(capacity)
            buffer.update(from: Array(piece), count: piece.count)
            session.bodies[stream] = rest.dropFirst(piece.count)
            if piece.count == rest.count { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
            return piece.count
        }
        let stream = submit(native.vectors, native.count, &provider)
        self.bodies[stream] = body[...]
        return stream
    }

    /// Takes in bytes; an error of libnghttp2 as text.
    func receive(_ bytes: [UInt8]) -> String? {
        let taken = nghttp2_session_mem_recv(self.pointer, bytes, bytes.count)
        return taken == bytes.count ? nil : String(cString: nghttp2_strerror(Int32(taken)))
    }

    /// All that the session has to say.
    func output() -> [UInt8] {
        var output: [UInt8] = []
        while true {
            var chunk: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(self.pointer, &chunk)
            guard count > 0 else { return output }
            output += UnsafeBufferPointer(start: chunk, count: count)
        }
    }
}
