// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How a device handles a received notification.
extension DeviceRecord {
    /// How long an extension may work on a notification.
    ///
    /// Unit: seconds.
    private static let extensionSeconds: Double = 30

    /// Processes a notification for an app.
    ///
    /// `place` is the index of the app; `kind` is the type of the token to which the notification was sent.
    mutating func receive(
        _ record: NotificationRecord,
        for place: Int,
        kind: TokenKind,
        switches: DeviceOptions,
        now: Double,
        _ effects: inout DeviceEffects
    ) {
        let bundleID = self.apps[place].bundleID
        let pushType = record.content.pushKind.pushType.rawValue
        if let oldest = Self.oldestSystems[pushType], self.traits.systemName == "iOS",
            self.traits.systemVersion < oldest
        {
            return effects.discard(.systemTooOld, bundleID, record.apnsID)
        }
        switch (kind, pushType) {
        case (.app, "background"): self.receiveBackground(record, place, switches: switches, now: now, &effects)
        case (.app, "alert"): self.receiveAlert(record, place, switches: switches, now: now, &effects)
        case (.app, "mdm"): self.call(.deviceManagement, of: place, about: record, now: now, &effects)
        case (.pushType(let type), _) where type == pushType:
            self.receive(record, place, pushType: type, switches: switches, now: now, &effects)
        default: effects.discard(.otherPushType, bundleID, record.apnsID)
        }
    }

    /// The first version of iOS that knows a push type.
    private static let oldestSystems: [String: SystemVersion] = [
        "location": SystemVersion(major: 15), "pushtotalk": SystemVersion(major: 16),
        "controls": SystemVersion(major: 18), "widgets": SystemVersion(major: 26),
    ]

    // MARK: Alerts

    private mutating func receiveAlert(
        _ record: NotificationRecord,
        _ place: Int,
        switches: DeviceOptions,
        now: Double,
        _ effects: inout DeviceEffects
    ) {
        let payload = ParsedAPS(record.payload)
        let app = self.apps[place]
        let isVisible = payload.hasAlert || payload.badge != nil || payload.sound != nil
        if payload.isContentAvailable {
            self.receiveBackground(record, place, switches: switches, now: now, &effects)
        }
        guard isVisible else {
            if !payload.isContentAvailable { effects.discard(.nothingToDo, app.bundleID, record.apnsID) }
            return
        }
        guard app.traits.permission.showsNotifications else {
            return effects.discard(.notificationsDisabled, app.bundleID, record.apnsID)
        }
        var presentation: Set<String> = ["banner", "list", "sound", "badge"]
        if app.traits.state == .foreground {
            presentation = app.traits.presentation
            let options = presentation.sorted().joined(separator: ",")
            self.call(
                .willPresent,
                of: place,
                about: record,
                arguments: ["options": options],
                now: now,
                &effects
            )
        } else if payload.isMutable, payload.hasAlert, app.traits.hasServiceExtension {
            self.call(
                .serviceExtension,
                of: place,
                about: record,
                within: Self.extensionSeconds,
                now: now,
                &effects
            )
        }
        if let badge = payload.badge, app.traits.permission.interrupts, presentation.contains("badge") {
            self.setBadge(badge, place, record, &effects)
        }
        guard payload.hasAlert, presentation.contains("list") || presentation.contains("banner") else { return }
        let interrupts = app.traits.permission.interrupts
        let notification = DeliveredNotification(
            identifier: record.content.collapseID.flatMap { $0.isEmpty ? nil : $0 } ?? record.apnsID.description,
            apnsID: record.apnsID,
            bundleID: app.bundleID,
            at: Date(timeIntervalSince1970: now),
            title: payload.title,
            subtitle: payload.subtitle,
            body: payload.body,
            threadID: payload.threadID,
            category: payload.category,
            interruptionLevel: payload.interruptionLevel,
            relevanceScore: payload.relevanceScore,
            sound: interrupts && presentation.contains("sound") ? payload.sound : nil,
            isQuiet: !interrupts || payload.interruptionLevel == "passive" || !presentation.contains("banner"),
            payload: record.payload
        )
        let isReplacement = self.show(notification)
        let details = ["identifier": notification.identifier]
        effects.note(isReplacement ? .replaced : .shown, app.bundleID, record.apnsID, details)
    }

    private mutating func setBadge(
        _ badge: Int,
        _ place: Int,
        _ record: NotificationRecord,
        _ effects: inout DeviceEffects
    ) {
        let new: Int? = badge == 0 ? nil : badge
        guard self.apps[place].badge != new else { return }
        self.apps[place].badge = new
        effects.note(.badgeChanged, self.apps[place].bundleID, record.apnsID, ["badge": "\(badge)"])
    }

    // MARK: Background

