// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The numbers of an app's devices: the app's own number, then 40 bits that count its registrations.
enum DeviceNumber {
    private static let bits: Int64 = 40

    /// Every number that a device of an app may have.
    static func range(ofApp app: Int64) -> ClosedRange<Int64> {
        (app << Self.bits)...((app + 1) << Self.bits - 1)
    }
}
