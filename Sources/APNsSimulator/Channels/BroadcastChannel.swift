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
    /// Whether it stores the most recent message for devices that are offline.
    public var storagePolicy: ChannelStoragePolicy
    /// When it was created.
    public var createdAt: Date
    /// How many broadcasts there were.
    public var broadcasts: Int
    /// The latest broadcasts, oldest first.
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

/// The message storage of a broadcast channel for offline devices: `message-storage-policy`.
public enum ChannelStoragePolicy: Int, Sendable, Hashable, Codable, CaseIterable {
    /// No message, which allows more broadcasts.
    case noMessageStored = 0
    /// The most recent message, for at most 8 hours.
    case mostRecentMessageStored = 1
}

/// The key of a broadcast channel: an ID is unique per app and environment.
struct ChannelKey: Codable, Hashable, Sendable {
    var bundleID: String
    var environment: APNsEnvironment
    var id: String
}

/// A broadcast channel as APNs keeps it.
struct ChannelRecord: Codable, Sendable {
    /// How long a message is stored at most: 8 hours.
    ///
    /// Unit: seconds.
    static let maximumStorage: Double = 8 * 3600
    /// How many broadcasts are kept for looking at.
    private static let maximumMessages = 100

    let key: ChannelKey
    let policy: ChannelStoragePolicy
    /// Seconds since 1970.
    let createdAt: Double
    /// The place in the order of creation.
    let order: Int
    /// Whether it was deleted: it accepts no broadcasts, and its stored message is still delivered.
    var isDeleted = false
    private(set) var broadcasts = 0
    private(set) var messages: [BroadcastMessage] = []
    private(set) var budget = ActivityBudget()
    /// For each subscribed activity, the latest broadcast that it has already received or does not need.
    private var subscriptions: [ActivityID: Int] = [:]
    /// In the order of subscribing.
    private(set) var subscribers: [ActivityID] = []

    init(key: ChannelKey, policy: ChannelStoragePolicy, createdAt: Double, order: Int) {
        self.key = key
        self.policy = policy
        self.createdAt = createdAt
        self.order = order
    }

    /// Whether its counters can be counted on, after it came from a document.
    var isSound: Bool {
        let counters = [self.broadcasts] + self.messages.map(\.delivered)
        return counters.allSatisfy { (0...SnapshotError.maximumCount).contains($0) }
    }

    /// Takes a broadcast from the budget of the channel.
    ///
    /// - Returns: whether the budget allows it.
    mutating func admit(hourly limit: Int?, now: Double) -> Bool {
        guard let limit else { return true }
        return self.budget.take(hourly: limit, now: now) == 0
    }

    /// Takes a broadcast; with `storedUntil` it is the one that is stored now.
    mutating func add(_ message: BroadcastMessage) -> Int {
        self.broadcasts += 1
        var message = message
        message.number = self.broadcasts
        self.messages.append(message)
        if self.messages.count > Self.maximumMessages { self.messages.removeFirst() }
        return message.number
    }

    /// The stored message at a time: the latest, if the policy stores it.
    func stored(now: Double) -> BroadcastMessage? {
        guard let newest = self.messages.last, let until = newest.storedUntil, until > now else { return nil }
        return newest
    }

    /// Subscribes an activity to later broadcasts; with `includesStored` it receives the stored message too.
    mutating func subscribe(_ activity: ActivityID, includesStored: Bool) {
        guard self.subscriptions.updateValue(self.broadcasts - (includesStored ? 1 : 0), forKey: activity) == nil else {
            return
        }
        self.subscribers.append(activity)
    }

    mutating func unsubscribe(_ activity: ActivityID) {
        guard self.subscriptions.removeValue(forKey: activity) != nil else { return }
        self.subscribers.removeAll { $0 == activity }
    }

    /// The stored message, if the activity has not got it yet.
    func pending(for activity: ActivityID, now: Double) -> BroadcastMessage? {
        guard let seen = self.subscriptions[activity], let stored = self.stored(now: now), stored.number > seen else {
            return nil
        }
        return stored
    }

    /// Records that a broadcast was delivered to an activity.
    mutating func noteDelivery(_ number: Int, to activity: ActivityID) {
        guard let seen = self.subscriptions[activity] else { return }
        self.subscriptions[activity] = max(seen, number)
        guard let index = self.messages.lastIndex(where: { $0.number == number }) else { return }
        self.messages[index].delivered += 1
    }
}

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

