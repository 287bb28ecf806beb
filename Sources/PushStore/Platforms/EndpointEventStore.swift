// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What became of endpoints, for the topics that platform applications name for it.
///
/// Each event is stored in the transaction of what it tells of, once for every application of the app and the environment that
/// has an attribute for it: `addEndpoint` stores that an endpoint was made, `changeEndpoint` that it was changed, and that of
/// which it took the token removed, `removeEndpoint` that it was removed, and `settle` that Apple called its token invalid. Of a
/// notification with an ``EndpointPublication`` whatever settles it stores its ``EndpointFailure``, for the application of the
/// publication alone, which is then not told that the token is invalid as well.
///
/// An event is published by whoever claims it, and removed then; a lease that lapses is claimed by others, so that an event may
/// be published twice. When ``StoredEndpointEvent/maximumCount`` wait, further ones are counted and not stored. One that cannot be
/// read is set aside, and removed after ``StoredEndpointEvent/keptAside``.
public protocol EndpointEventStore: Sendable {
    /// Leases events, the oldest first.
    ///
    /// - Parameters:
    ///   - limit: the most events, 1...1000.
    ///   - worker: who asks.
    ///   - leaseDuration: how long the leases hold; more than zero.
    ///   - now: the time of the claim.
    /// - Returns: the events, and what is to be told of others.
    /// - Throws: ``StoreError``.
    func claimEndpointEvents(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> EndpointEventClaim

    /// Removes an event that was published; does nothing when the worker lost its lease.
    ///
    /// - Throws: ``StoreError``.
    func removeEndpointEvent(_ number: Int64, worker: WorkerID) async throws
}

/// What a claim of events came to.
public struct EndpointEventClaim: Hashable, Sendable {
    /// The events that are leased.
    public var events: [StoredEndpointEvent] = []

    /// How many have not been stored since the last claim, since as many waited as may.
    public var dropped = 0

    /// The numbers of those that this claim has set aside, since they cannot be read.
    public var damaged: [Int64] = []

    /// A claim that found nothing.
    public init() {}
}

/// Something that became of an endpoint.
public struct StoredEndpointEvent: Hashable, Sendable {
    /// How many events wait at most.
    public static let maximumCount = 100_000

    /// For how long one that cannot be read is kept, for whoever looks what is wrong with it.
    public static let keptAside: Duration = .seconds(30 * 24 * 3600)

    /// The worker of one that was set aside.
    package static let asideMark = "damaged"

    /// What became of it; the name is that of the application's attribute that names the topic.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// It was made.
        case created = "EventEndpointCreated"

        /// Its attributes were set.
        case updated = "EventEndpointUpdated"

        /// It was removed.
        case deleted = "EventEndpointDeleted"

        /// Apple called its token invalid when something was sent, or what was published to it alone has failed.
        case failed = "EventDeliveryFailure"
    }

    /// Its number, given by the store.
    public var number: Int64

    /// The application that asked for it.
    public var application: PlatformApplication.Name

    /// The endpoint, which may be gone.
    public var installation: InstallationID

    /// What became of it.
    public var kind: Kind

    /// The ARN of the topic, as the application named it then.
    public var topic: String

    /// When it happened.
    public var time: Date

    /// What has failed, when it was published to the endpoint alone.
    public var failure: EndpointFailure?

    /// Takes what is known of it.
    public init(
        number: Int64,
        application: PlatformApplication.Name,
        installation: InstallationID,
        kind: Kind,
        topic: String,
        time: Date,
        failure: EndpointFailure? = nil
    ) {
        self.number = number
        self.application = application
        self.installation = installation
        self.kind = kind
        self.topic = topic
        self.time = time
        self.failure = failure
    }
}
