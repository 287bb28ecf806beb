// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CNghttp2

/// What a session is told to send. The bytes come out of ``HTTP2Session/write(into:limit:)``.
extension HTTP2Session {
    /// Opens a stream with a request whose body is already there.
    ///
    /// - Parameters:
    ///   - fields: pseudo-header fields first, as RFC 9113 section 8.3.1 has it.
    ///   - body: borrowed: it must stay where it is until the stream is closed. Empty ends the stream at once.
    /// - Returns: the new stream.
    /// - Throws: ``HTTP2SessionError`` `invalidState` when the connection is ending or identifiers are used up.
    public func submitRequest(
        _ fields: borrowing HTTP2FieldTable,
        body: UnsafeRawBufferPointer
    ) throws(HTTP2SessionError) -> HTTP2Stream {
        guard nghttp2_session_check_request_allowed(self.pointer) != 0 else {
            throw HTTP2SessionError(code: .invalidState, message: "HTTP/2 opening a stream: the connection is ending")
        }
        let slot = self.streams.insert(StreamRecord(bodyCursor: body.baseAddress, bodyRemaining: body.count))
        let tag = UnsafeMutableRawPointer(bitPattern: slot + 1)
        let id: Int32
        if body.isEmpty {
            id = nghttp2_submit_request(self.pointer, nil, fields.fields, fields.count, nil, tag)
        } else {
            var provider = Self.bodyProvider(slot)
            id = nghttp2_submit_request(self.pointer, nil, fields.fields, fields.count, &provider, tag)
        }
        guard id > 0 else {
            self.streams.remove(slot)
            throw Self.error(id, doing: "opening a stream")
        }
        self.streams.records[slot].id = id
        return HTTP2Stream(id: id, slot: slot)
    }

    /// Answers a request.
    ///
    /// With an empty body the stream ends on its HEADERS.
    ///
    /// - Parameters:
    ///   - stream: the request's stream.
    ///   - fields: `:status` first.
    ///   - body: copied; up to some kilobytes, as error bodies are.
    ///   - maximumFrame: how many bytes of the body one DATA frame carries at most.
    /// - Throws: ``HTTP2SessionError`` `invalidState` when the stream is closed or has been answered already.
    public func submitResponse(
        on stream: HTTP2Stream,
        _ fields: borrowing HTTP2FieldTable,
        body: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        maximumFrame: Int = .max
    ) throws(HTTP2SessionError) {
        guard self.isOpen(stream), !self.streams.records[stream.slot].isAnswered else {
            let message = "HTTP/2 answering a request: stream \(stream.id) is closed or has been answered"
            throw HTTP2SessionError(code: .invalidState, message: message)
        }
        let record = self.streams.records.advanced(by: stream.slot)
        record.pointee.isAnswered = true
        let status: Int32
        if body.isEmpty {
            status = nghttp2_submit_response(self.pointer, stream.id, fields.fields, fields.count, nil)
        } else {
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: body.count, alignment: 1)
            copy.copyMemory(from: body)
            record.pointee.ownedBody = copy.baseAddress
            record.pointee.bodyCursor = UnsafeRawPointer(copy.baseAddress)
            record.pointee.bodyRemaining = copy.count
            record.pointee.maximumFrame = max(1, maximumFrame)
            var provider = Self.bodyProvider(stream.slot)
            status = nghttp2_submit_response(self.pointer, stream.id, fields.fields, fields.count, &provider)
        }
        if status != 0 { throw Self.error(status, doing: "answering a request") }
    }

    /// Ends one stream with RST_STREAM.
    ///
    /// The delegate hears of it as of any closed stream, when that is written.
    ///
    /// A stream that is closed already is left alone.
    public func reset(_ stream: HTTP2Stream, code: HTTP2ErrorCode) {
        guard self.isOpen(stream) else { return }
        self.streams.records[stream.slot].isReset = true
        nghttp2_submit_rst_stream(self.pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, code.rawValue)
    }

    /// Ends the stream in this slot with RST_STREAM, where one is open.
    public func reset(slot: Int, code: HTTP2ErrorCode) {
        guard let id = self.streams.openStream(in: slot) else { return }
        self.reset(HTTP2Stream(id: id, slot: slot), code: code)
    }

    /// Asks the peer for a sign of life; the delegate hears of the acknowledgement.
    public func submitPing() {
        self.pingsInFlight += 1
        nghttp2_submit_ping(self.pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
    }

    /// Tells the peer that no more streams are taken.
    ///
    /// - Parameters:
    ///   - lastStreamID: the last stream that is still answered; `nil` names the last one received.
    ///   - code: `noError` for an orderly end.
    ///   - debugData: what the peer may log; APNs puts `{"reason":…}` there.
    public func submitGoAway(
        lastStreamID: Int32? = nil,
        code: HTTP2ErrorCode = .noError,
        debugData: [UInt8] = []
    ) {
        self.isEndedByOwner = true
        nghttp2_submit_goaway(
            self.pointer,
            UInt8(NGHTTP2_FLAG_NONE.rawValue),
            lastStreamID ?? nghttp2_session_get_last_proc_stream_id(self.pointer),
            code.rawValue,
            debugData,
            debugData.count
        )
    }

    /// Ends the connection: GOAWAY, and nothing is read from now on.
    public func submitTermination(code: HTTP2ErrorCode = .noError) {
        self.isEndedByOwner = true
        nghttp2_session_terminate_session(self.pointer, code.rawValue)
    }

    /// Whether the slot still belongs to this stream and not to a later one.
    private func isOpen(_ stream: HTTP2Stream) -> Bool {
        self.streams.openStream(in: stream.slot) == stream.id
    }

    private static func bodyProvider(_ slot: Int) -> nghttp2_data_provider {
        nghttp2_data_provider(source: nghttp2_data_source(fd: Int32(slot)), read_callback: readBody)
    }
}
