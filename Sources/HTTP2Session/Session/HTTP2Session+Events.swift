// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CNghttp2
import NIOCore

/// What libnghttp2 reports, turned into the delegate's events.
///
/// A callback that returns ``stop`` has ended the connection; libnghttp2 then reads nothing more.
extension HTTP2Session {
    static let stop = Int32(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
    /// An interim response, the response and its trailers; more blocks on one stream count as control frames.
    private static let expectedHeaderBlocks = 3

    static func of(_ user: UnsafeMutableRawPointer) -> HTTP2Session {
        Unmanaged<HTTP2Session>.fromOpaque(user).takeUnretainedValue()
    }

    /// The open stream with this identifier, where the session has one.
    func stream(_ id: Int32) -> HTTP2Stream? {
        guard let tag = nghttp2_session_get_stream_user_data(self.pointer, id) else { return nil }
        return HTTP2Stream(id: id, slot: Int(bitPattern: tag) - 1)
    }

    // MARK: Header blocks

    func beginHeaders(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
        let id = frame.pointee.hd.stream_id
        if self.role == .server, frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
            let refused = self.admitStream(id)
            guard refused == 0 else { return refused }
            let slot = self.streams.insert(StreamRecord(id: id))
            nghttp2_session_set_stream_user_data(self.pointer, id, UnsafeMutableRawPointer(bitPattern: slot + 1))
            self.delegate.session(self, didBeginHeadersOn: HTTP2Stream(id: id, slot: slot))
        } else if let stream = self.stream(id) {
            self.streams.records[stream.slot].headerListSize = 0
            self.streams.records[stream.slot].headerFields = 0
            if self.role == .client { self.delegate.session(self, didBeginHeadersOn: stream) }
        }
        return 0
    }

    func field(
        of frame: UnsafePointer<nghttp2_frame>,
        name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>
    ) -> Int32 {
        guard let stream = self.stream(frame.pointee.hd.stream_id) else { return 0 }
        guard self.admitField(size: name.count &+ value.count, on: stream) else { return Self.stop }
        if self.role == .server, frame.pointee.headers.cat != NGHTTP2_HCAT_REQUEST { return 0 }
        self.delegate.session(self, didReceiveField: name, value: value, on: stream)
        return 0
    }

    /// A field that libnghttp2 drops for its bad characters: it counts, though nobody sees it.
    func invalidField(of frame: UnsafePointer<nghttp2_frame>, size: Int) -> Int32 {
        guard let stream = self.stream(frame.pointee.hd.stream_id) else { return 0 }
        return self.admitField(size: size, on: stream) ? 0 : Self.stop
    }

    private func admitField(size: Int, on stream: HTTP2Stream) -> Bool {
        let record = self.streams.records.advanced(by: stream.slot)
        record.pointee.headerListSize &+= UInt32(truncatingIfNeeded: size &+ 32)
        record.pointee.headerFields &+= 1
        if record.pointee.headerListSize <= self.maximumHeaderListSize,
            record.pointee.headerFields <= self.limits.maximumHeaderFields
        {
            return true
        }
        let message =
            "the peer sent a header list of \(record.pointee.headerListSize) bytes or more in"
            + " \(record.pointee.headerFields) fields; \(self.maximumHeaderListSize) bytes and"
            + " \(self.limits.maximumHeaderFields) fields were allowed"
        self.terminate(HTTP2SessionError(code: .headerListTooLarge, message: message), code: .enhanceYourCalm)
        return false
    }

