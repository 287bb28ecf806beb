// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A broadcast channel, as it is at one moment.
public struct BroadcastChannel: Sendable, Hashable {
    /// A broadcast that APNs accepted.
    public struct Message: Sendable, Hashable {
        /// The place in the order of the channel's broadcasts, from 1.
        public var number: Int
        /// The JSON as it was sent, byte for byte.
        public var payload: [UInt8]
        /// `apns-priority`.
        public var priority: Int
        /// `apns-request-id`.
        public var requestID: APNsID
        /// `apns-unique-id`.
        public var uniqueID: APNsID
        /// When it was accepted.
        public var acceptedAt: Date
        /// Until when it is stored; `nil` for one that is not.
        public var storedUntil: Date?
        /// How many activities it reached.
        public var deliveries: Int
    }

    /// The channel's identifier: base64.
    public var id: String
    /// The app.
    public var bundleID: String
    /// The service that it belongs to.
    public var environment: APNsEnvironment
    /// What it keeps for devices that are offline.
    public var storagePolicy: ChannelStoragePolicy
    /// When it was created.
    public var createdAt: Date
    /// How many broadcasts there were.
    public var broadcasts: Int
    /// The newest broadcasts, oldest first.
    public var messages: [Message]
    /// The activities that are subscribed, in the order of subscribing.
    public var subscribers: [ActivityID]

    init(_ record: ChannelRecord) {
        self.id = record.key.id
        self.bundleID = record.key.bundleID
        self.environment = record.key.environment
        self.storagePolicy = record.policy
        self.createdAt = Date(timeIntervalSince1970: record.createdAt)
        self.broadcasts = record.broadcasts
        self.messages = record.messages.map { message in
            Message(
                number: message.number,
                payload: message.payload,
                priority: message.priority,
                requestID: message.requestID,
                uniqueID: message.uniqueID,
                acceptedAt: Date(timeIntervalSince1970: message.acceptedAt),
                storedUntil: message.storedUntil.map { Date(timeIntervalSince1970: $0) },
                deliveries: message.delivered
            )
        }
        self.subscribers = record.subscribers
    }
}
