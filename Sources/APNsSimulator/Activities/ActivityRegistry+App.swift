// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
public import Foundation
#endif

/// The ActivityKit calls of apps.
extension ActivityRegistry {
    /// Starts an activity as `Activity.request` does.
    ///
    /// - Throws: ``ActivityAuthorizationError``: the error set for the app's next request, or the first broken rule.
    mutating func request(
        _ request: ActivityRequest,
        id: ActivityID,
        host: ActivityDeviceContext,
        switches: ActivityOptions,
        now: Double,
        channelExists: (String) -> Bool
    ) throws(ActivityAuthorizationError) -> [ActivityEffect] {
        try self.authorize(request, host: host, now: now, channelExists: channelExists)
        try self.checkLimits(request, host: host, switches: switches)
        let startsAt = request.startDate?.timeIntervalSince1970 ?? now
        let values = ActivityRecord.Request(
            bundleID: request.bundleID,
            attributesType: request.attributesType,
            attributes: request.attributes,
            contentState: request.contentState,
            staleAt: request.staleDate?.timeIntervalSince1970,
            relevanceScore: request.relevanceScore,
            pushType: request.pushType
        )
        var effects: [ActivityEffect] = []
        let isPending = startsAt > now
        self.add(
            ActivityRecord(
                values,
                id: id,
                device: host.device,
                startsAt: max(now, startsAt),
                state: isPending ? .pending : .active
            )
        )
        self.change(id, to: &effects) { record, effects in
            record.note(
                isPending ? .scheduled : .started,
                .app,
                at: now,
                detail: request.attributesType,
                to: &effects
            )
            record.expectUpdates(delay: switches.requestTokenDelay, isWithheld: false, now: now, to: &effects)
            record.becomeStaleIfDue(now: now, to: &effects)
        }
        return effects
    }

    private mutating func authorize(
        _ request: ActivityRequest,
        host: ActivityDeviceContext,
        now: Double,
        channelExists: (String) -> Bool
    ) throws(ActivityAuthorizationError) {
        let settings = self[host.device, request.bundleID].settings
        if let code = settings.nextRequestFailure {
            self[host.device, request.bundleID].settings.nextRequestFailure = nil
            throw ActivityAuthorizationError(code, "set for the next request")
        }
        guard host.isAtLeast(16, 1) else {
            throw ActivityAuthorizationError(.unsupported, "Live Activities need iOS 16.1")
        }
        guard host.supportsLiveActivities else {
            throw ActivityAuthorizationError(
                .unsupportedTarget,
                "the app's Info.plist has no NSSupportsLiveActivities"
            )
        }
        guard settings.areActivitiesEnabled else {
            throw ActivityAuthorizationError(.denied, "the user disabled Live Activities for the app")
        }
        guard host.isForeground || request.isIntent else {
            throw ActivityAuthorizationError(.visibility, "the app is not in the foreground")
        }
        if case .channel(let channel) = request.pushType {
            guard host.isAtLeast(18) else {
                throw ActivityAuthorizationError(.unsupported, "channels need iOS 18")
            }
            guard channelExists(channel) else {
                throw ActivityAuthorizationError(.unsupported, "the app has no such channel")
            }
        }
        if let startDate = request.startDate {
            guard host.isAtLeast(26) else {
                throw ActivityAuthorizationError(.unsupported, "a start at a later time needs iOS 26")
            }
            guard request.hasAlert, startDate.timeIntervalSince1970 > now else {
                throw ActivityAuthorizationError(.unsupported, "a start at a later time needs an alert and that time")
            }
        }
    }

    private func checkLimits(
        _ request: ActivityRequest,
        host: ActivityDeviceContext,
        switches: ActivityOptions
    ) throws(ActivityAuthorizationError) {
        do throws(ActivityPushError) {
            try Self.checkSize(attributes: request.attributes, contentState: request.contentState)
        } catch {
            throw ActivityAuthorizationError(.attributesTooLarge, error.detail)
        }
        let counts = self.counts(device: host.device, bundleID: request.bundleID)
        if counts.ofApp >= switches.maximumPerApp {
            throw ActivityAuthorizationError(.targetMaximumExceeded, "the app has \(counts.ofApp) activities")
        }
        if counts.onDevice >= switches.maximumOnDevice {
            throw ActivityAuthorizationError(.globalMaximumExceeded, "the device has \(counts.onDevice) activities")
        }
    }

