// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The SETTINGS that one side of an HTTP/2 connection announces (RFC 9113 section 6.5.2).
public struct HTTP2Settings: Sendable, Equatable {
    /// The size of the HPACK dynamic table that the peer may use.
    ///
    /// Unit: bytes. Default: 4,096.
    public var headerTableSize: UInt32

    /// How many streams the peer may have open at once; `nil` announces no limit.
    ///
    /// Default: `nil`.
    public var maximumConcurrentStreams: UInt32?

    /// The flow-control window with which a stream begins.
    ///
    /// Unit: bytes. Range: 0...2^31-1. Default: 65,535.
    public var initialWindowSize: UInt32

    /// The largest frame payload that may be sent to us.
    ///
    /// Unit: bytes. Range: 16,384...16,777,215. Default: 16,384.
    public var maximumFrameSize: UInt32

    /// The largest header list that the peer should send, names and values and 32 bytes for each field.
    ///
    /// Unit: bytes. Default: 8,000, as Apple announces. A list beyond twice this size ends the connection.
    public var maximumHeaderListSize: UInt32

    /// Settings with the defaults of RFC 9113 and the header list limit that Apple announces.
    public init(
        headerTableSize: UInt32 = 4096,
        maximumConcurrentStreams: UInt32? = nil,
        initialWindowSize: UInt32 = 65_535,
        maximumFrameSize: UInt32 = 16_384,
        maximumHeaderListSize: UInt32 = 8000
    ) {
        self.headerTableSize = headerTableSize
        self.maximumConcurrentStreams = maximumConcurrentStreams
        self.initialWindowSize = initialWindowSize
        self.maximumFrameSize = maximumFrameSize
        self.maximumHeaderListSize = maximumHeaderListSize
    }

    /// The valid maximum frame sizes (RFC 9113).
    static let frameSizes: ClosedRange<UInt32> = 16_384...16_777_215

    /// Throws `invalidState` for a setting that RFC 9113 does not allow.
    func validate() throws(HTTP2SessionError) {
        guard self.initialWindowSize <= RemoteSettings.largestWindowSize else {
            let message = "HTTP/2 settings: an initial window of \(self.initialWindowSize) bytes is above 2^31-1"
            throw HTTP2SessionError(code: .invalidState, message: message)
        }
        guard Self.frameSizes.contains(self.maximumFrameSize) else {
            let message = "HTTP/2 settings: frames of \(self.maximumFrameSize) bytes are not within 16,384...16,777,215"
            throw HTTP2SessionError(code: .invalidState, message: message)
        }
    }
}

/// The announced settings of this side, and the acknowledged ones, which bind the peer.
struct LocalSettings {
    private(set) var acknowledged = HTTP2Settings(maximumConcurrentStreams: nil)
    private var announced: [HTTP2Settings] = []

    var latest: HTTP2Settings { self.announced.last ?? self.acknowledged }

    mutating func announce(_ settings: HTTP2Settings) {
        self.announced.append(settings)
    }

    /// Takes note of an acknowledgement; `false` where nothing waits for one.
    mutating func acknowledge() -> Bool {
        guard !self.announced.isEmpty else { return false }
        self.acknowledged = self.announced.removeFirst()
        return true
    }
}

/// The announced settings of the peer (RFC 9113 section 6.5.2).
struct RemoteSettings {
    /// How many streams may be open at once; one until the peer has said how many it takes.
    var maximumConcurrentStreams: UInt32 = 1
    var initialWindowSize = Self.defaultWindowSize
    /// The last size that the frame being read names, where it names one.
    var nextInitialWindowSize: Int?
    var maximumFrameSize = 16_384

    static let defaultWindowSize = 65_535
    static let largestWindowSize = 0x7fff_ffff

    enum Identifier {
        static let headerTableSize: UInt16 = 0x1
        static let enablePush: UInt16 = 0x2
        static let maximumConcurrentStreams: UInt16 = 0x3
        static let initialWindowSize: UInt16 = 0x4
        static let maximumFrameSize: UInt16 = 0x5
        static let maximumHeaderListSize: UInt16 = 0x6
    }
}
