// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Device tokens packed end to end: one allocation for a whole batch.
public struct TokenList: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [UInt32] = []

    /// An empty list.
    public init() {}

    /// A list of these tokens, in order.
    public init(_ tokens: some Sequence<DeviceToken>) {
        for token in tokens { self.append(token) }
    }

    /// Adds a token at the end.
    public mutating func append(_ token: DeviceToken) {
        token.bytes.withUnsafeBufferPointer { self.append($0) }
    }

    /// Adds the bytes of a token, 1...100, at the end: the form for hot paths.
    public mutating func append(_ token: UnsafeBufferPointer<UInt8>) {
        self.bytes.append(contentsOf: token)
        self.ends.append(UInt32(self.bytes.count))
    }

    /// Adds a broadcast channel at the end, for a batch whose headers are a broadcast's.
    public mutating func append(_ channel: APNsChannelID) {
        var text = channel.rawValue
        text.withUTF8 { self.append($0) }
    }

    /// Makes room for `count` tokens of 32 bytes.
    public mutating func reserveCapacity(_ count: Int) {
        self.bytes.reserveCapacity(32 * count)
        self.ends.reserveCapacity(count)
    }

    /// How many tokens the list holds.
    public var count: Int { self.ends.count }
}
