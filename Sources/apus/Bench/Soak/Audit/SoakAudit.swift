// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import PushModel
import PushStore

/// Holds what the server says against what devices got and callers were told, when all processes have stopped.
struct SoakAudit: Sendable {
    /// What the soak came to.
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
    let arrivals: SoakArrivals
    let answers: [StreamLines.Answer]
    let record: SoakRecord

    /// Reads the store; each breach is told.
    func run(_ store: any PushStore) async throws -> Account {
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

    /// Every target of what was accepted has an outcome, and only one.
    private func unsettled(_ feed: SoakFeed, in store: any PushStore) async throws -> Int {
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
    private func campaigns(of app: AppID, in store: any PushStore, _ account: inout Account) async throws -> Int {
        var names: Set<String> = []
        var planned = 0
        var cursor: CampaignID?
        repeat {
            let page = try await store.campaigns(of: app, after: cursor, limit: 100)
            for status in page.elements {
                planned += status.planned
                account.campaigns += 1
                account.unplanned += max(0, self.configuration.audience - status.planned)
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

    /// What is wrong with a campaign's progress, or `nil`.
    static func fault(of status: CampaignStatus, audience: Int) -> String? {
        let (state, planned, total) = (status.lifecycle.state, status.planned, status.counts.total)
        guard status.isSettled else { return "is not settled: \(state), \(planned) planned, \(total) settled" }
        guard planned == total else { return "has \(planned) planned devices and \(total) outcomes" }
        return switch state {
        case .finished: planned == audience ? nil : "was planned for \(planned) devices of \(audience)"
        // A standstill took all of its time.
        case .expired: planned <= audience ? nil : "was planned for \(planned) devices of \(audience)"
        default: "ended as \(state)"
        }
    }

    /// What callers were told to be accepted is what was.
    private func compareAcceptances(_ feed: SoakFeed, _ told: SoakRecord.State, _ account: inout Account) {
        for id in told.singles where feed.accepted[id] == nil {
            account.lost += 1
            self.record.breach("\(id) was acknowledged, and is not in the store")
        }
        guard feed.targets != account.accepted else { return }
        account.acceptedTwice += max(0, feed.targets - account.accepted)
        account.lost += max(0, account.accepted - feed.targets)
        self.record.breach("\(account.accepted) targets were acknowledged, and \(feed.targets) are in the store")
    }

    /// What was delivered is what devices got, and what streams were told is what the store says.
    private func compareOutcomes(in store: any PushStore, _ account: inout Account) async throws {
        let told = Dictionary(self.answers.map { ($0.apnsID, $0) }) { first, _ in first }
        if told.count < self.answers.count {
            self.record.breach("\(self.answers.count - told.count) lines of streams have the apns-id of another one")
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
                    self.record.breach("\(id): a stream was told \(answer.words), the store says \(outcome as Any)")
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
