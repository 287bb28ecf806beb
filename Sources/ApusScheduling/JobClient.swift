// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Logging
public import PushModel
public import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Executes operations of the API for the app of a job.
public struct JobClient: Sendable {
    typealias Store = ActivityStore & ActivityTypeStore & CampaignStore

    /// The number of activities that one transaction updates.
    private static let activitiesAtOnce = 500

    /// The app.
    public let app: AppID

    private let run: JobRunID
    private let dueAt: Date
    private let store: any Store
    private let now: @Sendable () -> Date
    private let logger: Logger

    init(app: AppID, run: JobRun, store: any Store, now: @escaping @Sendable () -> Date, logger: Logger) {
        self.app = app
        self.run = run.id
        self.dueAt = run.dueAt
        self.store = store
        self.now = now
        self.logger = logger
    }

    // MARK: Activities

    /// Updates the Live Activities that match a query, up to 500 in each transaction.
    ///
    /// Activities whose content state would not change are skipped, so a repeated attempt changes nothing twice.
    /// Activities that cannot be changed are skipped too. If their registered type is corrupt, all activities whose
    /// content state would change are skipped, and the log names the type.
    /// - Parameter query: the activities and the change; time spans are relative to now.
    /// - Returns: the number of updated activities.
    /// - Throws: `StoreError`, `CancellationError`; earlier updates are not undone.
    public func changeActivities(_ query: JobActivities) async throws -> Int {
        let span = query.window?.span(about: self.now())
        let filter = ActivityFilter(
            attributesType: query.attributesType,
            isOver: false,
            instant: query.window.flatMap { window in
                span.map { (window.instant, $0.lowerBound, $0.upperBound) }
            }
        )
        var change = query.change
        change.instants = [:]
        let type = try await self.type(query.attributesType)
        var cursor: Int64?
        var count = 0
        repeat {
            try Task.checkCancellation()
            let page = try await self.activities(matching: filter, after: cursor, limit: Self.activitiesAtOnce)
            let orders = page.elements.filter { query.concerns($0.lifecycle, schema: type?.contentState) }
                .map { ActivityUpdate(activity: $0.id, change: change) }
            let results = orders.isEmpty ? [] : try await self.change(orders)
            count += results.count { if case .changed = $0 { true } else { false } }
            cursor = page.next
        } while cursor != nil
        return count
    }

    /// Returns a registered type; `nil` also for a corrupt one, whose content states the store does not change.
    private func type(_ name: AttributesType) async throws -> ActivityType? {
        do {
            return try await self.store.activityType(name, of: self.app)
        } catch let error as StoreError where error.code == .corrupt {
            self.logger.error(
                "Failed to read a corrupt activity type; its activities are not updated",
                metadata: ["activity.type": "\(name)"]
            )
            return nil
        }
    }

    /// Returns a page of the app's Live Activities in the order in which they were created.
    ///
    /// - Parameters:
    ///   - filter: selects activities.
    ///   - cursor: `next` of the previous page; `nil` starts at the first activity.
    ///   - limit: the maximum number of activities, 1...1000.
    /// - Returns: the page.
    /// - Throws: `StoreError`.
    public func activities(
        matching filter: ActivityFilter,
        after cursor: Int64? = nil,
        limit: Int = 100
    ) async throws -> Page<Activity, Int64> {
        try await self.store.activities(of: self.app, matching: filter, after: cursor, limit: limit)
    }

    /// Updates Live Activities, all in one transaction.
    ///
    /// - Parameter orders: the updates, at most 10,000.
    /// - Returns: the result of each update, in their order.
    /// - Throws: `StoreError`.
    public func change(_ orders: [ActivityUpdate]) async throws -> [ActivityUpdateOutcome] {
        try await self.store.change(orders, of: self.app, now: self.now(), noting: nil)
    }

    // MARK: Sending

    /// Sends a message to an audience, as a campaign that starts immediately.
    ///
    /// The campaign's ID follows from the run and the key, so a repeated attempt sends nothing twice.
    /// - Parameters:
    ///   - campaign: the message and its audience.
    ///   - key: distinguishes messages of one run.
    /// - Returns: the campaign.
    /// - Throws: `StoreError`.
    @discardableResult
    public func send(_ campaign: JobCampaign, key: String = "") async throws -> CampaignID {
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let id = CampaignID(self.run.derived(by: key, at: self.dueAt))
        if try await self.store.campaign(id) != nil { return id }
        do {
            let campaign = campaign.campaign(id, of: self.app, named: self.run.description, now: now)
            try await self.store.createCampaign(campaign, noting: nil)
        } catch let error as StoreError where error.code == .conflict {
            // Another attempt created it first.
            guard try await self.store.campaign(id) != nil else { throw error }
        }
        return id
    }
}
