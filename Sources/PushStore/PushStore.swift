// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

/// The store of Apus.
///
/// All stores have the same behavior, which the tests in Tests/StoreTests specify. Rules for every call:
/// - A call that changes something is one transaction: when it returns, the change is durable; when it throws, nothing
///   is stored.
/// - Times come from the caller and are kept to the millisecond, rounded down.
/// - Reading, changing or removing something that does not exist returns `nil`, an empty page or `false`; adding to
///   something that does not exist throws ``StoreError`` `.notFound`. A call that returns the changed value returns the
///   new state.
/// - A call under a lease that the worker has lost throws `.leaseLost`: stop processing the item.
/// - A `limit` is 1...1000, and a `leaseDuration` more than zero, unless the call says otherwise.
/// - Claims are atomic: no two workers have the same item, nor one worker twice, unless its lease expired. A claim that
///   finds nothing writes nothing.
/// - Failures of the store are ``StoreError``; a cancelled task gets `CancellationError` from a read, but a change that
///   has begun is completed.
public typealias PushStore = APIKeyStore & ActivityStore & ActivityTypeStore & AppStore & AudienceStore & AuditStore
    & BatchStore & CampaignStore & ChannelStore & CredentialStore & CredentialFailureStore
    & DataKeyStore & SigningIdentityStore & OpenCircuitStore & DeviceStore & EndpointEventStore & EventStore
    & IdempotencyStore & JobStore & PlatformStore & PublicationStore & QuarantineStore & RetentionStore
    & RolloutStore & SealedStore & StoreHealth & StoreChangeSource & StreamStore & SubscriptionStore
    & TopicDeliveryStore & TopicStore & WebhookStore & WorkerLiveness

public protocol StoreHealth: Sendable {
    /// Writes a little and waits until it is durable, like every change, without changing stored values.
    ///
    /// It waits for the disk, so call it at most about once a second.
    /// - Throws: the ``StoreError`` that a change would get now: `.unavailable`, `.locked`, `.readOnly`, `.full`,
    ///   `.corrupt`.
    func checkWritable() async throws
}

/// A part of a list, from a cursor or its first element; stores clamp its limit to 1...1000.
public struct Page<Element: Sendable, Cursor: Sendable & Hashable>: Sendable {
    /// The elements, in the list's order.
    ///
    /// A page before the last one has fewer than the limit only if rows are corrupt or
    /// the list has a filter.
    public let elements: [Element]

    /// The value of `after` for the next page; `nil` on the last page.
    public let next: Cursor?

    public init(elements: [Element], next: Cursor?) {
        self.elements = elements
        self.next = next
    }

    /// Creates a page from elements, of which one more than the limit was requested.
    public init(overfull: [Element], limit: Int, cursor: (Element) -> Cursor) {
        let elements = Array(overfull.prefix(limit))
        self.init(elements: elements, next: overfull.count > limit ? elements.last.map(cursor) : nil)
    }
}

extension Page: Equatable where Element: Equatable {}

package enum PageLimit {
    package static func clamp(_ limit: Int) -> Int { min(max(1, limit), 1000) }
}

public protocol AppStore: Sendable {
    /// Adds an app; throws ``StoreError`` `.conflict` when there is an app of that id.
    func createApp(_ app: App) async throws

    func app(_ id: AppID) async throws -> App?

    func apps(after cursor: AppID?, limit: Int) async throws -> Page<App, AppID>

    /// Replaces the settings of an app, which are all but its ID and its creation; returns whether it exists.
    @discardableResult
    func updateApp(_ app: App) async throws -> Bool

    /// Removes an app with its credentials, devices, notifications and the keys that are bound to it.
    @discardableResult
    func deleteApp(_ id: AppID) async throws -> Bool
}

extension App {
    package init(stored row: StoredRow) throws {
        self.init(
            id: try row.identifier("id"),
            name: try row.string("name"),
            defaultEnvironment: APNsEnvironment(stored: try row.number("default_environment")),
            createdAt: try row.date("created_at")
        )
        let isRequired = try row.number("installation_secrets") != 0
        self.installationSecrets = InstallationSecretPolicy(
            mode: isRequired ? .required : .optional,
            bindsUntil: try row.clampedDate("installations_bind_until")
        )
        self.activityJoins = try row.number("activity_joins") != 0 ? .named : .any
        self.attestation.mode =
            switch try row.number("attestation") {
            case 0: .off
            case 1: .report
            // A mode of a newer version must not admit more.
            default: .required
            }
        self.attestation.teamID = try row.text("team_id")
    }
}

/// The quarantined items of work.
///
/// Three consecutive claims of an item ended without settlement or release (the worker was terminated, or the lease of
/// a batch expired), or its row cannot be decoded. The store only keeps workers from claiming these items. The caller
/// pauses, resumes or cancels the campaign or webhook, and stops the rollout.
public protocol QuarantineStore: Sendable {
    func quarantinedItems(
        of app: AppID?,
        kind: WorkKind?,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<QuarantinedItem, Int64>

    /// Returns the first items that ``markReported(_:now:)`` has not marked, the earliest first.
    func unreportedItems(limit: Int) async throws -> [QuarantinedItem]

    /// Marks an item as reported; returns `false` if it was marked before.
    func markReported(_ number: Int64, now: Date) async throws -> Bool

    func quarantinedItem(_ number: Int64) async throws -> QuarantinedItem?

    /// Lets workers claim an item again with zero interruptions; signals subscribers of all kinds.
    @discardableResult
    func repeatQuarantinedItem(_ number: Int64, now: Date) async throws -> QuarantinedItem?

    /// Removes the entry, and the item itself if nothing else refers to it: a topic delivery or an endpoint event.
    @discardableResult
    func removeQuarantinedItem(_ number: Int64, now: Date) async throws -> QuarantinedItem?
}

/// The stored responses to requests; the transaction of a request stores its response, so that the request is not
/// repeated.
public protocol IdempotencyStore: Sendable {
    /// Returns the stored response for a caller's key; `nil` if there is none, or it was pruned.
    func idempotencyRecord(_ slot: ScopedIdempotencyKey) async throws -> IdempotencyRecord?

    /// Replaces the answer of a record; does nothing when there is none.
    func setAnswer(_ answer: IdempotencyRecord.Answer, for slot: ScopedIdempotencyKey) async throws

    /// Removes old records; returns their number, which is less than `limit` when none are left.
    @discardableResult
    func removeIdempotencyRecords(before time: Date, limit: Int) async throws -> Int
}

extension IdempotencyRecord {
    package init(stored row: StoredRow, slot: ScopedIdempotencyKey) throws {
        self.init(
            slot: slot,
            requestHash: try row.blob("request_hash"),
            notification: NotificationID(try row.apnsID("notification", of: "response to a request")),
            answer: Answer(
                status: try row.number("status", in: 0...999),
                location: try row.text("location"),
                body: try row.openedBlob("body")
            ),
            createdAt: try row.date("created_at")
        )
    }
}
