// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// A Live Activity that any number of devices show.
///
/// The caller names it. This type has its constant values; its ``ActivityLifecycle`` has the content on devices.
public struct Activity: Hashable, Sendable {
    public let id: ActivityID
    public let app: AppID
    public let attributesType: AttributesType

    /// The attributes, which never change; `nil` if the app started it and did not report them.
    public let attributes: RawJSONObject?

    /// The alert of a start push; `nil` for an activity that only apps start.
    public let startAlert: LiveActivityAlert?

    /// The channel of its broadcasts; `nil` if each device is sent a push.
    public let channel: ActivityChannel?

    /// Named instants of its data, to which transitions may be relative.
    public var instants: [InstantName: Date]

    public var lifecycle: ActivityLifecycle
    public let createdAt: Date

    public init(
        id: ActivityID,
        app: AppID,
        attributesType: AttributesType,
        attributes: RawJSONObject?,
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

    /// Creates an activity that no device shows yet.
    ///
    /// A push can start it only if it has attributes, a content state and a start alert. A patch needs a content state.
    ///
    /// - Throws: ``ActivityError`` `tooLarge`, `tooMany` or `notFinite`.
    public init(
        id: ActivityID,
        app: AppID,
        attributesType: AttributesType,
        attributes: RawJSONObject? = nil,
        contentState: RawJSONObject? = nil,
        startAlert: LiveActivityAlert? = nil,
        staleDate: Date? = nil,
        relevanceScore: Double? = nil,
        priority: Priority = .immediate,
        instants: [InstantName: Date] = [:],
        channel: ActivityChannel? = nil,
        now: Date
    ) throws(ActivityError) {
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

    /// The number of bytes, within Apple's limit, that never change.
    public var fixedBytes: Int { self.attributes?.bytes.count ?? 0 }

    /// The push that starts the activity on a device with the latest content, and requests an update token.
    ///
    /// `nil` if a push cannot start the activity, or it has ended.
    public var startPayload: APNsPayload? { self.startPayload(.token) }

    /// The push that starts the activity on a device, with this way of receiving updates; see ``startPayload``.
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

    /// How a device on which a push starts the activity receives its updates; `nil` if it cannot.
    ///
    /// `hasChannel` is whether APNs still has the activity's channel, as far as is known.
    public func input(for token: PushToStartToken, hasChannel: Bool = true) -> LiveActivityInput? {
        guard let channel else { return .token }
        let canSubscribe = hasChannel && token.environment == channel.environment
        let subscription = canSubscribe ? LiveActivityInput.channel(channel.id.rawValue) : nil
        switch channel.delivery {
        case .devices: return .token
        case .channel: return subscription
        // A device without support for channels would not start it.
        case .automatic: return (token.supportsChannels ? subscription : nil) ?? .token
        }
    }
}