    private func headersEnded(_ frame: UnsafePointer<nghttp2_frame>, endStream: Bool) -> Int32 {
        guard let stream = self.stream(frame.pointee.hd.stream_id) else { return 0 }
        let record = self.streams.records.advanced(by: stream.slot)
        record.pointee.headerBlocks += 1
        let isFlood = record.pointee.headerBlocks > Self.expectedHeaderBlocks
        if endStream { record.pointee.isRemoteEnded = true }
        if self.role == .client || frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
            self.delegate.session(self, didEndHeadersOn: stream, endStream: endStream)
        } else if endStream {
            // Trailers: nobody asks for them, but they end the body.
            self.delegate.session(self, didEndDataOn: stream)
        }
        return isFlood ? self.count("HEADERS with one more interim response") : 0
    }

    // MARK: Frames

    func data(_ bytes: UnsafeRawBufferPointer, on id: Int32) {
        guard let stream = self.stream(id) else { return }
        self.delegate.session(self, didReceiveData: bytes, on: stream)
    }

    func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
        let header = frame.pointee.hd
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue:
            return self.headersEnded(frame, endStream: Self.has(NGHTTP2_FLAG_END_STREAM, header))
        case NGHTTP2_DATA.rawValue:
            if Self.has(NGHTTP2_FLAG_END_STREAM, header) {
                self.dataEnded(header.stream_id)
            } else if header.length <= frame.pointee.data.padlen {
                return self.count("empty DATA")
            }
        case NGHTTP2_SETTINGS.rawValue:
            guard !Self.has(NGHTTP2_FLAG_ACK, header) else {
                self.grants?.acknowledge()
                return 0
            }
            self.delegate.sessionDidReceiveSettings(self)
            return self.count("SETTINGS")
        case NGHTTP2_PING.rawValue:
            guard Self.has(NGHTTP2_FLAG_ACK, header), self.pingsInFlight > 0 else { return self.count("PING") }
            self.pingsInFlight -= 1
            self.delegate.sessionDidReceivePingAcknowledgement(self)
        case NGHTTP2_GOAWAY.rawValue:
            self.goAwayReceived(frame.pointee.goaway)
            return self.count("GOAWAY")
        case NGHTTP2_RST_STREAM.rawValue:
            return self.resetReceived(header.stream_id)
        case NGHTTP2_PRIORITY.rawValue:
            return self.count("PRIORITY")
        default: break
        }
        return 0
    }

    private static func has(_ flag: nghttp2_flag, _ header: nghttp2_frame_hd) -> Bool {
        UInt32(header.flags) & flag.rawValue != 0
    }

    private func dataEnded(_ id: Int32) {
        guard let stream = self.stream(id) else { return }
        self.streams.records[stream.slot].isRemoteEnded = true
        self.delegate.session(self, didEndDataOn: stream)
    }

    private func goAwayReceived(_ goAway: nghttp2_goaway) {
        self.delegate.session(
            self,
            didReceiveGoAway: goAway.last_stream_id,
            code: HTTP2ErrorCode(rawValue: goAway.error_code),
            debugData: UnsafeRawBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
        )
    }

    /// A client that resets what it has just opened is a flood; a server that resets answers each request once.
    private func resetReceived(_ id: Int32) -> Int32 {
        guard let stream = self.stream(id) else { return self.count("RST_STREAM") }
        self.streams.records[stream.slot].isReset = true
        return self.role == .server ? self.count("RST_STREAM") : 0
    }

    /// A frame that is answered with RST_STREAM.
    ///
    /// Where there is a stream, its end is counted instead.
    func invalidFrameReceived(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
        self.stream(frame.pointee.hd.stream_id) == nil ? self.count("a frame that breaks the protocol") : 0
    }

    /// Takes note of a GOAWAY with which libnghttp2 itself answers a violation.
    func frameSent(_ frame: UnsafePointer<nghttp2_frame>) {
        guard UInt32(frame.pointee.hd.type) == NGHTTP2_GOAWAY.rawValue else { return }
        let goAway = frame.pointee.goaway
        guard self.failure == nil, !self.isEndedByOwner, goAway.error_code != HTTP2ErrorCode.noError.rawValue else {
            return
        }
        let reason = String(
            decoding: UnsafeRawBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len),
            as: UTF8.self
        )
        let code = HTTP2ErrorCode(rawValue: goAway.error_code)
        let message = "the peer broke the rules of HTTP/2: \(code)" + (reason.isEmpty ? "" : ", \(reason)")
        self.failure = HTTP2SessionError(code: .protocolViolation, message: message)
    }

    // MARK: Ends

    func streamClosed(_ id: Int32, code: HTTP2ErrorCode) {
        guard let stream = self.stream(id) else { return }
        let record = self.streams.records[stream.slot]
        var code = code
        if code == .noError {
            // A reset with NO_ERROR completes nothing but an answer that ended before its request did.
            if record.isReset, self.role == .server || !record.isRemoteEnded {
                code = .cancel
            } else {
                self.floodGuard.requestFinished()
            }
        } else if self.role == .server, !record.isReset, code != .refusedStream {
            // This side had to reset a request that broke the protocol.
            _ = self.count("a request that breaks the protocol")
        }
        self.delegate.session(self, didClose: stream, code: code)
        self.streams.remove(stream.slot)
    }

    func openStreamsExceeded() -> Int32 {
        let message = "the peer opened more than \(self.limits.maximumOpenStreams) streams at once"
        self.terminate(HTTP2SessionError(code: .flood, message: message), code: .enhanceYourCalm)
        return Self.stop
    }

    /// Counts a frame against the peer's allowance, and ends the connection when that is used up.
    func count(_ kind: String) -> Int32 {
        guard !self.floodGuard.admitControlFrame(now: self.now) else { return 0 }
        let message =
            "the peer sent more control frames than allowed (\(self.limits.controlFrameBurst) at once,"
            + " \(self.limits.controlFramesPerSecond) a second); the last was \(kind)"
        self.terminate(HTTP2SessionError(code: .flood, message: message), code: .enhanceYourCalm)
        return Self.stop
    }
}