/// Every broadcast channel, and which apps have the broadcast capability.
///
/// A value; time is handed in.
struct ChannelRegistry: Codable, Sendable {
    /// An app in one environment.
    struct Owner: Codable, Hashable, Sendable {
        var bundleID: String
        var environment: APNsEnvironment
    }

    private var channels: [ChannelKey: ChannelRecord] = [:]
    /// How many channels each app has.
    private var counts: [Owner: Int] = [:]
    /// The apps whose broadcast capability was set explicitly.
    private var capabilities: [String: Bool] = [:]
    private var created = 0

    /// A channel, deleted or not.
    subscript(key: ChannelKey) -> ChannelRecord? { self.channels[key] }

    /// Whether there is such a channel now.
    func contains(_ key: ChannelKey) -> Bool { self.channels[key].map { !$0.isDeleted } ?? false }

    /// How many channels an app has in an environment.
    func count(_ bundleID: String, _ environment: APNsEnvironment) -> Int {
        self.counts[Owner(bundleID: bundleID, environment: environment)] ?? 0
    }

    /// The channels of an app in an environment, in the order of their creation.
    func channels(_ bundleID: String, _ environment: APNsEnvironment) -> [ChannelRecord] {
        self.channels.values
            .filter { $0.key.bundleID == bundleID && $0.key.environment == environment && !$0.isDeleted }
            .sorted { $0.order < $1.order }
    }

    /// Adds a channel.
    ///
    /// - Throws: ``RuleViolation`` `CannotCreateChannelConfig` if the app has the maximum number of channels.
    mutating func create(
        _ key: ChannelKey,
        policy: ChannelStoragePolicy,
        quota: Int,
        now: Double
    ) throws(RuleViolation) {
        let owner = Owner(bundleID: key.bundleID, environment: key.environment)
        guard self.counts[owner] ?? 0 < quota else { throw RuleViolation(.cannotCreateChannelConfig) }
        self.counts[owner, default: 0] += 1
        self.created += 1
        self.channels[key] = ChannelRecord(key: key, policy: policy, createdAt: now, order: self.created)
    }

    /// Deletes a channel; its stored message is still delivered.
    ///
    /// - Returns: whether there was one.
    mutating func delete(_ key: ChannelKey, now: Double) -> Bool {
        guard self.contains(key) else { return false }
        self.channels[key]?.isDeleted = true
        self.counts[Owner(bundleID: key.bundleID, environment: key.environment), default: 1] -= 1
        self.forgetIfDone(key, now: now)
        return true
    }

    /// Removes a deleted channel once its stored message has expired.
    mutating func forgetIfDone(_ key: ChannelKey, now: Double) {
        guard let channel = self.channels[key], channel.isDeleted, channel.stored(now: now) == nil else { return }
        self.channels[key] = nil
    }

    mutating func change<Value>(_ key: ChannelKey, _ body: (inout ChannelRecord) -> Value) -> Value? {
        guard let index = self.channels.index(forKey: key) else { return nil }
        return body(&self.channels.values[index])
    }

    /// Whether all counters can be counted on, after they came from a document.
    var isSound: Bool {
        let range = 0...SnapshotError.maximumCount
        return range.contains(self.created) && self.counts.values.allSatisfy { range.contains($0) }
            && self.channels.values.allSatisfy(\.isSound)
    }

    // MARK: The broadcast capability

    /// Whether an app has the broadcast capability.
    func isEnabled(_ bundleID: String, _ switches: ChannelOptions) -> Bool {
        self.capabilities[bundleID] ?? switches.enabledByDefault
    }

    /// Gives an app the broadcast capability or takes it away, and all its channels with it.
    mutating func setEnabled(_ isEnabled: Bool, bundleID: String, now: Double) {
        self.capabilities[bundleID] = isEnabled
        guard !isEnabled else { return }
        for key in self.channels.keys where key.bundleID == bundleID { self.channels[key] = nil }
        for environment in APNsEnvironment.allCases {
            self.counts[Owner(bundleID: bundleID, environment: environment)] = nil
        }
    }
}
