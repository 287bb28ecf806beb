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

/// Does for the app of a job what callers of the API do.
public struct JobClient: Sendable {
    typealias Store = ActivityStore & ActivityTypeStore & CampaignStore

    /// How many activities are changed in one transaction.
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

    /// Changes the Live Activities that fit a query, some hundreds in each transaction.
    ///
    /// Those whose content state would stay as it is are passed over: an attempt that was interrupted is repeated without
    /// changing anything twice. Those that cannot be changed are passed over as well; where their type is registered and
    /// that cannot be read, so are all whose content state would change, and the log names the type.
    /// - Parameter query: which ones, and how; spans of time are about now.
    /// - Returns: how many were changed.
    /// - Throws: `StoreError`, `CancellationError`; what was changed before stays changed.
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
                .map { ActivityOrder(activity: $0.id, change: change) }
            let results = orders.isEmpty ? [] : try await self.change(orders)
            count += results.count { if case .changed = $0 { true } else { false } }
            cursor = page.next
        } while cursor != nil
        return count
    }

    /// A registered type; `nil` also for one that cannot be read: the store refuses changes of content states then.
    private func type(_ name: AttributesType) async throws -> ActivityType? {
        do {
            return try await self.store.activityType(name, of: self.app)
        } catch let error as StoreError where error.code == .corrupt {
            self.logger.error(
                "A registered type of activities cannot be read, so no content state of its activities is changed",
                metadata: ["activity.type": "\(name)"]
            )
            return nil
        }
    }

    /// A page of the app's Live Activities in the order in which they were made.
    ///
    /// - Parameters:
    ///   - filter: which ones.
    ///   - cursor: `next` of the page before; `nil` begins at the first.
    ///   - limit: the most activities, 1...1000.
    /// - Returns: the page.
    /// - Throws: `StoreError`.
    public func activities(
        matching filter: ActivityFilter,
        after cursor: Int64? = nil,
        limit: Int = 100
    ) async throws -> Page<Activity, Int64> {
        try await self.store.activities(of: self.app, matching: filter, after: cursor, limit: limit)
    }

    /// Changes Live Activities, all in one transaction.
    ///
    /// - Parameter orders: what is to change, at most 10,000.
    /// - Returns: what became of each, in their order.
    /// - Throws: `StoreError`.
    public func change(_ orders: [ActivityOrder]) async throws -> [ActivityResult] {
        try await self.store.change(orders, of: self.app, now: self.now(), noting: nil)
    }

    // MARK: Sending

    /// Sends a message to an audience, as a campaign that begins at once.
    ///
    /// The campaign's id follows from the run and the key, so that an attempt that is repeated sends nothing twice.
    /// - Parameters:
    ///   - campaign: what is sent, and to whom.
    ///   - key: tells messages of one run apart.
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
            // Another attempt was faster.
            guard try await self.store.campaign(id) != nil else { throw error }
        }
        return id
    }
}
