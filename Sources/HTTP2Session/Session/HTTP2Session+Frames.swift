// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The handling of the peer's frames, except HEADERS and DATA.
extension HTTP2Session {
    func handle(_ frame: Frame) {
        guard self.isIntroduced else { return self.introduce(frame) }
        if self.headerBlock != nil, frame.kind != Frame.Kind.continuation {
            return self.breakOff(.protocolError, "expected a CONTINUATION frame, got another one")
        }
        switch frame.kind {
        case Frame.Kind.headers: self.handleHeaders(frame)
        case Frame.Kind.data: self.handleData(frame)
        case Frame.Kind.windowUpdate: self.handleWindowUpdate(frame)
        case Frame.Kind.resetStream: self.handleReset(frame)
        case Frame.Kind.settings: self.handleSettings(frame)
        case Frame.Kind.ping: self.handlePing(frame)
        case Frame.Kind.goAway: self.handleGoAway(frame)
        case Frame.Kind.continuation: self.handleContinuation(frame)
        case Frame.Kind.priority: self.handlePriority(frame)
        case Frame.Kind.pushPromise: self.breakOff(.protocolError, "PUSH_PROMISE was not allowed")
        default: self.count("a frame of an unknown type")
        }
    }

    private func introduce(_ frame: Frame) {
        guard frame.kind == Frame.Kind.settings, !frame.has(Frame.Flag.acknowledgement) else {
            return self.breakOff(.protocolError, "the first frame is not SETTINGS")
        }
        self.isIntroduced = true
        // A peer that names no limit has none.
        self.remote.maximumConcurrentStreams = .max
        self.handleSettings(frame)
    }

    /// Whether a stream that is not open was never opened, by either side.
    func isIdle(_ id: Int32) -> Bool {
        let isOwn = (id & 1 == 1) == (self.role == .client)
        return isOwn ? Int64(id) >= self.nextStream || self.role == .server : id > self.lastPeerStream
    }

    /// Whether DATA and HEADERS on a closed stream are ignored, since they may have been sent before it was closed.
    ///
    /// Ends the connection where they cannot have been: the client itself ended the stream, or skipped it.
    func tolerates(closed id: Int32) -> Bool {
        // Of streams that a GOAWAY excludes, the client may not know yet.
        guard self.role == .server, id <= self.ending.localLastStream else { return true }
        switch self.closedStreams.ending(of: id) {
        case .reset: return true
        case .skipped: self.breakOff(.protocolError, "a frame is on a stream that the client skipped")
        case .byClient: self.breakOff(.streamClosed, "a frame is on a stream that the client has ended")
        }
        return false
    }

    // MARK: Streams

    private func handleReset(_ frame: Frame) {
        guard frame.stream != 0 else { return self.breakOff(.protocolError, "RST_STREAM is on stream 0") }
        guard frame.payload.count == 4 else { return self.breakOff(.frameSizeError, "RST_STREAM has a wrong size") }
        guard let slot = self.openedSlot(frame.stream) else {
            guard !self.isIdle(frame.stream) else {
                return self.breakOff(.protocolError, "RST_STREAM is on a stream that was never opened")
            }
            return self.count("RST_STREAM")
        }
        self.streams[slot].pointee.progress.insert(.reset)
        self.close(slot, code: HTTP2ErrorCode(rawValue: frame.integer(at: 0, as: UInt32.self)))
        // A client that resets streams that it has just opened may be a flood; a server resets each request once as a
        // response.
        if self.role == .server { self.count("RST_STREAM") }
    }

    /// The slot of a stream that is open on the wire; one that waits to be opened is idle as far as the peer knows.
    @inline(__always)
    func openedSlot(_ id: Int32) -> Int? {
        guard let slot = self.streams.slot(of: id) else { return nil }
        return self.streams[slot].pointee.progress.contains(.opened) ? slot : nil
    }

    /// Priorities mean nothing here (RFC 9113 section 5.3.2), but must be frames of their kind.
    private func handlePriority(_ frame: Frame) {
        guard frame.stream != 0 else { return self.breakOff(.protocolError, "PRIORITY is on stream 0") }
        guard frame.payload.count == 5 else { return self.breakOff(.frameSizeError, "PRIORITY has a wrong size") }
        guard frame.streamID(at: 0) != frame.stream else {
            return self.breakOff(.protocolError, "a stream depends on itself")
        }
        self.count("PRIORITY")
    }

    private func handleWindowUpdate(_ frame: Frame) {
        self.count("WINDOW_UPDATE", cost: FloodLimiter.lowCost)
        guard frame.payload.count == 4 else {
            return self.breakOff(.frameSizeError, "WINDOW_UPDATE has a wrong size")
        }
        let increment = Int(frame.streamID(at: 0))
        guard frame.stream != 0 else { return self.widenConnection(by: increment) }
        guard let slot = self.openedSlot(frame.stream) else {
            guard self.isIdle(frame.stream) else { return }
            return self.breakOff(.protocolError, "WINDOW_UPDATE is on a stream that was never opened")
        }
        let record = self.streams[slot]
        guard increment > 0 else { return self.reject(slot, code: .protocolError) }
        guard record.pointee.sendWindow + increment <= RemoteSettings.largestWindowSize else {
            return self.reject(slot, code: .flowControlError)
        }
        record.pointee.sendWindow += increment
        self.resumeData(slot)
    }

