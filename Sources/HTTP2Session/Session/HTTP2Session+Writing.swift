// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Writing submitted messages as frames.
extension HTTP2Session {
    /// Writes pending frames in this order: windows, resets, HEADERS with the parts of their bodies within the windows,
    /// other DATA.
    ///
    /// Frames that respond to others are in the output already.
    ///
    /// - Returns: whether nothing is left that the peer would accept now.
    func writeQueues(limit: Int) -> Bool {
        // The delegate is notified of streams that close meanwhile, and may submit more.
        while !self.ending.isTerminated {
            self.writeWindows()
            self.writeEnds()
            guard self.writeMessages(limit: limit), self.writeData(limit: limit) else { return false }
            if self.endQueue.isEmpty, !self.hasWritableMessage { return true }
        }
        return true
    }

    private func writeWindows() {
        if let increment = self.flow.grant() { self.output.appendWindowUpdate(0, by: increment) }
        while let stream = self.windowQueue.popFirst() {
            guard self.streams.stream(in: stream.slot) == stream else { continue }
            let record = self.streams[stream.slot]
            record.pointee.progress.remove(.windowQueued)
            guard record.pointee.progress.isDisjoint(with: [.ending, .remoteEnded]) else { continue }
            self.output.appendWindowUpdate(stream.id, by: record.pointee.received)
            record.pointee.receiveWindow += record.pointee.received
            record.pointee.received = 0
        }
    }

    /// Resets streams; one that is not on the wire yet only closes.
    private func writeEnds() {
        if self.ending.closesStreams {
            self.ending.closesStreams = false
            if self.role == .server { self.refuseStreams(above: self.ending.localLastStream) }
        }
        while !self.ending.isTerminated, let stream = self.endQueue.popFirst() {
            guard self.streams.stream(in: stream.slot) == stream else { continue }
            let record = self.streams[stream.slot]
            let code = record.pointee.endCode
            if record.pointee.progress.contains(.opened) {
                self.output.appendReset(stream.id, code: code)
                // The owner cancelled the stream: frames of the peer in flight for it are no flood.
                if record.pointee.progress.contains(.reset) { self.floodGuard.requestFinished() }
                if self.role == .server, !record.pointee.progress.contains(.remoteEnded) {
                    self.closedStreams.addReset(stream.id)
                }
            }
            self.close(stream.slot, code: code)
        }
    }

    // MARK: HEADERS

    /// Whether a message waits and the peer takes one more stream where it needs one.
    private var hasWritableMessage: Bool {
        guard !self.messages.isEmpty else { return false }
        return self.role == .server || self.sentStreams < Int(self.remote.maximumConcurrentStreams)
    }

    private func writeMessages(limit: Int) -> Bool {
        while self.hasWritableMessage, let message = self.messages.first {
            guard self.output.count < limit else { return false }
            let stream = HTTP2Stream(id: message.stream, slot: Int(message.slot))
            let layout = self.layouts[Int(message.layout)]
            layout.pointee.waiting -= 1
            guard self.streams.stream(in: stream.slot) == stream,
                !self.streams[stream.slot].pointee.progress.contains(.ending)
            else {
                self.messages.removeFirst()
                continue
            }
            if self.role == .client, self.ending.isAnnounced {
                self.messages.removeFirst()
                self.close(stream.slot, code: .refusedStream)
                continue
            }
            self.writeHeaders(message, layout, on: stream)
            self.messages.removeFirst()
            self.writeFirstData(on: stream)
            if self.ending.isTerminated { return true }
        }
        return true
    }

