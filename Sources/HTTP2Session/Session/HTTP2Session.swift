// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CNghttp2
public import NIOCore

/// One HTTP/2 connection's state, client or server, without any I/O: bytes in, bytes out, events to a delegate.
///
/// It wraps libnghttp2, which does framing, HPACK, flow control and the rules of RFC 9113; this class adds limits
/// against hostile peers and streams with dense slots. Not thread-safe: it belongs to one event loop.
///
/// Nothing is allocated here for a request beyond what libnghttp2 allocates for its stream.
public final class HTTP2Session {
    /// Which side of the connection a session is.
    public enum Role: Sendable {
        /// Opens streams.
        case client
        /// Answers on streams that the peer opens.
        case server
    }

    /// Which side of the connection this session is.
    public let role: Role
    let limits: HTTP2Limits
    let maximumHeaderListSize: UInt32
    /// Not retained: an owner outlives its session, since it stops calling the session before it goes.
    unowned(unsafe) let delegate: any HTTP2SessionDelegate
    var streams = StreamTable()
    var floodGuard: FloodGuard
    /// PINGs of ours that have not been acknowledged.
    var pingsInFlight = 0
    /// Whether the owner itself has ended the connection, so that a GOAWAY of ours is no failure.
    var isEndedByOwner = false
    /// When the bytes being received came in.
    var now = NIODeadline.uptimeNanoseconds(0)
    /// Why this side decided to end the connection.
    var failure: HTTP2SessionError?
    /// The limits of concurrent streams that are enforced here and not by libnghttp2.
    var grants: StreamGrants?
    private let handle: NativeHandle

    var pointer: OpaquePointer { self.handle.pointer }

    /// A new session whose first output is its connection preface and its settings.
    ///
    /// - Parameters:
    ///   - role: client or server.
    ///   - settings: what to announce; the header list limit is enforced as well.
    ///   - limits: what a hostile peer may do before the connection is ended.
    ///   - delegate: the owner; it must outlive the session's use.
    /// - Throws: ``HTTP2SessionError`` `outOfMemory`.
    public init(
        role: Role,
        settings: HTTP2Settings = HTTP2Settings(),
        limits: HTTP2Limits = HTTP2Limits(),
        delegate: any HTTP2SessionDelegate
    ) throws(HTTP2SessionError) {
        self.role = role
        self.limits = limits
        self.maximumHeaderListSize = settings.maximumHeaderListSize
        self.delegate = delegate
        self.floodGuard = FloodGuard(limits: limits)
        self.handle = try NativeHandle(role: role, limits: limits)
        if role == .server, limits.streamExcess != .protocolError { self.grants = StreamGrants() }
        self.handle.attach(self)
        try self.submitInitialSettings(settings)
    }

    // MARK: Receiving

    /// Takes in bytes from the peer and tells the delegate what they mean.
    ///
    /// A violation does not throw: the GOAWAY that answers it is in the output, ``isFinished`` becomes true
    /// once that is written, and what the peer still sends is ignored.
    /// - Throws: ``HTTP2SessionError`` `outOfMemory`; close the transport.
    public func receive(_ bytes: UnsafeRawBufferPointer, now: NIODeadline) throws(HTTP2SessionError) {
        self.now = now
        guard self.failure == nil, let start = bytes.baseAddress else { return }
        let taken = nghttp2_session_mem_recv(
            self.pointer,
            start.assumingMemoryBound(to: UInt8.self),
            bytes.count
        )
        // A callback that ended the connection has stopped the library as well.
        guard taken < 0, self.failure == nil else { return }
        let failure = Self.error(Int32(taken), doing: "receiving")
        switch failure.code {
        case .outOfMemory: throw failure
        case .flood: self.terminate(failure, code: .enhanceYourCalm)
        case .protocolViolation: self.terminate(failure, code: .protocolError)
        default: self.terminate(failure, code: .internalError)
        }
    }

    // MARK: Writing

