// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Something that a device, or APNs for it, does when its time has come.
struct DeviceEvent: Codable, Hashable, Sendable {
    enum Kind: Codable, Hashable, Sendable {
        /// What was not urgent is delivered in a group.
        case powerWindow
        /// The device acknowledges what is in flight.
        case acknowledgement
        /// The first of the notifications that are stored for the device is no longer good.
        case storedExpires
        /// An app should have said that it is done.
        case deadline(call: Int)
        /// A background notification that is held may let its app run.
        case heldMayRun(bundleID: String)
    }

    var device: DeviceIndex
    var kind: Kind
}
