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

    /// The largest header list that is accepted, names and values and 32 bytes for each field.
    ///
    /// Unit: bytes. Default: 8,000, as Apple announces. It is enforced, not only announced.
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

    /// What RFC 9113 allows for the largest frame payload.
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
