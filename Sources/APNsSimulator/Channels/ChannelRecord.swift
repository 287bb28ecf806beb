// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
    /// Whether it was deleted: it takes nothing more, and what it stores is still delivered.
    var isDeleted = false
    /// How many broadcasts there were.
    private(set) var broadcasts = 0
    private(set) var messages: [BroadcastMessage] = []
    private(set) var budget = ActivityBudget()
    /// For each subscribed activity the newest broadcast that it need not get any more.
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
        return counters.allSatisfy { (0...SnapshotFault.maximumCount).contains($0) }
    }

    /// Takes a broadcast from the budget of the channel.
    ///
    /// - Returns: whether there was room.
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

    /// The message that is stored at a time: the newest, if it is to be stored at all.
    func stored(now: Double) -> BroadcastMessage? {
        guard let newest = self.messages.last, let until = newest.storedUntil, until > now else { return nil }
        return newest
    }

    /// Adds an activity, which gets what is broadcast from now on; with `includesStored` what is stored, too.
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

    /// Takes note that a broadcast has reached an activity.
    mutating func noteDelivery(_ number: Int, to activity: ActivityID) {
        guard let seen = self.subscriptions[activity] else { return }
        self.subscriptions[activity] = max(seen, number)
        guard let index = self.messages.lastIndex(where: { $0.number == number }) else { return }
        self.messages[index].delivered += 1
    }
}