    private mutating func receiveBackground(
        _ record: NotificationRecord,
        _ place: Int,
        switches: DeviceOptions,
        now: Double,
        _ effects: inout DeviceEffects
    ) {
        let app = self.apps[place]
        guard app.traits.backgroundModes.contains("remote-notification") else {
            return effects.discard(.noBackgroundMode, app.bundleID, record.apnsID)
        }
        guard app.traits.state != .forceQuit else {
            return effects.discard(.forceQuit, app.bundleID, record.apnsID)
        }
        let runsFreely = app.traits.state == .foreground || app.traits.isDebugged
        let opens = runsFreely ? now : app.background.opens(switches, now: now)
        guard opens <= now, runsFreely || !self.traits.isLowPower else {
            if let older = app.held { effects.discard(.heldReplaced, app.bundleID, older.apnsID) }
            self.apps[place].held = record
            effects.note(.held, app.bundleID, record.apnsID)
            return self.planRun(place, at: opens, now: now, &effects)
        }
        self.runInBackground(record, place, spends: !runsFreely, switches: switches, now: now, &effects)
    }

    private mutating func runInBackground(
        _ record: NotificationRecord,
        _ place: Int,
        spends: Bool,
        switches: DeviceOptions,
        now: Double,
        _ effects: inout DeviceEffects
    ) {
        if spends { self.apps[place].background.spend(switches, now: now) }
        self.call(
            .didReceiveRemoteNotification,
            of: place,
            about: record,
            within: switches.backgroundSeconds,
            result: "newData",
            now: now,
            &effects
        )
        if self.apps[place].traits.state == .notLaunched { self.apps[place].traits.state = .suspended }
    }

    /// Schedules a check of an app's held notifications for when it has budget again, unless one is scheduled.
    private mutating func planRun(_ place: Int, at due: Double, now: Double, _ effects: inout DeviceEffects) {
        guard due > now, due < self.apps[place].runPlannedAt ?? .infinity else { return }
        self.apps[place].runPlannedAt = due
        effects.schedule(.heldMayRun(bundleID: self.apps[place].bundleID), at: due)
    }

    /// Executes the scheduled check of an app's held notifications.
    mutating func lookAtHeld(of bundleID: String, switches: DeviceOptions, now: Double, _ effects: inout DeviceEffects)
    {
        guard let place = self.appIndex(bundleID), let planned = self.apps[place].runPlannedAt, planned <= now else {
            return
        }
        self.apps[place].runPlannedAt = nil
        self.releaseHeld(place, isOpened: false, switches: switches, now: now, &effects)
    }

    /// Delivers the held notifications of an app, if it can run now.
    ///
    /// An app that the user opens (`isOpened`) needs no budget.
    mutating func releaseHeld(
        _ place: Int,
        isOpened: Bool,
        switches: DeviceOptions,
        now: Double,
        _ effects: inout DeviceEffects
    ) {
        guard let record = self.apps[place].held else { return }
        let opens = isOpened ? now : self.apps[place].background.opens(switches, now: now)
        guard opens <= now, isOpened || !self.traits.isLowPower else {
            return self.planRun(place, at: opens, now: now, &effects)
        }
        self.apps[place].held = nil
        self.runInBackground(record, place, spends: !isOpened, switches: switches, now: now, &effects)
    }

    // MARK: Other push types

    private mutating func receive(
        _ record: NotificationRecord,
        _ place: Int,
        pushType: String,
        switches: DeviceOptions,
        now: Double,
        _ effects: inout DeviceEffects
    ) {
        let bundleID = self.apps[place].bundleID
        switch pushType {
        case "voip", "fileprovider":
            self.call(.pushKitPush, of: place, about: record, arguments: ["type": pushType], now: now, &effects)
            if self.apps[place].traits.state.isEnded { self.apps[place].traits.state = .background }
        case "complication":
            self.apps[place].complicationPushes.removeAll { $0 <= now - 86_400 }
            if let limit = switches.complicationsPerDay {
                guard self.apps[place].complicationPushes.count < limit else {
                    return effects.discard(.complicationBudget, bundleID, record.apnsID)
                }
                self.apps[place].complicationPushes.append(now)
            }
            self.call(.pushKitPush, of: place, about: record, arguments: ["type": pushType], now: now, &effects)
        case "location":
            self.call(.locationPush, of: place, about: record, within: Self.extensionSeconds, now: now, &effects)
        case "pushtotalk": self.call(.pushToTalk, of: place, about: record, now: now, &effects)
        case "widgets":
            self.apps[place].widgetPushes.removeAll { $0 <= now - 3600 }
            if let limit = switches.widgetsPerHour {
                guard self.apps[place].widgetPushes.count < limit else {
                    return effects.discard(.widgetBudget, bundleID, record.apnsID)
                }
                self.apps[place].widgetPushes.append(now)
            }
            self.call(.widgetReload, of: place, about: record, now: now, &effects)
        case "controls": self.call(.controlReload, of: place, about: record, now: now, &effects)
        default: effects.discard(.otherPushType, bundleID, record.apnsID)
        }
    }
}

extension AppState {
    /// Whether the app has no process.
    var isEnded: Bool { self == .notLaunched || self == .forceQuit }
}
