// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The numbers of an app's devices: the app's own number, then 40 bits that count its registrations.
package enum DeviceNumber {
    private static let bits: Int64 = 40

    /// The count of the numbers of one app.
    static let count: Int64 = 1 << Self.bits

    /// Every number that a device of an app may have.
    package static func range(ofApp app: Int64) -> ClosedRange<Int64> {
        (app << Self.bits)...(app << Self.bits | (1 << Self.bits - 1))
    }
}
