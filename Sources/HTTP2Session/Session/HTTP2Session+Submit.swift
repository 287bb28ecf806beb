// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Submitting messages to a session. ``HTTP2Session/write(into:limit:)`` writes their bytes.
extension HTTP2Session {
    /// Opens a stream with a request whose body is already there.
    ///
    /// The body is borrowed: it must stay where it is until the stream is closed. An empty body ends the stream at
    /// once. Pseudo-header fields come first (RFC 9113 section 8.3.1).
    ///
    /// - Returns: the new stream.
    /// - Throws: ``HTTP2SessionError`` `invalidState` when the connection is ending or identifiers are used up.
    public func submitRequest(
        _ fields: borrowing HTTP2HeaderList,
        body: UnsafeRawBufferPointer
    ) throws(HTTP2SessionError) -> HTTP2Stream {
        guard self.role == .client, !self.ending.isTerminated, !self.ending.isAnnounced,
            self.nextStream <= Int64(Int32.max)
        else {
            throw HTTP2SessionError(code: .invalidState, message: "HTTP/2 opening a stream: the connection is ending")
        }
        let id = Int32(truncatingIfNeeded: self.nextStream)
        self.nextStream += 2
        let slot = self.streams.insert(self.newRecord(id))
        let record = self.streams[slot]
        record.pointee.bodyCursor = body.baseAddress
        record.pointee.bodyLeft = body.count
        self.enqueue(fields, on: HTTP2Stream(id: id, slot: slot))
        return HTTP2Stream(id: id, slot: slot)
    }

    /// Answers a request.
    ///
    /// With an empty body the stream ends on its HEADERS. `:status` is the first field. The body is copied, so it
    /// should have some kilobytes at most. An answer to HEAD goes without it. One DATA frame carries at most
    /// `maximumFrame` bytes of the body; default and maximum: 16,384.
    ///
    /// - Throws: ``HTTP2SessionError`` `invalidState` when the stream is closed or has been answered already.
    public func submitResponse(
        on stream: HTTP2Stream,
        _ fields: borrowing HTTP2HeaderList,
        body: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        maximumFrame: Int = .max
    ) throws(HTTP2SessionError) {
        guard self.isOpen(stream), !self.streams[stream.slot].pointee.progress.contains(.submitted) else {
            let message = "HTTP/2 answering a request: stream \(stream.id) is closed or has been answered"
            throw HTTP2SessionError(code: .invalidState, message: message)
        }
        let record = self.streams[stream.slot]
        if !body.isEmpty, !record.pointee.progress.contains(.head) {
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: body.count, alignment: 1)
            copy.copyMemory(from: body)
            record.pointee.ownedBody = copy.baseAddress
            record.pointee.bodyCursor = UnsafeRawPointer(copy.baseAddress)
            record.pointee.bodyLeft = copy.count
            record.pointee.maximumPiece = min(max(1, maximumFrame), StreamRecord.largestPiece)
        }
        self.enqueue(fields, on: stream)
    }

    private func enqueue(_ fields: borrowing HTTP2HeaderList, on stream: HTTP2Stream) {
        let layout = self.layouts.index(of: fields)
        self.layouts[layout].pointee.waiting += 1
        self.streams[stream.slot].pointee.progress.insert(.submitted)
        self.messages.append(fields, layout: layout, stream: stream.id, slot: stream.slot)
    }

    /// A record of a new stream, with the windows that the settings have for it.
    func newRecord(_ id: Int32) -> StreamRecord {
        StreamRecord(
            id: id,
            sendWindow: self.remote.initialWindowSize,
            receiveWindow: Int(self.local.acknowledged.initialWindowSize)
        )
    }

    /// Ends one stream with RST_STREAM.
    ///
    /// The delegate hears of it as of any closed stream, when that is written.
    ///
    /// A stream that is closed already is left alone.
    public func reset(_ stream: HTTP2Stream, code: HTTP2ErrorCode) {
        guard self.isOpen(stream) else { return }
        self.streams[stream.slot].pointee.progress.insert(.reset)
        self.end(stream.slot, code: code)
    }

    /// Ends the stream in this slot with RST_STREAM, where one is open.
    public func reset(slot: Int, code: HTTP2ErrorCode) {
        guard let stream = self.streams.stream(in: slot) else { return }
        self.reset(stream, code: code)
    }

    /// Asks the peer for a sign of life; the delegate hears of the acknowledgement.
    public func submitPing() {
        self.pingsInFlight += 1
        self.output.appendPing(0, isAcknowledgement: false)
    }

    /// Announces to the peer that no more streams are accepted.
    ///
    /// To end a connection without losing requests, a server first sends `Int32.max`, which only warns the client, and
    /// some round trips later the last stream received. A `lastStreamID` of `nil` is the last one received.
    ///
    /// `code` is `noError` for an orderly end. The peer may log `debugData`; APNs sends `{"reason":…}` there.
    public func submitGoAway(
        lastStreamID: Int32? = nil,
        code: HTTP2ErrorCode = .noError,
        debugData: [UInt8] = []
    ) {
        guard !self.ending.isTerminated else { return }
        let last = self.ending.announce(lastStream: lastStreamID ?? self.lastPeerStream)
        debugData.withUnsafeBytes { self.output.appendGoAway(lastStream: last, code: code, debugData: $0) }
    }

    /// Ends the connection: GOAWAY, and nothing is read from now on.
    public func submitTermination(code: HTTP2ErrorCode = .noError) {
        self.terminate(nil, code: code)
    }

    /// Whether the slot still belongs to this stream and not to a later one, and nothing has ended the stream.
    private func isOpen(_ stream: HTTP2Stream) -> Bool {
        guard self.streams.stream(in: stream.slot) == stream else { return false }
        return !self.streams[stream.slot].pointee.progress.contains(.closed)
    }
}
