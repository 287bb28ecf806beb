// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import PushModel
import PushStore

/// Compares the server's data with the deliveries and the responses, after all processes have stopped.
struct SoakAudit: Sendable {
    /// The result of the soak.
    struct Account: Sendable {
        var accepted = 0
        var delivered = 0
        var others: [String: Int] = [:]
        var lost = 0
        var acceptedTwice = 0
        var duplicates = 0
        var campaigns = 0
        /// How many devices campaigns left out whose time was over.
        var unplanned = 0
    }

    let configuration: SoakConfiguration
    let arrivals: SoakDeliveries
    let answers: [StreamLines.Answer]
    let record: SoakLog

    /// Reads the store and records each breach.
    func run(_ store: any CampaignStore & EventStore & NotificationStore) async throws -> Account {
        let app = try AppID(validating: SoakConfiguration.app)
        let feed = try await SoakFeed(of: app, in: store)
        for breach in feed.breaches { self.record.breach(breach) }
        let told = self.record.now
        var account = Account()
        account.acceptedTwice = told.acceptedTwice + self.arrivals.sentTwice
        account.duplicates = self.arrivals.duplicates
        account.delivered = feed.delivered
        account.others = feed.others
        account.lost = try await self.unsettled(feed, in: store)
        let planned = try await self.campaigns(of: app, in: store, &account)
        account.accepted = told.accepted + planned
        self.compareAcceptances(feed, told, &account)
        try await self.compareOutcomes(in: store, &account)
        let bounds = SoakBounds(configuration: self.configuration, played: told)
        for breach in bounds.breaches(in: account) { self.record.breach(breach) }
        return account
    }

    /// Checks that every accepted target has exactly one outcome.
    private func unsettled(_ feed: SoakFeed, in store: any NotificationStore) async throws -> Int {
        var lost = 0
        for (text, targets) in feed.accepted where feed.settled[text] != targets {
            var known = 0
            if let id = NotificationID(text) { known = try await store.notification(id)?.counts.total ?? 0 }
            lost += max(0, targets - known)
            self.record.breach("\(text): \(targets) accepted, \(known) settled")
        }
        return lost
    }

    /// The progress of every campaign adds up.
    ///
    /// Returns how many targets all of them had.
    private func campaigns(of app: AppID, in store: any CampaignStore, _ account: inout Account) async throws -> Int {
        var names: Set<String> = []
        var planned = 0
        var cursor: CampaignID?
        repeat {
            let page = try await store.campaigns(of: app, after: cursor, limit: 100)
            for status in page.elements {
                planned += status.enqueued
                account.campaigns += 1
                account.unplanned += max(0, self.configuration.audience - status.enqueued)
                if !names.insert(status.campaign.name).inserted {
                    account.acceptedTwice += 1
                    self.record.breach("\(status.campaign.name) was created twice")
                }
                if let fault = Self.fault(of: status, audience: self.configuration.audience) {
                    self.record.breach("\(status.campaign.name) \(fault)")
                }
            }
            cursor = page.next
        } while cursor != nil
        return planned
    }

    /// Describes an inconsistent progress of a campaign; `nil` if it is consistent.
    static func fault(of status: CampaignStatus, audience: Int) -> String? {
        let (state, planned, total) = (status.lifecycle.state, status.enqueued, status.counts.total)
        guard status.isCompleted else { return "is not completed: \(state), \(planned) planned, \(total) settled" }
        guard planned == total else { return "has \(planned) planned devices and \(total) outcomes" }
        return switch state {
        case .completed: planned == audience ? nil : "was planned for \(planned) devices of \(audience)"
        // A standstill took all of its time.
        case .expired: planned <= audience ? nil : "was planned for \(planned) devices of \(audience)"
        default: "ended as \(state)"
        }
    }

    /// Compares the accepted notifications with the responses to callers.
    private func compareAcceptances(_ feed: SoakFeed, _ told: SoakLog.State, _ account: inout Account) {
        for id in told.singles where feed.accepted[id] == nil {
            account.lost += 1
            self.record.breach("\(id) was acknowledged, and is not in the store")
        }
        guard feed.targets != account.accepted else { return }
        account.acceptedTwice += max(0, feed.targets - account.accepted)
        account.lost += max(0, account.accepted - feed.targets)
        self.record.breach("\(account.accepted) targets were acknowledged, and \(feed.targets) are in the store")
    }

