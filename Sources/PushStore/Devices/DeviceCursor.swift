// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A place in an app's list of devices, meaningful only to the store that made it.
public struct DeviceCursor: RawRepresentable, Hashable, Sendable, Codable {
    /// The place as a number, for callers that hand cursors around as text.
    public let rawValue: Int64

    /// Takes a number that a store gave before.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}
