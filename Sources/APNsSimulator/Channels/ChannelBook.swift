// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Every broadcast channel, and which apps have the broadcast capability.
///
/// A value; time is handed in.
struct ChannelBook: Codable, Sendable {
    /// An app in one environment.
    struct Owner: Codable, Hashable, Sendable {
        var bundleID: String
        var environment: APNsEnvironment
    }

    private var channels: [ChannelKey: ChannelRecord] = [:]
    /// How many channels each app has.
    private var counts: [Owner: Int] = [:]
    /// The apps that were told whether they have the capability.
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
    /// - Throws: ``Refusal`` `CannotCreateChannelConfig` where the app has as many as it may have.
    mutating func create(
        _ key: ChannelKey,
        policy: ChannelStoragePolicy,
        quota: Int,
        now: Double
    ) throws(Refusal) {
        let owner = Owner(bundleID: key.bundleID, environment: key.environment)
        guard self.counts[owner] ?? 0 < quota else { throw Refusal(.cannotCreateChannelConfig) }
        self.counts[owner, default: 0] += 1
        self.created += 1
        self.channels[key] = ChannelRecord(key: key, policy: policy, createdAt: now, order: self.created)
    }

    /// Deletes a channel; what it stores is still delivered.
    ///
    /// - Returns: whether there was one.
    mutating func delete(_ key: ChannelKey, now: Double) -> Bool {
        guard self.contains(key) else { return false }
        self.channels[key]?.isDeleted = true
        self.counts[Owner(bundleID: key.bundleID, environment: key.environment), default: 1] -= 1
        self.forgetIfDone(key, now: now)
        return true
    }

    /// Forgets a deleted channel that stores nothing any more.
    mutating func forgetIfDone(_ key: ChannelKey, now: Double) {
        guard let channel = self.channels[key], channel.isDeleted, channel.stored(now: now) == nil else { return }
        self.channels[key] = nil
    }

    /// Changes a channel.
    mutating func change<Value>(_ key: ChannelKey, _ body: (inout ChannelRecord) -> Value) -> Value? {
        guard let index = self.channels.index(forKey: key) else { return nil }
        return body(&self.channels.values[index])
    }

    /// Whether all counters can be counted on, after they came from a document.
    var isSound: Bool {
        let range = 0...SnapshotFault.maximumCount
        return range.contains(self.created) && self.counts.values.allSatisfy { range.contains($0) }
            && self.channels.values.allSatisfy(\.isSound)
    }

    // MARK: The broadcast capability

    /// Whether an app has the broadcast capability.
    func isEnabled(_ bundleID: String, _ switches: ChannelSwitches) -> Bool {
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
