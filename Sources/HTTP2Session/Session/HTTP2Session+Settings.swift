// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// SETTINGS, both ways.
extension HTTP2Session {
    private typealias Identifier = RemoteSettings.Identifier

    /// Announces all settings: the first frame of a connection.
    func announce(_ settings: HTTP2Settings) {
        self.local.announce(settings)
        var list: [(id: UInt16, value: UInt32)] = [
            (Identifier.headerTableSize, settings.headerTableSize),
            (Identifier.initialWindowSize, settings.initialWindowSize),
            (Identifier.maximumFrameSize, settings.maximumFrameSize),
            (Identifier.maximumHeaderListSize, settings.maximumHeaderListSize),
        ]
        if self.role == .client { list.append((Identifier.enablePush, 0)) }
        if let maximum = settings.maximumConcurrentStreams {
            list.append((Identifier.maximumConcurrentStreams, maximum))
        }
        self.output.appendSettings(list)
    }

    /// Announces other settings while the connection is open; they bind the peer once acknowledged.
    ///
    /// `nil` leaves a setting as it is. The initial window size is 0...2^31-1 bytes, and also changes the windows of open
    /// streams.
    public func submitSettings(maximumConcurrentStreams: UInt32?, initialWindowSize: UInt32? = nil) {
        var settings = self.local.latest
        var list: [(id: UInt16, value: UInt32)] = []
        if let maximumConcurrentStreams {
            settings.maximumConcurrentStreams = maximumConcurrentStreams
            list.append((Identifier.maximumConcurrentStreams, maximumConcurrentStreams))
        }
        if let initialWindowSize {
            settings.initialWindowSize = initialWindowSize
            list.append((Identifier.initialWindowSize, initialWindowSize))
        }
        self.local.announce(settings)
        self.output.appendSettings(list)
    }

    func handleSettings(_ frame: Frame) {
        guard frame.stream == 0 else { return self.breakOff(.protocolError, "SETTINGS are on a stream") }
        guard !frame.has(Frame.Flag.acknowledgement) else { return self.handleAcknowledgement(frame) }
        guard frame.payload.count.isMultiple(of: 6) else {
            return self.breakOff(.frameSizeError, "SETTINGS have a wrong size")
        }
        self.remote.nextInitialWindowSize = nil
        for offset in stride(from: 0, to: frame.payload.count, by: 6) {
            self.apply(frame.integer(at: offset, as: UInt16.self), frame.integer(at: offset + 2, as: UInt32.self))
            if self.ending.isTerminated { return }
        }
        // Once for a frame: it takes time for each open stream, and a frame has room for thousands of values.
        if let size = self.remote.nextInitialWindowSize { self.applyInitialWindow(size) }
        self.output.appendSettingsAcknowledgement()
        self.delegate.sessionDidReceiveSettings(self)
        self.count("SETTINGS")
    }

    private func apply(_ identifier: UInt16, _ value: UInt32) {
        switch identifier {
        case Identifier.headerTableSize: self.encoder.allow(tableSize: value)
        case Identifier.enablePush:
            // Only a client may allow it (RFC 9113 section 6.5.2).
            guard value <= (self.role == .server ? 1 : 0) else {
                return self.breakOff(.protocolError, "ENABLE_PUSH is out of range")
            }
        case Identifier.maximumConcurrentStreams: self.remote.maximumConcurrentStreams = value
        case Identifier.initialWindowSize:
            guard value <= RemoteSettings.largestWindowSize else {
                return self.breakOff(.flowControlError, "INITIAL_WINDOW_SIZE is out of range")
            }
            self.remote.nextInitialWindowSize = Int(value)
        case Identifier.maximumFrameSize:
            guard HTTP2Settings.frameSizes.contains(value) else {
                return self.breakOff(.protocolError, "MAX_FRAME_SIZE is out of range")
            }
            self.remote.maximumFrameSize = Int(value)
        default: break
        }
    }

    /// Changes the windows of all open streams by as much as that of new ones, possibly below zero.
    private func applyInitialWindow(_ size: Int) {
        let change = size - self.remote.initialWindowSize
        self.remote.initialWindowSize = size
        guard change != 0 else { return }
        for slot in 0..<self.streams.slots where self.streams.stream(in: slot) != nil {
            let record = self.streams[slot]
            record.pointee.sendWindow += change
            guard record.pointee.sendWindow <= RemoteSettings.largestWindowSize else {
                return self.breakOff(.flowControlError, "INITIAL_WINDOW_SIZE takes a stream's window beyond 2^31-1")
            }
            self.resumeData(slot)
        }
    }

    private func handleAcknowledgement(_ frame: Frame) {
        guard frame.payload.isEmpty else {
            return self.breakOff(.frameSizeError, "an acknowledgement of SETTINGS has a payload")
        }
        let before = Int(self.local.acknowledged.initialWindowSize)
        guard self.local.acknowledge() else {
            return self.breakOff(.protocolError, "SETTINGS are acknowledged that were not sent")
        }
        self.decoder.allow(tableSize: Int(self.local.acknowledged.headerTableSize))
        let change = Int(self.local.acknowledged.initialWindowSize) - before
        guard change != 0 else { return }
        for slot in 0..<self.streams.slots where self.streams.stream(in: slot) != nil {
            self.streams[slot].pointee.receiveWindow += change
        }
    }
}
