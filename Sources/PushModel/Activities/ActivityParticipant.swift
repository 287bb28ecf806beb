// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// A phone that shows an activity, or is to show it.
public struct ActivityParticipant: Hashable, Sendable {
    /// How far the phone has come.
    public enum State: Hashable, Sendable {
        /// It was sent the push that starts the activity; its app has not told its update token.
        ///
        /// Can transition to: `active` when the token arrives, `gone` when APNs refuses the start, or the app tells of its end.
        case invited

        /// It is sent updates.
        ///
        /// Can transition to: `gone` when APNs says that the token is dead, the app tells of its end, or its 8 hours are over.
        case active

        /// It is sent nothing, for that reason: APNs' own, `expired`, or what the app told (``ActivityDeparture/Reason``).
        ///
        /// Can transition to: `active` when its app tells another token, `invited` when it is sent another start.
        case gone(reason: String)
    }

    /// Who started the activity on the phone.
    public enum Origin: String, Hashable, Sendable, Codable, CaseIterable {
        case app
        case push

        /// Nobody: it is no phone, but the channel on which the activity is broadcast.
        case channel
    }

    /// What stands in the place of an installation for a channel: a text that none can have.
    public static let channelInstallation = InstallationID(unchecked: "\u{1}channel")

    public let installation: InstallationID
    public internal(set) var environment: APNsEnvironment

    /// The token for updates; `nil` until the app has told it.
    public internal(set) var token: DeviceToken?

    /// When the app was given the token; what it says later of an earlier one is old news.
    public internal(set) var tokenIssuedAt: Date?

    public internal(set) var state: State
    public internal(set) var origin: Origin

    /// Whether the person lets the app have frequent updates; `nil` until the app has told.
    public internal(set) var frequentUpdates: Bool?

    /// The version that the phone shows, or was sent last; 0 when that is not known.
    public var sentVersion: Int

    /// The version that the phone shows if what it was sent last does not reach it; 0 when that is not known.
    ///
    /// It lies further back than one version where changes were sent in one push.
    public var formerVersion: Int

    public var recent: RecentPushes

    /// When it began to take part; kept to the millisecond.
    public let joinedAt: Date

    /// From when on it shows the activity; `nil` until that is known.
    public internal(set) var startedAt: Date?

    /// Restores a participant.
    ///
    /// `nil` for `formerVersion` means the version before `sentVersion`.
    public init(
        installation: InstallationID,
        environment: APNsEnvironment,
        token: DeviceToken?,
        tokenIssuedAt: Date? = nil,
        state: State,
        origin: Origin,
        frequentUpdates: Bool? = nil,
        sentVersion: Int,
        formerVersion: Int? = nil,
        recent: RecentPushes = RecentPushes(),
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
        self.sentVersion = sentVersion
        self.formerVersion = formerVersion ?? Self.version(before: sentVersion)
        self.recent = recent
        self.joinedAt = joinedAt
        self.startedAt = startedAt
    }

    /// A phone on which an app has started the activity, or which has told of it before anybody else.
    public init(_ upload: ActivityTokenUpload, joining lifecycle: ActivityLifecycle, now: Date) {
        self.init(
            installation: upload.installation,
            environment: upload.environment,
            token: upload.token,
            tokenIssuedAt: upload.issued(now: now),
            state: .active,
            origin: .app,
            frequentUpdates: upload.frequentUpdates,
            sentVersion: Self.version(joining: lifecycle),
            joinedAt: now,
            startedAt: now
        )
    }

    private static func version(before version: Int) -> Int { max(1, version) - 1 }

    /// What a phone counts as having been sent whose app has started the activity.
    ///
    /// It shows what the activity began with, and is brought up to date without the alerts of before.
    private static func version(joining lifecycle: ActivityLifecycle) -> Int {
        lifecycle.state.isOver ? 0 : max(2, lifecycle.version) - 1
    }

    /// A phone that is sent the push that starts the activity.
    public init(inviting token: PushToStartToken, version: Int, now: Date) {
        self.init(
            installation: token.installation,
            environment: token.environment,
            token: nil,
            state: .invited,
            origin: .push,
            sentVersion: version,
            joinedAt: now
        )
    }

    /// The channel on which an activity is broadcast: one push to it is sent to all that subscribe.
    public init(_ channel: ActivityChannel, version: Int, now: Date) {
        self.init(
            installation: Self.channelInstallation,
            environment: channel.environment,
            token: channel.target.token,
            state: .active,
            origin: .channel,
            sentVersion: version,
            joinedAt: now
        )
    }

    /// Where its updates go; `nil` while it is sent none.
    public var target: Target? {
        guard self.state == .active, let token else { return nil }
        return Target(token: token, environment: self.environment)
    }

