// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Crypto
public import Foundation

/// A subscription: a device, a user or a URL receives the publications of a topic.
public struct Subscription: Hashable, Sendable {
    /// How long a subscription waits for its confirmation before it is removed.
    public static let pendingLifetime: Duration = .seconds(2 * 24 * 3600)

    /// How far a subscription has come.
    public enum State: Hashable, Sendable {
        /// It waits for its confirmation, and gets nothing but the request for that.
        ///
        /// Can transition to: `confirmed`.
        case pending

        /// The subscriber receives publications. Devices and users are confirmed from the beginning.
        ///
        /// `isAuthenticated` is whether the caller that confirmed it had a key.
        case confirmed(isAuthenticated: Bool)
    }

    /// The attribute with the platform application with which a device was subscribed, as `platform/name`.
    ///
    /// No SNS attribute has this name.
    public static let applicationAttribute = "apus.application"

    public let id: SubscriptionID
    public let topic: TopicName
    public let subscriber: Subscriber

    /// Which messages are wanted; `nil` wants all.
    public var filter: SubscriptionFilter?

    /// Other attributes, such as `RawMessageDelivery` and `DeliveryPolicy`, by the names of the caller that sets them.
    public var attributes: [String: String]

    public var state: State

    /// The SHA-256 of the confirmation token, which stays after its use; `nil` if no confirmation is needed.
    public var confirmation: [UInt8]?

    /// User and password of a URL, percent-encoded and sealed by `MasterKey.seal(user:for:)`; `nil` if it has none.
    ///
    /// URLs that an older version subscribed have them in the URL instead.
    public let sealedUser: [UInt8]?

    /// When it was made; kept to the millisecond.
    public package(set) var createdAt: Date

    public init(
        id: SubscriptionID,
        topic: TopicName,
        subscriber: Subscriber,
        filter: SubscriptionFilter? = nil,
        attributes: [String: String] = [:],
        state: State = .confirmed(isAuthenticated: true),
        confirmation: [UInt8]? = nil,
        sealedUser: [UInt8]? = nil,
        createdAt: Date
    ) {
        self.id = id
        self.topic = topic
        self.subscriber = subscriber
        self.filter = filter
        self.attributes = attributes
        self.state = state
        self.confirmation = confirmation
        self.sealedUser = sealedUser
        self.createdAt = createdAt
    }

    /// Whether the subscriber receives publications.
    public var isConfirmed: Bool { self.state != .pending }
}

/// Names a subscription: it cannot be guessed, since 74 of its bits are random.
///
/// Subscriptions sort by the time at which they were made.
public struct SubscriptionID: TimeOrderedIdentifier {
    public let value: APNsID

    public init(_ value: APNsID) {
        self.value = value
    }
}

/// Who is subscribed to a topic, once at most.
public enum Subscriber: Hashable, Sendable {
    /// A device; its subscriptions go when it is removed, except those of an endpoint that a caller of the SNS endpoint
    /// deletes.
    case device(AppID, DeviceID)

    /// A user: all devices of the app with this user at the time of a publication.
    case user(AppID, UserID)

    /// A URL of the scheme `http` or `https` that is posted to, at most 2048 bytes; it belongs to no app.
    case url(String)

    public var app: AppID? {
        switch self {
        case .device(let app, _), .user(let app, _): app
        case .url: nil
        }
    }
}

extension Subscriber: CustomStringConvertible {
    /// A description without the path and the query of a URL, which may be secret.
    public var description: String {
        switch self {
        case .device(let app, let installation): "device '\(installation)' of app '\(app)'"
        case .user(let app, let user): "user '\(user)' of app '\(app)'"
        case .url(let text): "a URL of \(text.utf8.count) bytes"
        }
    }
}

/// The filter policy of a subscription in JSON: which messages it receives.
///
/// A topic stores each distinct policy once, regardless of the number of its subscriptions, and evaluates it once for
/// each publication.
public struct SubscriptionFilter: Hashable, Sendable {
    /// The part of a message that the policy matches.
    public enum Scope: String, Hashable, Sendable, CaseIterable {
        case messageAttributes = "MessageAttributes"

        /// The message itself, which has to be a JSON object.
        case messageBody = "MessageBody"
    }

    /// The JSON of the policy, stored byte for byte; the creator of the filter has validated it.
    public let policy: String

    public let scope: Scope

    public init(policy: String, scope: Scope = .messageAttributes) {
        self.policy = policy
        self.scope = scope
    }
}

extension SubscriptionFilter {
    /// The SHA-256 of scope and policy, which identifies an existing policy of a topic.
    public var digest: [UInt8] {
        var hash = SHA256()
        hash.update(data: Array("\(self.scope.rawValue)\n".utf8))
        hash.update(data: Array(self.policy.utf8))
        return Array(hash.finalize())
    }
}

/// How many subscriptions a topic has.
public struct SubscriptionCounts: Hashable, Sendable {
    public var confirmed: Int
    public var pending: Int

    /// How many were removed one by one since the topic was made.
    public var deleted: Int

    public init(confirmed: Int = 0, pending: Int = 0, deleted: Int = 0) {
        self.confirmed = confirmed
        self.pending = pending
        self.deleted = deleted
    }
}
