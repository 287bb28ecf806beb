// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// A device, or the broadcast channel, that an activity is sent to.
public struct ActivityParticipant: Hashable, Sendable {
    /// The state of the activity on the device.
    public enum State: Hashable, Sendable {
        /// The device was sent the start push; its app has not registered an update token.
        ///
        /// Can transition to: `active` when the app registers the token; `ended` when APNs rejects the start, or the
        /// app reports the end.
        case starting

        /// The device is sent updates.
        ///
        /// Can transition to: `ended` when APNs reports the token as unregistered, the app reports the end, or 8 hours
        /// have passed.
        case active

        /// The device is sent nothing: an APNs reason, `expired`, or the report of the app
        /// (``ActivityEndReport/Reason``).
        ///
        /// Can transition to: `active` when the app registers another token, `starting` when it is sent another start.
        case ended(reason: String)
    }

    /// Who started the activity on the device.
    public enum Origin: String, Hashable, Sendable, Codable, CaseIterable {
        case app
        case push

        /// The participant is the broadcast channel of the activity, not a device.
        case channel
    }

    /// The device ID of a channel: a string that no device can have.
    public static let channelInstallation = DeviceID(unchecked: "\u{1}channel")

    public let installation: DeviceID
    public internal(set) var environment: APNsEnvironment

    /// The update token; `nil` until the app registers it.
    public internal(set) var token: DeviceToken?

    /// When the app received the token; later reports about an earlier token are ignored.
    public internal(set) var tokenIssuedAt: Date?

    public internal(set) var state: State
    public internal(set) var origin: Origin

    /// Whether the user allows frequent updates; `nil` until the app reports it.
    public internal(set) var frequentUpdates: Bool?

    /// The version that the device shows, or was sent last; 0 if unknown.
    public var lastSentVersion: Int

    /// The version that the device shows if the last push is not delivered; 0 if unknown.
    ///
    /// It is more than one version older if one push contained several changes.
    public var formerVersion: Int

    public var recent: HourlyPushCounter

    /// When it became a participant, to the millisecond.
    public let joinedAt: Date

    /// Since when the device shows the activity; `nil` if unknown.
    public internal(set) var startedAt: Date?

    /// Restores a participant.
    ///
    /// `nil` for `formerVersion` means the version before `lastSentVersion`.
    public init(
        installation: DeviceID,
        environment: APNsEnvironment,
        token: DeviceToken?,
        tokenIssuedAt: Date? = nil,
        state: State,
        origin: Origin,
        frequentUpdates: Bool? = nil,
        lastSentVersion: Int,
        formerVersion: Int? = nil,
        recent: HourlyPushCounter = HourlyPushCounter(),
        joinedAt: Date,
        startedAt: Date? = nil
    ) {
        self.installation = installation
        self.environment = environment
        self.token = token
        self.tokenIssuedAt = tokenIssuedAt
        self.state = state
        self.origin = origin
        self.frequentUpdates = frequentUpdates
        self.lastSentVersion = lastSentVersion
        self.formerVersion = formerVersion ?? Self.version(before: lastSentVersion)
        self.recent = recent
        self.joinedAt = joinedAt
        self.startedAt = startedAt
    }

    /// Creates a participant for a device whose app started the activity, or that reported it first.
    public init(_ upload: UpdateTokenRegistration, joining lifecycle: ActivityLifecycle, now: Date) {
        self.init(
            installation: upload.installation,
            environment: upload.environment,
            token: upload.token,
            tokenIssuedAt: upload.issued(now: now),
            state: .active,
            origin: .app,
            frequentUpdates: upload.frequentUpdates,
            lastSentVersion: upload.showsInitialContent ? Self.version(joining: lifecycle) : 0,
            joinedAt: now,
            startedAt: now
        )
    }

    private static func version(before version: Int) -> Int { max(1, version) - 1 }

    /// Returns the version that counts as sent to a device whose app started the activity.
    ///
    /// The device shows the initial content. It is sent the latest state without earlier alerts.
    private static func version(joining lifecycle: ActivityLifecycle) -> Int {
        lifecycle.state.isOver ? 0 : max(2, lifecycle.version) - 1
    }

    /// Creates a participant for a device that is sent the start push.
    public init(starting token: PushToStartToken, version: Int, now: Date) {
        self.init(
            installation: token.installation,
            environment: token.environment,
            token: nil,
            state: .starting,
            origin: .push,
            lastSentVersion: version,
            joinedAt: now
        )
    }

    /// Creates a participant for the broadcast channel: APNs sends one push to all subscribed devices.
    public init(_ channel: ActivityChannel, version: Int, now: Date) {
        self.init(
            installation: Self.channelInstallation,
            environment: channel.environment,
            token: channel.target.token,
            state: .active,
            origin: .channel,
            lastSentVersion: version,
            joinedAt: now
        )
    }

    /// Where its updates go; `nil` while it is sent none.
    public var target: Target? {
        guard self.state == .active, let token else { return nil }
        return Target(token: token, environment: self.environment)
    }