    /// Appends what is to be sent to `buffer`, up to about `limit` bytes.
    ///
    /// - Returns: whether all of it was appended.
    /// - Throws: ``HTTP2SessionError`` `outOfMemory`; close the transport.
    public func write(into buffer: inout ByteBuffer, limit: Int) throws(HTTP2SessionError) -> Bool {
        while buffer.readableBytes < limit {
            var chunk: UnsafePointer<UInt8>?
            let length = nghttp2_session_mem_send(self.pointer, &chunk)
            if length == 0 { return true }
            if length < 0 { throw Self.error(Int32(length), doing: "writing") }
            buffer.writeBytes(UnsafeRawBufferPointer(start: chunk, count: length))
            // Byte 3 of a frame is its type: SETTINGS is 4.
            if self.grants != nil, length >= 9, chunk?[3] == 4 { self.writeGrant(into: &buffer, count: length) }
        }
        return nghttp2_session_want_write(self.pointer) == 0
    }

    private func writeGrant(into buffer: inout ByteBuffer, count: Int) {
        buffer.withUnsafeMutableReadableBytes { bytes in
            self.grants?.write(into: UnsafeMutableRawBufferPointer(rebasing: bytes[(bytes.count - count)...]))
        }
    }

    /// Whether nothing more will be read or written: the transport can be closed.
    public var isFinished: Bool {
        nghttp2_session_want_read(self.pointer) == 0 && nghttp2_session_want_write(self.pointer) == 0
    }

    /// Why this side ended the connection, where it was this side and not its owner.
    public var endedBy: HTTP2SessionError? { self.failure }

    /// How many streams are open.
    public var openStreams: Int { self.streams.count }

    /// How many streams the peer allows to be open at once; 2^32-1 where it named no limit.
    public var remoteMaximumConcurrentStreams: UInt32 {
        nghttp2_session_get_remote_settings(self.pointer, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    }

    /// How many bytes of bodies the peer takes now before it widens the connection's window.
    public var remoteWindowSize: Int32 { nghttp2_session_get_remote_window_size(self.pointer) }

    /// Ends the connection: GOAWAY with `code`, nothing more is read.
    func terminate(_ failure: HTTP2SessionError, code: HTTP2ErrorCode) {
        guard self.failure == nil else { return }
        self.failure = failure
        nghttp2_session_terminate_session(self.pointer, code.rawValue)
    }

    private func submitInitialSettings(_ settings: HTTP2Settings) throws(HTTP2SessionError) {
        var entries = [
            nghttp2_settings_entry(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, settings.headerTableSize),
            nghttp2_settings_entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings.initialWindowSize),
            nghttp2_settings_entry(NGHTTP2_SETTINGS_MAX_FRAME_SIZE, settings.maximumFrameSize),
            nghttp2_settings_entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, settings.maximumHeaderListSize),
        ]
        if self.role == .client { entries.append(nghttp2_settings_entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0)) }
        if let maximum = settings.maximumConcurrentStreams {
            let value = self.grants == nil ? maximum : UInt32(clamping: self.limits.maximumOpenStreams)
            entries.append(nghttp2_settings_entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, value))
        }
        let status = nghttp2_submit_settings(self.pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
        if status != 0 { throw Self.error(status, doing: "announcing settings") }
        self.grants?.submit(settings.maximumConcurrentStreams)
    }

    static func error(_ code: Int32, doing action: String) -> HTTP2SessionError {
        let text = nghttp2_strerror(code).map { String(cString: $0) } ?? "error \(code)"
        let kind: HTTP2SessionError.Code =
            switch code {
            case NGHTTP2_ERR_NOMEM.rawValue: .outOfMemory
            case NGHTTP2_ERR_FLOODED.rawValue, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue: .flood
            case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue: .protocolViolation
            default: .invalidState
            }
        return HTTP2SessionError(code: kind, message: "HTTP/2 \(action): \(text)")
    }
}

extension nghttp2_settings_entry {
    init(_ identifier: nghttp2_settings_id, _ value: UInt32) {
        self.init(settings_id: Int32(identifier.rawValue), value: value)
    }
}
