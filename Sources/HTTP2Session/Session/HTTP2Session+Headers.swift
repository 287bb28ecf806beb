// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// HEADERS and CONTINUATION: requests, responses, trailers.
extension HTTP2Session {
    /// An interim response, the response and its trailers; more blocks on one stream count as control frames.
    private static let expectedHeaderBlocks = 3

    /// The destination of a header block.
    ///
    /// It is decoded in any case, because it may change HPACK's table.
    private enum Destination {
        /// The owner of its stream is notified.
        case stream(slot: Int, MessageValidator.Kind)
        /// Its stream is closed, or is ignored.
        case nobody
        case connectionEnded
    }

    // MARK: Frames

    func handleHeaders(_ frame: Frame) {
        guard frame.stream != 0 else { return self.breakOff(.protocolError, "HEADERS are on stream 0") }
        guard var fragment = frame.unpadded else {
            return self.breakOff(.protocolError, "HEADERS have more padding than payload")
        }
        if frame.has(Frame.Flag.priority) {
            guard fragment.count >= 5 else { return self.breakOff(.frameSizeError, "HEADERS have a wrong size") }
            let dependency = UInt32(bigEndian: fragment.loadUnaligned(as: UInt32.self)) & 0x7fff_ffff
            guard dependency != UInt32(bitPattern: frame.stream) else {
                return self.breakOff(.protocolError, "a stream depends on itself")
            }
            fragment = UnsafeRawBufferPointer(rebasing: fragment[5...])
        }
        guard frame.has(Frame.Flag.endHeaders) else {
            self.headerBlock = HeaderBlockAssembler(frame, fragment: fragment)
            return
        }
        self.receiveBlock(
            fragment.assumingMemoryBound(to: UInt8.self),
            on: frame.stream,
            endStream: frame.has(Frame.Flag.endStream)
        )
    }

    func handleContinuation(_ frame: Frame) {
        guard self.headerBlock?.stream == frame.stream else {
            return self.breakOff(.protocolError, "CONTINUATION continues nothing")
        }
        // Much more than a header list may hold is no honest encoding of one.
        let maximumBytes = 2 * max(self.maximumHeaderListSize, 16_384)
        guard self.headerBlock?.append(frame.payload, maximumBytes: maximumBytes) == true else {
            return self.endFlood("the peer sent a header block in too many pieces, or too large")
        }
        guard frame.has(Frame.Flag.endHeaders), let block = self.headerBlock else { return }
        self.headerBlock = nil
        block.bytes.withUnsafeBufferPointer { bytes in
            self.receiveBlock(bytes, on: block.stream, endStream: block.endsStream)
        }
    }

    // MARK: Blocks

    private func receiveBlock(_ block: UnownedBytes, on id: Int32, endStream: Bool) {
        let destination = self.role == .server ? self.requestDestination(id, endStream) : self.responseDestination(id)
        switch destination {
        case .stream(let slot, let kind): self.receiveMessage(block, on: slot, kind: kind, endStream: endStream)
        case .nobody: self.skip(block)
        case .connectionEnded: break
        }
    }

    private func requestDestination(_ id: Int32, _ endStream: Bool) -> Destination {
        guard id & 1 == 1 else { return self.end("a client opens an even stream") }
        guard id <= self.lastPeerStream else { return self.newDestination(id, endStream) }
        guard let slot = self.streams.slot(of: id) else {
            return self.tolerates(closed: id) ? self.ignore("HEADERS on a closed stream") : .connectionEnded
        }
        let progress = self.streams[slot].pointee.progress
        if progress.contains(.ending) { return self.ignore("HEADERS on a closed stream") }
        if progress.contains(.remoteEnded) {
            return self.end(code: .streamClosed, "HEADERS come after the end of their stream")
        }
        return .stream(slot: slot, .trailers)
    }