    /// Gives an activity new content as `Activity.update` does.
    mutating func update(_ id: ActivityID, _ content: ActivityContent, now: Double) -> [ActivityEffect] {
        var effects: [ActivityEffect] = []
        do throws(ActivityPushError) {
            try self.checkChange(id, content)
            self.change(id, to: &effects) { record, effects in
                record.update(content.record, .app, now: now, to: &effects)
            }
        } catch {
            self.ignore(error, id, origin: .app, apnsID: nil, now: now, to: &effects)
        }
        return effects
    }

    /// Ends an activity as `Activity.end` does.
    mutating func end(
        _ id: ActivityID,
        _ content: ActivityContent?,
        dismissal: ActivityDismissalPolicy,
        switches: ActivityOptions,
        now: Double
    ) -> [ActivityEffect] {
        var effects: [ActivityEffect] = []
        do throws(ActivityPushError) {
            guard let record = self[id], record.state.isRunning else {
                throw ActivityPushError(.ended, "the activity has ended")
            }
            if let content {
                try Self.checkSize(attributes: record.attributes, contentState: content.contentState)
            }
            self.change(id, to: &effects) { record, effects in
                record.end(content?.record, .app, dismissal: dismissal, switches: switches, now: now, to: &effects)
            }
        } catch {
            self.ignore(error, id, origin: .app, apnsID: nil, now: now, to: &effects)
        }
        return effects
    }

    private func checkChange(_ id: ActivityID, _ content: ActivityContent) throws(ActivityPushError) {
        guard let record = self[id], record.state.isRunning else {
            throw ActivityPushError(.ended, "the activity has ended")
        }
        if let timestamp = content.timestamp?.timeIntervalSince1970, let newest = record.timestamp, timestamp < newest {
            throw ActivityPushError(
                .olderTimestamp,
                "timestamp: expected at least \(newest.seconds), that of the latest update, got \(timestamp.seconds)"
            )
        }
        try Self.checkSize(attributes: record.attributes, contentState: content.contentState)
    }

    /// Replaces the update token of an activity.
    ///
    /// - Returns: the effects for the world; none if the activity has no token.
    mutating func rotateToken(_ id: ActivityID) -> [ActivityEffect] {
        var effects: [ActivityEffect] = []
        self.change(id, to: &effects) { record, effects in
            if case .issued = record.token.phase { record.requestToken(to: &effects) }
        }
        return effects
    }

    /// Stores the update token that the world generated for an activity.
    mutating func takeToken(
        _ key: TokenKey,
        for id: ActivityID,
        switches: ActivityOptions,
        now: Double
    ) -> [ActivityEffect] {
        var effects: [ActivityEffect] = []
        self.change(id, to: &effects) { record, effects in
            record.takeToken(key, switches: switches, now: now, to: &effects)
        }
        return effects
    }
}

/// The actions of the user.
extension ActivityRegistry {
    mutating func swipeAway(_ id: ActivityID, switches: ActivityOptions, now: Double) -> [ActivityEffect] {
        var effects: [ActivityEffect] = []
        self.change(id, to: &effects) { record, effects in
            record.dismiss(.person, switches: switches, now: now, to: &effects)
        }
        return effects
    }

    /// Answers the permission prompt of the first activity that was started by push.
    ///
    /// Don't Allow disables the app's Live Activities.
    mutating func answer(
        allows: Bool,
        device: VirtualDeviceID,
        bundleID: String,
        switches: ActivityOptions,
        now: Double
    ) -> [ActivityEffect] {
        guard allows else {
            var settings = self[device, bundleID].settings
            settings.areActivitiesEnabled = false
            return self.configure(settings, device: device, bundleID: bundleID, switches: switches, now: now)
        }
        var effects: [ActivityEffect] = []
        self[device, bundleID].permission = .allowed
        for id in self.running(device: device, bundleID: bundleID) {
            self.change(id, to: &effects) { record, effects in record.allowToken(now: now, to: &effects) }
        }
        return effects
    }

