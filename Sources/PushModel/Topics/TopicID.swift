// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The number of a topic, given by the store and never given again: a topic that is made anew has another one.
public struct TopicID: RawRepresentable, Hashable, Sendable, Codable {
    /// The number, from 1.
    public let rawValue: Int64

    /// Takes a number that a store gave before.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}
