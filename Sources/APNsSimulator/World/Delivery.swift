// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A notification on its arrival at a virtual device.
public struct Delivery: Sendable, Hashable {
    /// The place in the order of deliveries, from 1.
    ///
    /// A gap means that the reader was too slow and missed some.
    public var sequence: UInt64
    /// The device.
    public var device: VirtualDeviceID
    /// What arrived.
    public var notification: ReceivedNotification
}
