// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The names of the response headers that APNs sends.
public enum ResponseHeader {
    /// The request's `apns-id`, or the one that APNs made up; seen in upper case.
    public static let apnsID = "apns-id"
    /// The key into the delivery log of the Push Notifications Console; for devices only in the sandbox.
    public static let uniqueID = "apns-unique-id"
    /// The request's `apns-request-id`, on broadcasts and channel management.
    public static let requestID = "apns-request-id"
    /// The id of a channel that was created.
    public static let channelID = "apns-channel-id"
}
