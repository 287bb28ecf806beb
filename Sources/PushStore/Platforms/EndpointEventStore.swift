// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

/// The events of endpoints, for the topics that platform applications name for them.
///
/// The transaction that adds, changes or removes an endpoint, or that makes its token invalid, stores an event for each
/// application of the app and environment with an attribute for it. A settlement of a notification with an
/// ``EndpointPublication`` stores its ``EndpointFailure`` for the application of the publication only, without an event
/// about the token.
///
/// An event whose lease expired is claimed again, so it may be published twice. If ``StoredEndpointEvent/maximumCount``
/// events wait, further ones are counted only. A corrupt one is removed after ``StoredEndpointEvent/keptAside``.
public protocol EndpointEventStore: Sendable {
    /// Leases events, the oldest first.
    func claimEndpointEvents(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> EndpointEventClaim

    /// Removes an event that was published; does nothing when the worker lost its lease.
    func removeEndpointEvent(_ number: Int64, worker: WorkerID) async throws
}

public struct EndpointEventClaim: Hashable, Sendable {
    public var events: [StoredEndpointEvent] = []

    /// How many have not been stored since the last claim, since as many waited as may.
    public var dropped = 0

    /// The numbers of the corrupt events that this claim has quarantined.
    public var damaged: [Int64] = []

    public init() {}
}

public struct StoredEndpointEvent: Hashable, Sendable {
    /// How many events wait at most.
    public static let maximumCount = 100_000

    /// The time for which a corrupt event is kept.
    public static let keptAside: Duration = .seconds(30 * 24 * 3600)

    /// The worker of a quarantined event.
    package static let asideMark = "damaged"

    /// The type of the event; its name is that of the application's attribute with the topic.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case created = "EventEndpointCreated"
        case updated = "EventEndpointUpdated"
        case deleted = "EventEndpointDeleted"

        /// APNs reported its token as invalid, or a notification to this endpoint alone failed.
        case failed = "EventDeliveryFailure"
    }

    public var number: Int64

    /// The app of the application.
    public var app: AppID

    public var application: PlatformApplication.Name

    /// The endpoint, which may be gone.
    public var installation: DeviceID

    public var kind: Kind

    /// The ARN of the topic, as the application named it then.
    public var topic: String

    public var time: Date

    /// The failure of a notification to the endpoint alone.
    public var failure: EndpointFailure?
}

/// A notification to one endpoint, whose application receives an event if it fails.
public struct EndpointPublication: Hashable, Sendable {
    public var application: PlatformApplication.Name

    public var installation: DeviceID

    public init(application: PlatformApplication.Name, installation: DeviceID) {
        self.application = application
        self.installation = installation
    }
}

extension StoredEndpointEvent {
    package init(stored row: StoredRow) throws {
        guard let kind = Kind(rawValue: try row.string("kind")) else { throw StoreError.damaged("endpoint event") }
        self.init(
            number: try row.int64("number"),
            app: try row.identifier("app_id"),
            application: try PlatformApplication.Name(stored: row),
            installation: try row.identifier("installation"),
            kind: kind,
            topic: try row.string("topic"),
            time: try row.date("time"),
            failure: try EndpointFailure(stored: row)
        )
    }
}

/// That a notification that was published to one endpoint did not reach it, and never will.
public struct EndpointFailure: Hashable, Sendable {
    /// The kind of the failure; its name is the stored one.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Apple does not know the token, or no longer.
        case token

        /// Its time was over before it could be sent.
        case expired

        /// Anything else.
        case refused
    }

    public var notification: NotificationID
    public var kind: Kind

    /// The APNs reason, or the code of the failure.
    public var reason: String

    public init(notification: NotificationID, kind: Kind, reason: String) {
        self.notification = notification
        self.kind = kind
        self.reason = reason
    }

    /// The failure of a notification to one target; `nil` if it did not fail, or was cancelled.
    package init?(of notification: NotificationID, counts: OutcomeCounts) {
        guard counts.total == 1 else { return nil }
        if let reason = counts.rejected.keys.first {
            let step = reason.entry?.nextStep
            let concernsToken = reason == .deviceTokenNotForTopic || step == .pruneToken || step == .suspectToken
            self.init(notification: notification, kind: concernsToken ? .token : .refused, reason: reason.rawValue)
        } else if let code = counts.failed.keys.first, code != .cancelled {
            self.init(notification: notification, kind: code == .expired ? .expired : .refused, reason: code.rawValue)
        } else {
            return nil
        }
    }

    /// Reads the columns of the failure; `nil` if there is none.
    fileprivate init?(stored row: StoredRow) throws {
        guard let bytes = try row.bytes("notification") else { return nil }
        guard let id = APNsID(stored: bytes), let kind = Kind(rawValue: try row.string("failure")) else {
            throw StoreError.damaged("failure of an endpoint")
        }
        self.init(notification: NotificationID(id), kind: kind, reason: try row.string("reason"))
    }
}
