// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Everything that Apus keeps.
///
/// All stores behave alike; the tests in Tests/StoreTests say how. Rules that hold for every call:
/// - A call that changes something is one transaction: when it returns, the change is durable, and when it throws,
///   nothing of it is stored.
/// - Times come from the caller and are kept to the millisecond, rounded down.
/// - Asking for what does not exist, changing or removing it answers `nil`, an empty page or `false`; adding to what
///   does not exist throws ``StoreError`` `.notFound`. A call that returns what it changed returns the new state.
/// - A call under a lease that the worker does not hold any more throws `.leaseLost`: stop working on the item.
/// - A `limit` is 1...1000, and a `leaseDuration` more than zero, unless the call says otherwise.
/// - Claims are atomic: no two workers hold the same item, nor one worker twice, unless its lease expired. A claim that
///   finds nothing writes nothing.
/// - Failures of the store are ``StoreError``; a cancelled task gets `CancellationError` from a read, whereas a
///   change that has begun is completed.
public typealias PushStore = APIKeyStore & ActivityStore & ActivityTypeStore & AppStore & AudienceStore
    & BatchStore & CampaignStore & ChannelStore & CredentialStore & CredentialTroubleStore
    & DeliveryIdentityStore & DeliveryPauseStore & DeviceStore & EndpointEventStore & EventStore
    & IdempotencyStore & JobStore & PlatformStore & PublicationStore & QuarantineStore & RetentionStore
    & RolloutStore & SealedStore & StoreHealth & StoreSignals & StreamStore & SubscriptionStore
    & TopicDeliveryStore & TopicStore & WebhookStore & WorkerLiveness

public protocol StoreHealth: Sendable {
    /// Writes a little and waits until that is durable, as every change does; what is stored stays as it is.
    ///
    /// Not free, since it waits for the disk: for questions that come about once a second.
    /// - Throws: ``StoreError`` that a change would meet now: `.unavailable`, `.locked`, `.readOnly`, `.full`,
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

    /// What to pass as `after` for the next part; `nil` when this is the last one.
    public let next: Cursor?

    public init(elements: [Element], next: Cursor?) {
        self.elements = elements
        self.next = next
    }

    /// Cuts a page from elements of which one more was asked for than the page may hold.
    public init(overfull: [Element], limit: Int, cursor: (Element) -> Cursor) {
        let elements = Array(overfull.prefix(limit))
        self.init(elements: elements, next: overfull.count > limit ? elements.last.map(cursor) : nil)
    }
}

extension Page: Equatable where Element: Equatable {}

package enum PageLimit {
    package static func clamp(_ limit: Int) -> Int { min(max(1, limit), 1000) }
}
