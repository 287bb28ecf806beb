// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A Live Activity that any number of phones show.
///
/// It is named by the caller. What never changes about it is here; what phones show is its ``ActivityLifecycle``.
public struct Activity: Hashable, Sendable {
    /// Names the activity within its app.
    public let id: ActivityID

    /// The app that shows it.
    public let app: AppID

    /// The name of the app's `ActivityAttributes` type.
    public let attributesType: AttributesType

    /// What never changes; `nil` when the app started it and did not tell.
    public let attributes: JSONFragment?

    /// What phones show and sound when a push starts it; `nil` for one that only apps start.
    public let startAlert: LiveActivityAlert?

    /// The channel on which its changes are broadcast; `nil` for one whose phones are sent a push each.
    public let channel: ActivityChannel?

    /// Named instants of its data, to which transitions may be relative.
    public var instants: [InstantName: Date]

    /// What phones show, and whether they still do.
    public var lifecycle: ActivityLifecycle

    /// When it was registered or started; kept to the millisecond.
    public let createdAt: Date

    /// Restores an activity from its parts.
    ///
    /// - Parameters:
    ///   - id: its name within the app.
    ///   - app: the app that shows it.
    ///   - attributesType: the name of the app's type.
    ///   - attributes: what never changes, or `nil`.
    ///   - startAlert: what phones show and sound when a push starts it, or `nil`.
    ///   - instants: named instants of its data.
    ///   - lifecycle: what phones show, and whether they still do.
    ///   - createdAt: when it was registered or started.
    ///   - channel: the channel on which its changes are broadcast, or `nil`.
    public init(
        id: ActivityID,
        app: AppID,
        attributesType: AttributesType,
        attributes: JSONFragment?,
        startAlert: LiveActivityAlert?,
        instants: [InstantName: Date],
        lifecycle: ActivityLifecycle,
        createdAt: Date,
        channel: ActivityChannel? = nil
    ) {
        self.id = id
        self.app = app
        self.attributesType = attributesType
        self.attributes = attributes
        self.startAlert = startAlert
        self.instants = instants
        self.lifecycle = lifecycle
        self.createdAt = createdAt
        self.channel = channel
    }

    /// Makes an activity that no phone shows so far.
    ///
    /// - Parameters:
    ///   - id: its name within the app.
    ///   - app: the app that shows it.
    ///   - attributesType: the name of the app's type.
    ///   - attributes: what never changes; needed to start it by a push.
    ///   - contentState: what it begins with; needed to start it by a push, and to change it by a patch.
    ///   - startAlert: what phones show and sound when a push starts it; needed for that.
    ///   - staleDate: when what it begins with counts as out of date.
    ///   - relevanceScore: which of the app's activities is shown first: the highest.
    ///   - priority: how eagerly a push that starts it is delivered.
    ///   - instants: named instants of its data.
    ///   - channel: the channel on which its changes are broadcast, or `nil`.
    ///   - now: when it is made.
    /// - Throws: ``ActivityRefusal`` `tooLarge`, `tooMany` or `notFinite`.
    public init(
        id: ActivityID,
        app: AppID,
        attributesType: AttributesType,
        attributes: JSONFragment? = nil,
        contentState: JSONFragment? = nil,
        startAlert: LiveActivityAlert? = nil,
        staleDate: Date? = nil,
        relevanceScore: Double? = nil,
        priority: Priority = .immediate,
        instants: [InstantName: Date] = [:],
        channel: ActivityChannel? = nil,
        now: Date
    ) throws(ActivityRefusal) {
        guard instants.count <= ActivityLimit.instants else {
            throw .tooMany("named instants", limit: ActivityLimit.instants)
        }
        guard relevanceScore?.isFinite ?? true else { throw .notFinite }
        self.init(
            id: id,
            app: app,
            attributesType: attributesType,
            attributes: attributes,
            startAlert: startAlert,
            instants: instants,
            lifecycle: ActivityLifecycle(
                timestamp: now.secondsSince1970,
                contentState: contentState,
                staleDate: staleDate?.secondsSince1970,
                relevanceScore: relevanceScore,
                priority: priority
            ),
            createdAt: now,
            channel: channel
        )
        if channel != nil { self.lifecycle.bind(now: now) }
        try self.lifecycle.checkSize(fixedBytes: self.fixedBytes)
        for input in [LiveActivityInput.token] + (channel.map { [.channel($0.id.rawValue)] } ?? []) {
            guard let start = self.startPayload(input) else { return }
            guard start.size <= ActivityLimit.bytes else { throw .tooLarge(bytes: start.size) }
        }
    }

    /// How many bytes of what Apple limits never change.
    public var fixedBytes: Int { self.attributes?.bytes.count ?? 0 }

    /// The push that starts the activity on a phone, with what is the newest content now; it asks the phone for an update
    /// token.
    ///
    /// `nil` when the activity cannot be started by a push, or is over.
    public var startPayload: APNsPayload? { self.startPayload(.token) }

    /// The push that starts the activity on a phone, which is to get its updates in the given way; see ``startPayload``.
    public func startPayload(_ input: LiveActivityInput) -> APNsPayload? {
        guard let attributes, let startAlert, let state = self.lifecycle.contentState, !self.lifecycle.state.isOver
        else {
            return nil
        }
        let start = LiveActivityStart(
            timestamp: self.lifecycle.timestamp,
            attributesType: self.attributesType.rawValue,
            attributes: attributes,
            contentState: state,
            alert: startAlert,
            staleDate: self.lifecycle.staleDate,
            relevanceScore: self.lifecycle.relevanceScore,
            input: input
        )
        return try? APNsPayload(liveActivity: .start(start))
    }

    /// How a phone on which a push starts the activity is to get its updates.
    ///
    /// - Parameters:
    ///   - token: the token with which it is started.
    ///   - hasChannel: whether APNs has the activity's channel still, as far as is known.
    /// - Returns: how; `nil` when it cannot.
    public func input(for token: PushToStartToken, hasChannel: Bool = true) -> LiveActivityInput? {
        guard let channel else { return .token }
        let canSubscribe = hasChannel && token.environment == channel.environment
        let subscription = canSubscribe ? LiveActivityInput.channel(channel.id.rawValue) : nil
        switch channel.delivery {
        case .devices: return .token
        case .channel: return subscription
        // A phone that does not know channels would not start it at all.
        case .automatic: return (token.supportsChannels ? subscription : nil) ?? .token
        }
    }

    /// Its named instants after a change.
    ///
    /// - Throws: ``ActivityRefusal`` `tooMany`.
    public func instants(after change: ActivityChange) throws(ActivityRefusal) -> [InstantName: Date] {
        var instants = self.instants
        for (name, date) in change.instants { instants[name] = date }
        guard instants.count <= ActivityLimit.instants else {
            throw .tooMany("named instants", limit: ActivityLimit.instants)
        }
        return instants
    }
}