    /// Sets the declarations of the app and the settings of the user.
    ///
    /// Disabling Live Activities ends the running ones and removes all from the Lock Screen.
    mutating func configure(
        _ settings: ActivitySettings,
        device: VirtualDeviceID,
        bundleID: String,
        switches: ActivityOptions,
        now: Double
    ) -> [ActivityEffect] {
        let before = self[device, bundleID].settings
        self[device, bundleID].settings = settings
        var effects: [ActivityEffect] = []
        if before.areActivitiesEnabled != settings.areActivitiesEnabled {
            effects.append(
                .appCall(
                    device,
                    bundleID: bundleID,
                    call: .activityEnablement,
                    details: ["areActivitiesEnabled": "\(settings.areActivitiesEnabled)"]
                )
            )
        }
        if before.frequentPushesEnabled != settings.frequentPushesEnabled {
            effects.append(
                .appCall(
                    device,
                    bundleID: bundleID,
                    call: .frequentPushEnablement,
                    details: ["frequentPushesEnabled": "\(settings.frequentPushesEnabled)"]
                )
            )
        }
        guard !settings.areActivitiesEnabled else { return effects }
        return effects + self.dismissAll(device: device, bundleID: bundleID, .person, switches: switches, now: now)
    }

    /// Takes all of an app's activities away: they are switched off, or the app is removed.
    mutating func dismissAll(
        device: VirtualDeviceID,
        bundleID: String,
        _ origin: ActivityTimelineEntry.Origin,
        switches: ActivityOptions,
        now: Double
    ) -> [ActivityEffect] {
        var effects: [ActivityEffect] = []
        for id in self.running(device: device, bundleID: bundleID) {
            self.change(id, to: &effects) { record, effects in
                record.dismiss(origin, switches: switches, now: now, to: &effects)
            }
        }
        return effects
    }
}

/// The Live Activity settings and permission of an app on a device.
public struct AppActivityStatus: Sendable, Hashable {
    /// The result of asking the user to allow Live Activities.
    public enum Permission: String, Sendable, Hashable, CaseIterable {
        /// No push has started one yet.
        case notAsked
        /// The question is on the Lock Screen; update tokens wait.
        case asked
        /// The user tapped Allow.
        case allowed
    }

    /// The app.
    public var bundleID: String
    /// The declarations of the app and the settings of the user.
    public var settings: ActivitySettings
    /// The result of asking the user.
    public var permission: Permission
    /// The push-to-start tokens by attributes type.
    public var pushToStartTokens: [String: DeviceToken]

    init(_ app: AppActivityRecord, bundleID: String) {
        self.bundleID = bundleID
        self.settings = app.settings
        self.permission =
            switch app.permission {
            case .notAsked: .notAsked
            case .asked: .asked
            case .allowed: .allowed
            }
        self.pushToStartTokens = app.pushToStart.compactMapValues { try? DeviceToken(bytes: $0.bytes) }
    }
}

/// The Live Activity permission and the used push budget of an app on a device.
struct AppActivityRecord: Codable, Sendable {
    /// The result of asking the user to allow Live Activities of the app.
    enum Permission: String, Codable, Sendable {
        /// No push has started one yet.
        ///
        /// Can transition to: `asked`, `allowed`.
        case notAsked
        /// The question is on the Lock Screen; update tokens wait.
        ///
        /// Can transition to: `allowed`.
        case asked
        case allowed
    }

    var settings = ActivitySettings()
    var permission = Permission.notAsked
    var budget = ActivityBudget()
    /// The push-to-start token of each attributes type.
    var pushToStart: [String: TokenKey] = [:]

    /// How many pushes of priority 10 the app may have in an hour.
    func hourlyBudget(_ switches: ActivityOptions, of host: ActivityDeviceContext) -> Int? {
        let isFrequent = host.supportsFrequentUpdates && self.settings.frequentPushesEnabled
        return isFrequent ? switches.frequentHourlyBudget : switches.hourlyBudget
    }
}

/// The remaining budget of high-priority pushes of an app: a token bucket that refills evenly over an hour.
struct ActivityBudget: Codable, Hashable, Sendable {
    private static let hour: Double = 3600

    /// The used part of the budget that has not refilled.
    private var taken: Double = 0
    /// The time of this value, in seconds since 1970.
    private var updatedAt: Double = 0

    /// Consumes one push of the budget.
    ///
    /// - Returns: 0 if one was available, otherwise the time of the next one, in seconds since 1970; `nil` if the
    ///   limit is 0.
    mutating func take(hourly limit: Int, now: Double) -> Double? {
        guard limit > 0 else { return nil }
        let rate = Double(limit) / Self.hour
        // The limit may have been reduced: cap the used part to it.
        self.taken = max(0, min(self.taken, Double(limit)) - max(0, now - self.updatedAt) * rate)
        self.updatedAt = now
        // Tolerance for rounding, so that a refilled push is available in time.
        guard self.taken + 1 <= Double(limit) + 1e-6 else {
            return now + (self.taken + 1 - Double(limit)) / rate
        }
        self.taken += 1
        return 0
    }
}