    /// Compares the delivered outcomes with the deliveries, and the outcomes of streams with the store.
    private func compareOutcomes(in store: any NotificationStore, _ account: inout Account) async throws {
        let told = Dictionary(self.answers.map { ($0.apnsID, $0) }) { first, _ in first }
        if told.count < self.answers.count {
            self.record.breach("\(self.answers.count - told.count) lines of streams have the apns-id of another line")
        }
        let ids = Set(self.arrivals.devices.keys).union(told.keys)
        let batches = Dictionary(grouping: ids) { BatchID.locate($0).batch }
        let all = Array(batches.keys)
        var reached = 0
        for start in stride(from: 0, to: all.count, by: 1000) {
            let part = Array(all[start..<min(start + 1000, all.count)])
            let outcomes = try await store.outcomes(of: part)
            for id in part.flatMap({ batches[$0] ?? [] }) {
                let (batch, index) = BatchID.locate(id)
                let outcome = outcomes[batch]?.outcome(at: index)
                if self.arrivals.devices[id] != nil, outcome == .delivered { reached += 1 }
                if let answer = told[id], outcome.map(StreamLines.Answer.words(for:)) != answer.words {
                    self.record.breach("\(id): a stream returned \(answer.words), the store has \(outcome as Any)")
                }
                if outcomes[batch] == nil { self.record.breach("\(id) reached a device, and is not in the store") }
            }
        }
        guard reached != account.delivered else { return }
        self.record.breach("\(account.delivered) count as delivered, and \(reached) of these reached devices")
    }
}

extension StreamLines.Answer {
    /// The outcome in words that can be compared.
    var words: [String?] { [self.outcome, self.cause] }

    static func words(for outcome: Outcome) -> [String?] {
        switch outcome {
        case .delivered: ["delivered", nil]
        case .rejected(let rejection): ["rejected", rejection.reason.rawValue]
        case .failed(let code): ["failed", code.rawValue]
        }
    }
}

/// The accepted notifications according to the event feed.
struct SoakFeed: Sendable {
    /// How many targets each notification has.
    private(set) var accepted: [String: Int] = [:]

    /// The outcomes of all targets, by notification.
    private(set) var settled: [String: Int] = [:]

    private(set) var delivered = 0

    /// How many were rejected or failed, by the cause.
    private(set) var others: [String: Int] = [:]

    /// The inconsistencies.
    private(set) var breaches: [String] = []

    /// Reads the feed of an app from its beginning.
    init(of app: AppID, in store: any EventStore) async throws {
        var cursor: EventCursor?
        while true {
            let kinds: Set<EventType> = [.notificationAccepted, .notificationCompleted]
            let page = try await store.events(of: app, after: cursor, limit: 1000, kinds: kinds)
            for event in page.events { self.take(event.kind, event.data) }
            guard page.hasMore else { return }
            cursor = page.next
        }
    }

    /// How many targets were accepted.
    var targets: Int { self.accepted.values.reduce(0, +) }

    private mutating func take(_ kind: EventType, _ data: JSONValue) {
        guard case .string(let id) = data["notification"], case .integer(let targets) = data["targets"] else {
            return self.breaches.append("an event of the feed cannot be read: \(data)")
        }
        if kind == .notificationAccepted {
            guard self.accepted.updateValue(Int(targets), forKey: id) != nil else { return }
            return self.breaches.append("the feed has two accepted events for \(id)")
        }
        if self.settled.updateValue(Int(targets), forKey: id) != nil {
            self.breaches.append("the feed has two completed events for \(id)")
        }
        if case .integer(let count) = data["delivered"] { self.delivered += Int(count) }
        for kind in ["rejected", "failed"] {
            guard case .object(let causes) = data[kind] else { continue }
            for case (let cause, .integer(let count)) in causes {
                self.others["\(kind) \(cause)", default: 0] += Int(count)
            }
        }
    }
}

/// The deliveries to devices.
struct SoakDeliveries: Sendable {
    /// A key that is unique to one notification on one device: no payload is sent twice to the same device.
    private struct Content: Hashable {
        let payload: Int
        let device: VirtualDeviceID
    }

    /// The device that got it, by the `apns-id`.
    private(set) var devices: [APNsID: VirtualDeviceID] = [:]

    /// How often something came again under the same `apns-id`, as at-least-once delivery does.
    private(set) var duplicates = 0

