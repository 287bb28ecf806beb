// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
public typealias PushStore = APIKeyStore & ActivityStore & ActivityTypeStore & AppStore & AudienceStore
    & BatchStore & CampaignStore & ChannelStore & CredentialStore & CredentialTroubleStore
    & DeliveryIdentityStore & DeliveryPauseStore & DeviceStore & EndpointEventStore & EventStore
    & IdempotencyStore & JobStore & PlatformStore & PublicationStore & QuarantineStore & RetentionStore
    & RolloutStore & SealedStore & StoreHealth & StoreSignals & StreamStore & SubscriptionStore
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
