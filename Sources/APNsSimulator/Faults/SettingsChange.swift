// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// SETTINGS of HTTP/2 other than the usual ones.
public struct SettingsChange: Sendable, Hashable {
    /// How many streams the client may have open at once; `nil` leaves it as it is.
    public var maximumConcurrentStreams: UInt32?
    /// The window of each stream; `nil` leaves it as it is.
    ///
    /// Unit: bytes. Range: 0...2^31-1.
    public var initialWindowSize: UInt32?

    /// A change of either or both.
    public init(maximumConcurrentStreams: UInt32? = nil, initialWindowSize: UInt32? = nil) {
        self.maximumConcurrentStreams = maximumConcurrentStreams
        self.initialWindowSize = initialWindowSize
    }
}
