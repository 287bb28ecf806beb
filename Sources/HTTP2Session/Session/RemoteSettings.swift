// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What the peer has announced (RFC 9113 section 6.5.2).
struct RemoteSettings {
    /// How many streams may be open at once; one until the peer has said how many it takes.
    var maximumConcurrentStreams: UInt32 = 1
    var initialWindowSize = Self.defaultWindowSize
    /// The last size that the frame being read names, where it names one.
    var nextInitialWindowSize: Int?
    var maximumFrameSize = 16_384

    static let defaultWindowSize = 65_535
    static let largestWindowSize = 0x7fff_ffff

    /// The identifiers of settings.
    enum Identifier {
        static let headerTableSize: UInt16 = 0x1
        static let enablePush: UInt16 = 0x2
        static let maximumConcurrentStreams: UInt16 = 0x3
        static let initialWindowSize: UInt16 = 0x4
        static let maximumFrameSize: UInt16 = 0x5
        static let maximumHeaderListSize: UInt16 = 0x6
    }
}
