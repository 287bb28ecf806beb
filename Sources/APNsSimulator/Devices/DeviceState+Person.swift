// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the person does with a device.
extension DeviceState {
    /// The action of a tap on a notification, as UserNotifications names it.
    static let defaultAction = "com.apple.UNNotificationDefaultActionIdentifier"
    /// The action of clearing a notification away, as UserNotifications names it.
    static let dismissAction = "com.apple.UNNotificationDismissActionIdentifier"

    /// Takes on what an app is like from now on.
    mutating func change(
        _ place: Int,
        to traits: AppTraits,
        switches: DeviceSwitches,
        now: Double,
        _ effects: inout DeviceEffects
    ) {
        let old = self.apps[place].traits
        guard old != traits else { return }
        let bundleID = self.apps[place].bundleID
        self.apps[place].traits = traits
        var details: [String: String] = [:]
        if old.state != traits.state { details["state"] = traits.state.rawValue }
        if old.permission != traits.permission { details["permission"] = traits.permission.rawValue }
        effects.note(.stateChanged, bundleID, nil, details)
        if traits.state == .forceQuit, let held = self.apps[place].held {
            self.apps[place].held = nil
            effects.discard(.forceQuit, bundleID, held.apnsID)
        }
        if !traits.permission.showsNotifications { _ = self.remove { $0.bundleID == bundleID } }
        if traits.state == .foreground, old.state != .foreground {
            self.releaseHeld(place, isOpened: true, switches: switches, now: now, &effects)
        }
    }

    /// The person acts on a notification in the list.
    ///
    /// Without an `action` of its category it is a tap, which opens the app; `text` is what the person typed. Returns
    /// whether there was such a notification.
    mutating func respond(
        to identifier: String,
        of bundleID: String?,
        action: String?,
        text: String?,
        switches: DeviceSwitches,
        now: Double,
        _ effects: inout DeviceEffects
    ) -> Bool {
        guard let notification = self.shown.last(where: { $0.isMeant(identifier, bundleID) }),
            let place = self.appIndex(notification.bundleID)
        else { return false }
        _ = self.remove { $0 == notification }
        let action = action ?? Self.defaultAction
        effects.note(.removed, notification.bundleID, notification.apnsID, cause: "response", ["action": action])
        if action == Self.defaultAction {
            var traits = self.apps[place].traits
            traits.state = .foreground
            self.change(place, to: traits, switches: switches, now: now, &effects)
        }
        var call = AppCall(
            at: Date(timeIntervalSince1970: now),
            bundleID: notification.bundleID,
            name: .didReceiveResponse,
            arguments: ["actionIdentifier": action, "identifier": notification.identifier]
        )
        call.apnsID = notification.apnsID
        call.userInfo = notification.payload
        if let text { call.arguments["userText"] = text }
        self.add(call, to: place, &effects)
        return true
    }

    /// The person clears notifications away.
    ///
    /// Without an identifier or an app it is every one. Returns how many there were.
    mutating func dismiss(_ identifier: String?, of bundleID: String?, _ effects: inout DeviceEffects) -> Int {
        let gone = self.remove { notification in
            identifier.map { notification.isMeant($0, bundleID) }
                ?? (bundleID ?? notification.bundleID == notification.bundleID)
        }
        for notification in gone {
            effects.note(.removed, notification.bundleID, notification.apnsID, cause: "dismissal")
        }
        return gone.count
    }
}

extension ShownNotification {
    fileprivate func isMeant(_ identifier: String, _ bundleID: String?) -> Bool {
        self.identifier == identifier && bundleID ?? self.bundleID == self.bundleID
    }
}