    /// When the system ends the activity on this phone; `nil` while it shows none.
    public var expiresAt: Date? {
        self.startedAt.map { $0.addingTimeInterval(Double(ActivityLimit.runningSeconds)) }
    }
}

// MARK: - Events

extension ActivityParticipant {
    /// What the arrival of an update token comes to.
    public enum Arrival: Hashable, Sendable {
        /// It is the first one, or the first after the one before died.
        case arrived

        /// It takes the place of another one, which phones do not answer to any more.
        case rotated

        /// It was known, or is older than the one that is. Nothing changed but, perhaps, `frequentUpdates`.
        case known
    }

    /// The app has told the phone's update token.
    public mutating func receive(
        _ upload: ActivityTokenUpload,
        joining lifecycle: ActivityLifecycle,
        now: Date
    ) -> Arrival {
        let issued = upload.issued(now: now)
        if let known = self.tokenIssuedAt, issued < known { return .known }
        if let frequent = upload.frequentUpdates { self.frequentUpdates = frequent }
        let isSame = self.token == upload.token && self.environment == upload.environment
        guard !isSame || self.token == nil else {
            // What APNs called dead does not come to life by being told again.
            self.tokenIssuedAt = issued
            return .known
        }
        let isRunning = self.target != nil
        if case .gone = self.state {
            // It has started the activity anew, and shows what that began with.
            self.sentVersion = min(self.sentVersion, Self.version(joining: lifecycle))
            self.formerVersion = min(self.formerVersion, self.sentVersion)
        }
        self.token = upload.token
        self.environment = upload.environment
        self.tokenIssuedAt = issued
        self.state = .active
        if !isRunning || self.startedAt == nil { self.startedAt = now }
        return isRunning ? .rotated : .arrived
    }

    /// The phone is sent the push that starts the activity once more: an earlier one came to nothing, or it is gone.
    public mutating func invite(at start: PushToStartToken, version: Int) {
        self.environment = start.environment
        self.state = .invited
        self.origin = .push
        self.sentVersion = version
        self.formerVersion = Self.version(before: version)
        self.startedAt = nil
    }

    /// What it was sent last has not reached it: it shows what it was sent before, as far as is known.
    public mutating func miss() { self.sentVersion = self.formerVersion }

    /// APNs has called a token of the phone dead or bad.
    ///
    /// - Returns: whether the phone is gone by that; it is not when its app has told another token since, or another
    ///   environment for it, or when it was invited again.
    public mutating func lose(_ target: Target, reason: RejectionReason, isLast: Bool) -> Bool {
        switch self.state {
        case .gone: return false
        case .active where self.target != target: return false
        // What was sent to it before it was invited again.
        case .invited where !isLast: return false
        case .invited, .active:
            self.state = .gone(reason: reason.rawValue)
            return true
        }
    }

    /// The app has told that the phone shows the activity no more.
    ///
    /// Tokens that it was given before are old news from then on.
    /// - Returns: whether the phone is gone by that; it is not when its app has told another token since.
    public mutating func leave(_ departure: ActivityDeparture, now: Date) -> Bool {
        let time = Date(millisecondsSince1970: min(departure.time ?? now, now).millisecondsSince1970)
        if case .gone = self.state { return false }
        if let known = self.tokenIssuedAt, time < known { return false }
        self.state = .gone(reason: departure.reason.rawValue)
        self.tokenIssuedAt = time
        return true
    }

    /// Its 8 hours may be over.
    ///
    /// - Returns: whether it is gone by this.
    public mutating func expire(now: Date) -> Bool {
        guard self.state == .active, let expiresAt, expiresAt <= now else { return false }
        self.state = .gone(reason: Self.expired)
        return true
    }

    /// The reason of a phone whose 8 hours are over.
    public static let expired = "expired"
}

/// How many phones of an activity have come how far.
public struct ActivityPhones: Hashable, Sendable {
    public var invited: Int
    public var active: Int
    public var gone: Int

    /// How many of those that are sent updates were not sent the newest version yet.
    public var behind: Int

    public init(invited: Int = 0, active: Int = 0, gone: Int = 0, behind: Int = 0) {
        self.invited = invited
        self.active = active
        self.gone = gone
        self.behind = behind
    }
}

/// What an app tells of a phone that shows an activity no more.
public struct ActivityDeparture: Hashable, Sendable {
    /// How the activity left the phone.
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
        /// It has ended there; the Lock Screen may show its last content for some hours.
        case ended

        /// The person, or the system, has taken it from the Lock Screen.
        case dismissed
    }

    public var installation: InstallationID
    public var reason: Reason

    /// When it did; `nil` means now.
    ///
    /// What comes late never undoes a younger token.
    public var time: Date?

    public init(installation: InstallationID, reason: Reason, time: Date? = nil) {
        self.installation = installation
        self.reason = reason
        self.time = time
    }
}
