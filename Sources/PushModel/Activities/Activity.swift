// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// A Live Activity that any number of phones show.
///
/// It is named by the caller. What never changes about it is here; what phones show is its ``ActivityLifecycle``.
public struct Activity: Hashable, Sendable {
    public let id: ActivityID
    public let app: AppID
    public let attributesType: AttributesType

    /// What never changes; `nil` when the app started it and did not tell.
    public let attributes: JSONFragment?

    /// What phones show and sound when a push starts it; `nil` for one that only apps start.
    public let startAlert: LiveActivityAlert?

    /// The channel on which its changes are broadcast; `nil` for one whose phones are sent a push each.
    public let channel: ActivityChannel?

    /// Named instants of its data, to which transitions may be relative.
    public var instants: [InstantName: Date]

    public var lifecycle: ActivityLifecycle
    public let createdAt: Date

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
    /// A push can start it only if it has attributes, a content state and a start alert. A patch needs a content state.
    ///
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

    /// How a phone on which a push starts the activity is to get its updates; `nil` when it cannot.
    ///
    /// `hasChannel` says whether APNs still has the activity's channel, as far as is known.
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
}
