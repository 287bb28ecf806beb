// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A notification of the binary protocol.
struct BinaryNotification: Sendable, Equatable {
    /// How it was written: 0, 1 or 2.
    var command: UInt8
    /// What the sender calls it; 0 for command 0.
    var identifier: UInt32 = 0
    /// Until when it is worth delivering, in seconds since 1970; `nil` where the command has none.
    var expiry: UInt32?
    var token: [UInt8] = []
    var payload: [UInt8] = []
    var priority: UInt8 = 10

    /// Whether an error of it is told: command 0 has no identifier to tell it by.
    var hasErrorPackets: Bool { self.command != 0 }
}