    private func widenConnection(by increment: Int) {
        guard increment > 0 else { return self.breakOff(.protocolError, "WINDOW_UPDATE widens by nothing") }
        guard self.flow.sendWindow + increment <= RemoteSettings.largestWindowSize else {
            return self.breakOff(.flowControlError, "the connection's window is too large")
        }
        self.flow.sendWindow += increment
    }

    /// Continues a body whose HEADERS were sent, after its window was increased.
    func resumeData(_ slot: Int) {
        guard let stream = self.streams.stream(in: slot), self.streams[slot].pointee.progress.contains(.headersSent)
        else { return }
        self.enqueueData(stream)
    }

    // MARK: The connection

    private func handlePing(_ frame: Frame) {
        guard frame.stream == 0 else { return self.breakOff(.protocolError, "PING is on a stream") }
        guard frame.payload.count == 8 else { return self.breakOff(.frameSizeError, "PING has a wrong size") }
        if frame.has(Frame.Flag.acknowledgement), self.pingsInFlight > 0 {
            self.pingsInFlight -= 1
            self.delegate.sessionDidReceivePingAcknowledgement(self)
            return
        }
        if !frame.has(Frame.Flag.acknowledgement) {
            self.output.appendPing(frame.integer(at: 0, as: UInt64.self), isAcknowledgement: true)
        }
        self.count("PING")
    }

    private func handleGoAway(_ frame: Frame) {
        guard frame.stream == 0 else { return self.breakOff(.protocolError, "GOAWAY is on a stream") }
        guard frame.payload.count >= 8 else { return self.breakOff(.frameSizeError, "GOAWAY has a wrong size") }
        let last = frame.streamID(at: 0)
        guard last <= self.ending.remoteLastStream ?? .max else {
            return self.breakOff(.protocolError, "the last stream of GOAWAY grows")
        }
        self.ending.remoteLastStream = last
        self.delegate.session(
            self,
            didReceiveGoAway: last,
            code: HTTP2ErrorCode(rawValue: frame.integer(at: 4, as: UInt32.self)),
            debugData: UnsafeRawBufferPointer(rebasing: frame.payload[8...])
        )
        if self.role == .client { self.refuseStreams(above: last) }
        self.count("GOAWAY")
    }
}

/// DATA: bodies, and their use of the windows.
extension HTTP2Session {
    func handleData(_ frame: Frame) {
        guard frame.stream != 0 else { return self.breakOff(.protocolError, "DATA are on stream 0") }
        guard let bytes = frame.unpadded else {
            return self.breakOff(.protocolError, "DATA have more padding than payload")
        }
        // A body that is discarded uses the connection's window like any other.
        guard self.flow.receive(frame.payload.count) else {
            return self.breakOff(.flowControlError, "DATA are more than the connection's window takes")
        }
        guard let slot = self.openedSlot(frame.stream) else {
            guard !self.isIdle(frame.stream) else {
                return self.breakOff(.protocolError, "DATA are on a stream that was never opened")
            }
            guard self.tolerates(closed: frame.stream) else { return }
            return self.ignoreData(bytes)
        }
        let record = self.streams[slot]
        guard !record.pointee.progress.contains(.ending) else { return self.ignoreData(bytes) }
        guard !record.pointee.progress.contains(.remoteEnded) else {
            return self.breakOff(.streamClosed, "DATA come after the end of their stream")
        }
        guard record.pointee.progress.contains(.final) else {
            return self.breakOff(.protocolError, "DATA come before the response")
        }
        guard self.receive(frame.payload.count, on: slot) else { return self.reject(slot, code: .flowControlError) }
        self.receive(bytes, on: slot, endStream: frame.has(Frame.Flag.endStream))
    }

    /// Only the connection's window limits DATA that are ignored, and empty DATA use none of it.
    private func ignoreData(_ bytes: UnsafeRawBufferPointer) {
        if bytes.isEmpty { self.count("empty DATA") }
    }

    /// Uses up a stream's window; `false` when that is too small.
    private func receive(_ count: Int, on slot: Int) -> Bool {
        let record = self.streams[slot]
        guard count <= record.pointee.receiveWindow else { return false }
        record.pointee.receiveWindow &-= count
        record.pointee.received &+= count
        // Half of a window, so that a peer that sends continuously never waits for more of it.
        let threshold = Int(self.local.acknowledged.initialWindowSize / 2)
        if record.pointee.received > 0, record.pointee.received >= threshold,
            !record.pointee.progress.contains(.windowQueued)
        {
            record.pointee.progress.insert(.windowQueued)
            self.windowQueue.append(HTTP2Stream(id: record.pointee.id, slot: slot))
        }
        return true
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, on slot: Int, endStream: Bool) {
        let record = self.streams[slot]
        let stream = HTTP2Stream(id: record.pointee.id, slot: slot)
        if let left = record.pointee.contentLeft {
            guard bytes.count <= left, !endStream || bytes.count == left else {
                return self.reject(slot, code: .protocolError)
            }
            record.pointee.contentLeft = left - bytes.count
        }
        if !bytes.isEmpty { self.delegate.session(self, didReceiveData: bytes, on: stream) }
        guard endStream else {
            if bytes.isEmpty { self.count("empty DATA") }
            return
        }
        guard !self.ending.isTerminated else { return }
        // The delegate may have opened streams, which moves the records.
        self.streams[slot].pointee.progress.insert(.remoteEnded)
        guard !self.streams[slot].pointee.progress.contains(.ending) else { return }
        self.delegate.session(self, didEndDataOn: stream)
        if !self.ending.isTerminated { self.closeIfEnded(slot) }
    }
}
