// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// DATA: bodies, and what they use up of the windows.
extension HTTP2Session {
    func handleData(_ frame: Frame) {
        guard frame.stream != 0 else { return self.breakOff(.protocolError, "DATA are on stream 0") }
        guard let bytes = frame.unpadded else {
            return self.breakOff(.protocolError, "DATA have more padding than payload")
        }
        // A body that nobody wants any more uses the connection's window like any other.
        guard self.flow.receive(frame.payload.count) else {
            return self.breakOff(.flowControlError, "DATA are more than the connection's window takes")
        }
        guard let slot = self.openedSlot(frame.stream) else {
            guard self.isIdle(frame.stream) else { return }
            return self.breakOff(.protocolError, "DATA are on a stream that was never opened")
        }
        let record = self.streams[slot]
        guard !record.pointee.progress.contains(.ending) else { return }
        guard !record.pointee.progress.contains(.remoteEnded) else {
            return self.breakOff(.streamClosed, "DATA come after the end of their stream")
        }
        guard record.pointee.progress.contains(.final) else {
            return self.breakOff(.protocolError, "DATA come before the response")
        }
        guard self.receive(frame.payload.count, on: slot) else { return self.reject(slot, code: .flowControlError) }
        self.receive(bytes, on: slot, endStream: frame.has(Frame.Flag.endStream))
    }

    /// Uses up a stream's window; `false` when that is too small.
    private func receive(_ count: Int, on slot: Int) -> Bool {
        let record = self.streams[slot]
        guard count <= record.pointee.receiveWindow else { return false }
        record.pointee.receiveWindow &-= count
        record.pointee.received &+= count
        // Half of a window, so that a peer that goes on sending never waits for more of it.
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