    private func newDestination(_ id: Int32, _ endStream: Bool) -> Destination {
        self.closedStreams.open(id, after: self.lastPeerStream)
        self.lastPeerStream = id
        // The client knows that these requests are not processed.
        if id > self.ending.localLastStream { return self.ignore("a request after GOAWAY", cost: FloodLimiter.lowCost) }
        if let excess = self.excessDestination(id, endStream) { return excess }
        guard self.streams.count < self.limits.maximumOpenStreams else {
            self.endFlood("the peer opened more than \(self.limits.maximumOpenStreams) streams at once")
            return .connectionEnded
        }
        var record = self.newRecord(id)
        record.progress.insert(.opened)
        return .stream(slot: self.streams.insert(record), .request)
    }

    /// The destination of a stream beyond the limit; `nil` if it is within the limit, or is served nevertheless.
    private func excessDestination(_ id: Int32, _ endStream: Bool) -> Destination? {
        let granted = self.local.acknowledged.maximumConcurrentStreams ?? .max
        // The client may not know of a lower limit yet.
        let announced = self.local.latest.maximumConcurrentStreams ?? .max
        guard self.streams.count >= min(granted, announced) else { return nil }
        switch self.limits.streamExcess {
        case .serve: return nil
        case .protocolError where self.streams.count >= granted:
            return self.end("more streams are open than were allowed")
        case .goAway(let code, let text) where self.streams.count >= granted:
            return self.endExcess(code, text, limit: granted)
        case .protocolError, .goAway, .refuse: break
        }
        self.output.appendReset(id, code: .refusedStream)
        if !endStream { self.closedStreams.addReset(id) }
        return self.ignore("a stream beyond the limit")
    }

    private func endExcess(_ code: HTTP2ErrorCode, _ text: String, limit: UInt32) -> Destination {
        let message = "the peer opened more than the \(limit) streams that it was granted"
        let failure = HTTP2SessionError(code: .flood, message: message)
        Array(text.utf8).withUnsafeBytes { self.terminate(failure, code: code, debugData: $0) }
        return .connectionEnded
    }

    private func responseDestination(_ id: Int32) -> Destination {
        guard let slot = self.openedSlot(id) else {
            if self.isIdle(id) { return self.end("HEADERS are on a stream that was never opened") }
            return self.ignore("HEADERS on a closed stream")
        }
        let progress = self.streams[slot].pointee.progress
        if progress.contains(.ending) { return self.ignore("HEADERS on a closed stream") }
        if progress.contains(.remoteEnded) {
            return self.end(code: .streamClosed, "HEADERS come after the end of their stream")
        }
        return .stream(slot: slot, progress.contains(.final) ? .trailers : .response)
    }

    /// Counts a header block that is decoded and not handed to the owner.
    private func ignore(_ kind: StaticString, cost: Double = 1) -> Destination {
        self.count(kind, cost: cost)
        return self.ending.isTerminated ? .connectionEnded : .nobody
    }

    private func end(code: HTTP2ErrorCode = .protocolError, _ reason: StaticString) -> Destination {
        self.breakOff(code, reason)
        return .connectionEnded
    }

    // MARK: Fields

    private func receiveMessage(_ block: UnownedBytes, on slot: Int, kind: MessageValidator.Kind, endStream: Bool) {
        let stream = HTTP2Stream(id: self.streams[slot].pointee.id, slot: slot)
        // The trailers of a request are ignored, but they end its body.
        let isTold = self.role == .client || kind == .request
        if isTold { self.delegate.session(self, didBeginHeadersOn: stream) }
        var rules = MessageValidator(kind)
        var isLawful = true
        self.decode(block) { field in
            guard isLawful else { return }
            isLawful = rules.admit(field)
            guard isLawful, isTold, !self.streams[slot].pointee.progress.contains(.ending) else { return }
            self.delegate.session(self, didReceiveField: field.name, value: field.value, on: stream)
        }
        guard !self.ending.isTerminated else { return }
        guard isLawful, rules.isComplete, self.begin(stream, rules: rules, kind: kind, endStream: endStream) else {
            return self.reject(slot, code: .protocolError)
        }
        self.finishMessage(on: stream, isTold: isTold, endStream: endStream)
    }