    /// How many notifications reached their device under two `apns-id`s.
    private(set) var sentTwice = 0

    private var ids: [Content: APNsID] = [:]

    /// Records a delivery.
    ///
    /// - Returns: a description of a breach, or `nil`.
    mutating func take(_ arrival: Delivery) -> String? {
        let id = arrival.notification.apnsID
        if let earlier = self.devices.updateValue(arrival.device, forKey: id) {
            self.duplicates += 1
            guard earlier == arrival.device else { return "apns-id \(id) reached two devices" }
        }
        var hasher = Hasher()
        arrival.notification.payload.withUnsafeBytes { hasher.combine(bytes: $0) }
        let content = Content(payload: hasher.finalize(), device: arrival.device)
        guard let other = self.ids.updateValue(id, forKey: content), other != id else { return nil }
        self.sentTwice += 1
        let payload = String(decoding: arrival.notification.payload, as: UTF8.self)
        return "\(payload) reached device \(arrival.device) as \(other) and as \(id)"
    }
}

/// The failures that the faults of a soak can cause.
///
/// These are outcomes other than `delivered`, and deliveries with the same `apns-id`; any excess is a breach.
struct SoakBounds: Sendable {
    let configuration: SoakConfiguration

    /// Which faults were played, and how many requests they struck.
    let played: SoakLog.State

    /// Describes the failures that exceed those of the injected faults.
    func breaches(in account: SoakAudit.Account) -> [String] {
        let wanted = account.accepted + account.unplanned
        var breaches = account.others.sorted { $0.key < $1.key }.compactMap { outcome, count in
            let most = self.most(of: outcome, account, wanted: wanted)
            return count > most
                ? "\(count) targets have the outcome '\(outcome)'; the injected faults explain \(most)" : nil
        }
        // In a short soak these faults strike a large part of everything.
        let struck =
            self.strikes(.unavailable) + self.strikes(.tooManyRequests) + self.mostLost(of: wanted)
            + self.faults(.clockJump) * self.configuration.workers * self.configuration.window
        let least = (wanted * 9 + 9) / 10 - struck
        if account.delivered < least {
            breaches.append("\(account.delivered) of \(wanted) targets were delivered; \(least) are the least")
        }
        if account.duplicates > self.mostDuplicates {
            breaches.append(
                "\(account.duplicates) deliveries repeated an apns-id;  "
                    + "the injected faults explain  \(self.mostDuplicates)"
            )
        }
        return breaches
    }

    private func most(of outcome: String, _ account: SoakAudit.Account, wanted: Int) -> Int {
        let window = self.configuration.window
        switch outcome {
        case "rejected BadDeviceToken":
            // A clock that is put back forgets the devices for a moment.
            return account.campaigns * self.configuration.strangers
                + self.faults(.clockJump) * self.configuration.workers * window
        case "rejected ServiceUnavailable": return self.strikes(.unavailable)
        case "rejected TooManyRequests": return self.strikes(.tooManyRequests)
        case "failed expired": return wanted / 20 - account.unplanned
        case "failed connection_lost", "failed timeout":
            return self.mostLost(of: wanted)
        default: return 0
        }
    }

    /// A target is lost only after three lost attempts, so few targets are.
    private func mostLost(of wanted: Int) -> Int {
        min(self.strikes(.silence) + self.lostConnections * self.configuration.window, 20 + wanted / 50)
    }

    /// The maximum number of duplicates: at most one window per process is sent and not settled.
    ///
    /// Each killed process and each lost connection repeats at most one window. Each suspended process repeats at most
    /// two, because it continues its own.
    private var mostDuplicates: Int {
        let store = self.faults(.lockedStore) + self.faults(.restartedStore) + self.faults(.cutConnections)
        // While the store is unavailable, leases expire. A busy machine closes a connection as dead without any fault.
        let windows =
            self.faults(.killedDeliverer) + 2 * self.faults(.stoppedDeliverer) + self.lostConnections
            + self.configuration.workers * (store + 1)
        return windows * self.configuration.window + self.strikes(.silence)
    }

    private var lostConnections: Int {
        self.strikes(.droppedConnections) + self.configuration.workers * self.faults(.unreachable)
    }

    private func faults(_ kind: SoakFault.Kind) -> Int { self.played.faults[kind.rawValue, default: 0] }

    private func strikes(_ kind: SoakFault.Kind) -> Int { self.played.strikes[kind.rawValue, default: 0] }
}
