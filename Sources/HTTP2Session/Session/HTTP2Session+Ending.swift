// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How connections and streams end.
extension HTTP2Session {
    // MARK: The connection

    /// Ends the connection because the peer broke a rule of HTTP/2.
    @inline(never)
    func breakOff(_ code: HTTP2ErrorCode, _ reason: StaticString) {
        let message = "the peer broke the rules of HTTP/2: \(code), \(reason)"
        let failure = HTTP2SessionError(code: .protocolViolation, message: message)
        self.terminate(failure, code: code, debugData: UnsafeRawBufferPointer(UnownedBytes(reason)))
    }

    /// Ends the connection: GOAWAY with `code`, nothing more is read.
    func terminate(
        _ failure: HTTP2SessionError?,
        code: HTTP2ErrorCode,
        debugData: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        guard !self.ending.isTerminated else { return }
        self.ending.failure = failure
        self.ending.isTerminated = true
        let lastStream = self.ending.announce(lastStream: self.lastPeerStream)
        self.output.appendGoAway(lastStream: lastStream, code: code, debugData: debugData)
    }

    /// Counts a frame against the peer's allowance, and ends the connection when that is used up.
    func count(_ kind: StaticString, cost: Double = 1) {
        guard !self.floodGuard.admitControlFrame(now: self.now, cost: cost) else { return }
        self.endFlood(
            "the peer sent more control frames than allowed (\(self.limits.controlFrameBurst) at once,"
                + " \(self.limits.controlFramesPerSecond) a second); the last was \(kind)"
        )
    }

    @inline(never)
    func endFlood(_ message: String) {
        self.terminate(HTTP2SessionError(code: .flood, message: message), code: .enhanceYourCalm)
    }

    // MARK: Streams

    /// Ends a stream on which the peer violated a rule.
    ///
    /// A server counts that, because it costs a client as little as a reset.
    func reject(_ slot: Int, code: HTTP2ErrorCode) {
        self.end(slot, code: code)
        if self.role == .server { self.count("a request that breaks the protocol") }
    }

    /// Schedules an RST_STREAM, after which the delegate is notified of the stream's end; until then its frames are
    /// ignored.
    func end(_ slot: Int, code: HTTP2ErrorCode) {
        let record = self.streams[slot]
        guard record.pointee.progress.isDisjoint(with: [.ending, .closed]) else { return }
        record.pointee.progress.insert(.ending)
        record.pointee.endCode = code
        self.endQueue.append(HTTP2Stream(id: record.pointee.id, slot: slot))
    }

    /// Notifies the delegate that a stream is closed, and frees its slot.
    func close(_ slot: Int, code: HTTP2ErrorCode) {
        let record = self.streams[slot]
        let progress = record.pointee.progress
        record.pointee.progress.insert(.closed)
        var code = code
        if code == .noError {
            // A reset with NO_ERROR completes nothing but an answer that ended before its request did.
            if progress.contains(.reset), self.role == .server || !progress.contains(.remoteEnded) {
                code = .cancel
            } else {
                self.floodGuard.requestFinished()
            }
        }
        if self.role == .client, progress.contains(.opened) { self.sentStreams -= 1 }
        self.delegate.session(self, didClose: HTTP2Stream(id: record.pointee.id, slot: slot), code: code)
        self.streams.remove(slot)
    }

    /// Closes a stream that both sides have ended.
    @inline(__always)
    func closeIfEnded(_ slot: Int) {
        let record = self.streams[slot]
        guard record.pointee.progress.isSuperset(of: [.localEnded, .remoteEnded]) else { return }
        guard !record.pointee.progress.contains(.ending) else { return }
        self.close(slot, code: .noError)
    }

    /// Closes the streams that a GOAWAY excludes: nothing was or will be done for them.
    func refuseStreams(above last: Int32) {
        for slot in 0..<self.streams.slots {
            guard let stream = self.streams.stream(in: slot) else { continue }
            // The unwritten frames of a client are never written.
            let isUnwritten = self.role == .client && !self.streams[slot].pointee.progress.contains(.opened)
            guard stream.id > last || isUnwritten else { continue }
            self.close(slot, code: .refusedStream)
        }
    }
}

/// How far a connection is on the way to its end.
struct ConnectionShutdownState {
    /// GOAWAY was submitted and nothing more is read.
    var isTerminated = false
    /// Why this side decided to end the connection.
    var failure: HTTP2SessionError?
    /// The last stream that the peer's latest GOAWAY named; `nil` before one has come.
    var remoteLastStream: Int32?
    /// The last stream that GOAWAYs of this side have named.
    private(set) var localLastStream = Int32.max
    /// Streams above ``localLastStream`` are to be closed when GOAWAY is written.
    var closesStreams = false

    /// Whether either side has announced that it accepts no more streams.
    ///
    /// A GOAWAY with the highest identifier only announces a later one.
    var isAnnounced: Bool { self.remoteLastStream != nil || self.localLastStream < .max }

    /// Takes note of a GOAWAY that is submitted, whose last stream never grows, and says which one it may name.
    mutating func announce(lastStream: Int32) -> Int32 {
        self.localLastStream = min(self.localLastStream, lastStream)
        self.closesStreams = true
        return self.localLastStream
    }
}