    @inline(__always)
    private func writeHeaders(
        _ message: MessageQueue.Message,
        _ layout: UnsafeMutablePointer<HeaderTemplate>,
        on stream: HTTP2Stream
    ) {
        let record = self.streams[stream.slot]
        var flags = Frame.Flag.endHeaders
        record.pointee.progress.insert(.headersSent)
        if record.pointee.bodyLeft == 0 {
            flags |= Frame.Flag.endStream
            record.pointee.progress.insert(.localEnded)
        }
        if self.role == .client {
            self.sentStreams &+= 1
            record.pointee.progress.insert(.opened)
            if layout.pointee.isHead { record.pointee.progress.insert(.head) }
        }
        let start = self.output.count
        self.output.appendHeader(Frame.Kind.headers, flags: flags, stream: stream.id, payload: 0)
        self.encoder.appendBeginning(to: &self.output)
        layout.pointee.appendBlock(
            with: self.messages.values(of: message),
            encoder: &self.encoder,
            to: &self.output
        )
        self.output.finishHeaders(at: start, maximumPayload: self.remote.maximumFrameSize)
    }

    // MARK: DATA

    /// Writes the beginning of a body right behind its HEADERS, unless other bodies have waited longer.
    @inline(__always)
    private func writeFirstData(on stream: HTTP2Stream) {
        let record = self.streams[stream.slot]
        if record.pointee.bodyLeft > 0 {
            if self.dataQueue.isEmpty, self.flow.sendWindow > 0, record.pointee.sendWindow > 0 {
                self.writePiece(on: stream)
            }
            self.enqueueData(stream)
        }
        self.closeIfEnded(stream.slot)
    }

    /// Writes bodies piece by piece, each stream in its turn, as far as their windows and the connection's go.
    private func writeData(limit: Int) -> Bool {
        while self.flow.sendWindow > 0, !self.ending.isTerminated, !self.dataQueue.isEmpty {
            guard self.output.count < limit else { return false }
            guard let stream = self.dataQueue.popFirst(), self.streams.stream(in: stream.slot) == stream else {
                continue
            }
            let record = self.streams[stream.slot]
            record.pointee.progress.remove(.dataQueued)
            // The window may have shrunk below zero while the stream waited.
            guard record.pointee.sendWindow > 0, !record.pointee.progress.contains(.ending) else { continue }
            self.writePiece(on: stream)
            self.enqueueData(stream)
            self.closeIfEnded(stream.slot)
        }
        return true
    }

    /// Writes one DATA frame, as large as the windows and the peer's frames are.
    @inline(__always)
    private func writePiece(on stream: HTTP2Stream) {
        let record = self.streams[stream.slot]
        let window = min(self.flow.sendWindow, record.pointee.sendWindow)
        let count = min(record.pointee.bodyLeft, window, self.remote.maximumFrameSize, record.pointee.maximumPiece)
        let isLast = count == record.pointee.bodyLeft
        self.output.appendHeader(
            Frame.Kind.data,
            flags: isLast ? Frame.Flag.endStream : 0,
            stream: stream.id,
            payload: count
        )
        self.output.append(UnsafeRawBufferPointer(start: record.pointee.bodyCursor, count: count))
        record.pointee.bodyCursor = record.pointee.bodyCursor.map { $0 + count }
        record.pointee.bodyLeft &-= count
        record.pointee.sendWindow &-= count
        self.flow.sendWindow &-= count
        if isLast { record.pointee.progress.insert(.localEnded) }
    }

    /// Puts a stream in the queue for DATA if it has some that its window takes.
    func enqueueData(_ stream: HTTP2Stream) {
        let record = self.streams[stream.slot]
        guard record.pointee.bodyLeft > 0, record.pointee.sendWindow > 0 else { return }
        guard record.pointee.progress.isDisjoint(with: [.dataQueued, .ending]) else { return }
        record.pointee.progress.insert(.dataQueued)
        if self.dataQueue.count > 2 * self.streams.count + 64 { self.dropClosedFromDataQueue() }
        self.dataQueue.append(stream)
    }

    /// Limits the queue to the open streams, even if a peer resets streams while its window is closed.
    private func dropClosedFromDataQueue() {
        for _ in 0..<self.dataQueue.count {
            guard let stream = self.dataQueue.popFirst() else { return }
            if self.streams.stream(in: stream.slot) == stream { self.dataQueue.append(stream) }
        }
    }
}