    /// When the system ends the activity on this device; `nil` if the device does not show it.
    public var expiresAt: Date? {
        self.startedAt.map { $0.addingTimeInterval(Double(ActivityLimit.runningSeconds)) }
    }
}

// MARK: - Events

extension ActivityParticipant {
    /// The result of receiving an update token.
    public enum Arrival: Hashable, Sendable {
        /// It is the first one, or the first after the one before died.
        case arrived

        /// It replaces another token, which is no longer valid.
        case rotated

        /// It was known, or is older than the one that is. Nothing changed but, perhaps, `frequentUpdates`.
        case known
    }

    /// Records the update token from the app.
    public mutating func receive(
        _ upload: UpdateTokenRegistration,
        joining lifecycle: ActivityLifecycle,
        now: Date
    ) -> Arrival {
        let issued = upload.issued(now: now)
        if let known = self.tokenIssuedAt, issued < known { return .known }
        if let frequent = upload.frequentUpdates { self.frequentUpdates = frequent }
        let isSame = self.token == upload.token && self.environment == upload.environment
        guard !isSame || self.token == nil else {
            // A token that APNs reported as unregistered does not become valid by another report.
            self.tokenIssuedAt = issued
            return .known
        }
        let isRunning = self.target != nil
        if case .ended = self.state {
            // The app has started the activity again, and shows the initial content.
            self.lastSentVersion = min(self.lastSentVersion, Self.version(joining: lifecycle))
            self.formerVersion = min(self.formerVersion, self.lastSentVersion)
        }
        self.token = upload.token
        self.environment = upload.environment
        self.tokenIssuedAt = issued
        self.state = .active
        if !isRunning || self.startedAt == nil { self.startedAt = now }
        return isRunning ? .rotated : .arrived
    }

    /// Sends another start push to the device: an earlier one failed, or the activity ended there.
    public mutating func start(with start: PushToStartToken, version: Int) {
        self.environment = start.environment
        self.state = .starting
        self.origin = .push
        self.lastSentVersion = version
        self.formerVersion = Self.version(before: version)
        self.startedAt = nil
    }

    /// Records that the last push was not delivered: the device shows the former version, as far as is known.
    public mutating func miss() { self.lastSentVersion = self.formerVersion }

    /// Records that APNs reported a token of the device as unregistered or invalid.
    ///
    /// - Returns: whether the activity ended on the device; not if its app registered another token or environment
    ///   since, or if it was sent another start.
    public mutating func lose(_ target: Target, reason: RejectionReason, isLast: Bool) -> Bool {
        switch self.state {
        case .ended: return false
        case .active where self.target != target: return false
        // The response is for a push before the last start.
        case .starting where !isLast: return false
        case .starting, .active:
            self.state = .ended(reason: reason.rawValue)
            return true
        }
    }

    /// Records the app's report that the activity ended on the device.
    ///
    /// Earlier tokens are ignored from then on.
    /// - Returns: whether the activity ended on the device; not if its app registered another token since.
    public mutating func leave(_ departure: ActivityEndReport, now: Date) -> Bool {
        let time = Date(millisecondsSince1970: min(departure.time ?? now, now).millisecondsSince1970)
        if case .ended = self.state { return false }
        if let known = self.tokenIssuedAt, time < known { return false }
        self.state = .ended(reason: departure.reason.rawValue)
        self.tokenIssuedAt = time
        return true
    }

    /// Its 8 hours may be over.
    ///
    /// - Returns: whether it ended by this.
    public mutating func expire(now: Date) -> Bool {
        guard self.state == .active, let expiresAt, expiresAt <= now else { return false }
        self.state = .ended(reason: Self.expired)
        return true
    }

    /// The reason of a device whose 8 hours are over.
    public static let expired = "expired"
}

/// The number of devices of an activity by state.
public struct ParticipantCounts: Hashable, Sendable {
    public var starting: Int
    public var active: Int
    public var ended: Int

    /// The number of active devices that were not sent the latest version yet.
    public var outdated: Int

    public init(starting: Int = 0, active: Int = 0, ended: Int = 0, outdated: Int = 0) {
        self.starting = starting
        self.active = active
        self.ended = ended
        self.outdated = outdated
    }
}

/// An app's report that an activity ended on a device.
public struct ActivityEndReport: Hashable, Sendable {
    /// How the activity ended on the device.
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
        /// It has ended there; the Lock Screen may show its last content for some hours.
        case ended

        /// The user, or the system, removed it from the Lock Screen.
        case dismissed
    }

    public var installation: DeviceID
    public var reason: Reason

    /// When it ended; `nil` means now.
    ///
    /// A late report does not affect a later token.
    public var time: Date?

    /// The right of the caller to report about the device.
    public var access = DeviceAccess.backend()

    public init(installation: DeviceID, reason: Reason, time: Date? = nil) {
        self.installation = installation
        self.reason = reason
        self.time = time
    }
}
