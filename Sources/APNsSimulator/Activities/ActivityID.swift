// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The identity of a Live Activity: a UUID, chosen by the device.
public struct ActivityID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The identifier's text.
    public let rawValue: String

    /// The identifier with this text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The identifier's text.
    public var description: String { self.rawValue }
}
