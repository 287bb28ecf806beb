// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A notification that arrived at a virtual device.
public struct ReceivedNotification: Sendable, Hashable {
    /// The app that it is for.
    public var bundleID: String
    /// The JSON as it was sent, byte for byte.
    public var payload: [UInt8]
    /// The notification's identity: the request's `apns-id`, or the one that the simulator chose.
    public var apnsID: APNsID
    /// The `apns-*` header fields of the request, by their lower-case names.
    public var headers: [String: String]
    /// When it arrived.
    public var receivedAt: Date
}
