// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Something that a device, or APNs for it, does when its time has come.
struct DeviceEvent: Codable, Hashable, Sendable {
    enum Kind: Codable, Hashable, Sendable {
        /// What was not urgent is delivered in a group.
        case powerWindow
        /// The device acknowledges what is in flight.
        case acknowledgement
        /// A stored notification of an app is no longer good.
        case storedExpires(APNsID)
        /// An app should have said that it is done.
        case deadline(call: Int)
        /// A background notification that is held may let its app run.
        case heldMayRun(bundleID: String)
    }

    var device: DeviceIndex
    var kind: Kind
}
