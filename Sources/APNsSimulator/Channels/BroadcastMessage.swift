// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A broadcast that APNs accepted.
struct BroadcastMessage: Codable, Sendable {
    /// The place in the order of the channel's broadcasts, from 1.
    var number: Int
    var payload: [UInt8]
    /// `apns-priority`.
    var priority: Int
    /// `apns-request-id`.
    var requestID: APNsID
    /// `apns-unique-id`.
    var uniqueID: APNsID
    /// Seconds since 1970.
    var acceptedAt: Double
    /// Until when it is stored, in seconds since 1970; `nil` for one that is not.
    var storedUntil: Double?
    /// How many activities it reached so far.
    var delivered = 0
}