    private func skip(_ block: UnownedBytes) {
        self.decode(block) { _ in }
    }

    /// Decodes a block to its end, unless the connection ends on the way.
    @inline(__always)
    private func decode(_ block: UnownedBytes, _ body: (HPACKField) -> Void) {
        self.decoder.begin(block)
        var size = 0
        var count = 0
        do throws(HPACKError) {
            while let field = try self.decoder.next() {
                size &+= field.size
                count &+= 1
                guard size <= self.maximumHeaderListSize, count <= self.limits.maximumHeaderFields else {
                    return self.endOversized(size: size, count: count)
                }
                body(field)
                if self.ending.isTerminated { return }
            }
        } catch {
            self.breakOff(.compressionError, error.reason)
        }
    }

    private func endOversized(size: Int, count: Int) {
        let message =
            "the peer sent a header list of \(size) bytes or more in \(count) fields;"
            + " \(self.maximumHeaderListSize) bytes and \(self.limits.maximumHeaderFields) fields were allowed"
        self.terminate(HTTP2SessionError(code: .headerListTooLarge, message: message), code: .enhanceYourCalm)
    }

    /// Records the effects of a block on its stream; `false` if it is invalid at this point.
    private func begin(
        _ stream: HTTP2Stream,
        rules: MessageValidator,
        kind: MessageValidator.Kind,
        endStream: Bool
    ) -> Bool {
        let record = self.streams[stream.slot]
        if kind == .trailers { return endStream && (record.pointee.contentLeft ?? 0) == 0 }
        if rules.isInterim { return !endStream }
        record.pointee.progress.insert(.final)
        if rules.isHead { record.pointee.progress.insert(.head) }
        let isAnswerToHead = kind == .response && record.pointee.progress.contains(.head)
        let isBodyless = isAnswerToHead || rules.status == 204 || rules.status == 304
        if !isBodyless { record.pointee.contentLeft = rules.contentLength }
        return !endStream || (record.pointee.contentLeft ?? 0) == 0
    }

    private func finishMessage(on stream: HTTP2Stream, isTold: Bool, endStream: Bool) {
        let record = self.streams[stream.slot]
        record.pointee.headerBlocks &+= 1
        let isFlood = record.pointee.headerBlocks > Self.expectedHeaderBlocks
        if endStream { record.pointee.progress.insert(.remoteEnded) }
        if !record.pointee.progress.contains(.ending) {
            if isTold {
                self.delegate.session(self, didEndHeadersOn: stream, endStream: endStream)
            } else {
                self.delegate.session(self, didEndDataOn: stream)
            }
        }
        if endStream, !self.ending.isTerminated { self.closeIfEnded(stream.slot) }
        if isFlood { self.count("HEADERS with one more interim response") }
    }
}

/// A header block that continues in CONTINUATION frames (RFC 9113 section 6.10).
struct HeaderBlockAssembler {
    /// How many CONTINUATION frames one block may have.
    ///
    /// The announced header list fits into HEADERS alone; clients that send small fragments need some more frames.
    private static let maximumContinuations = 32

    let stream: Int32
    let endsStream: Bool
    private(set) var bytes: [UInt8]
    private var continuations = 0

    init(_ frame: Frame, fragment: UnsafeRawBufferPointer) {
        self.stream = frame.stream
        self.endsStream = frame.has(Frame.Flag.endStream)
        self.bytes = Array(fragment)
    }

    /// Adds a fragment; `false` when there are too many of them, or too much.
    mutating func append(_ fragment: UnsafeRawBufferPointer, maximumBytes: Int) -> Bool {
        self.continuations += 1
        self.bytes.append(contentsOf: fragment)
        return self.continuations <= Self.maximumContinuations && self.bytes.count <= maximumBytes
    }
}
