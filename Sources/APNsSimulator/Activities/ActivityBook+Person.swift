// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What the person does.
extension ActivityBook {
    /// Swipes an activity away.
    mutating func swipeAway(_ id: ActivityID, switches: ActivitySwitches, now: Double) -> [ActivityEffect] {
        var effects: [ActivityEffect] = []
        self.change(id, to: &effects) { record, effects in
            record.dismiss(.person, switches: switches, now: now, to: &effects)
        }
        return effects
    }

    /// Answers the question that the first activity by push asks.
    ///
    /// A no switches the app's Live Activities off.
    mutating func answer(
        allows: Bool,
        device: VirtualDeviceID,
        bundleID: String,
        switches: ActivitySwitches,
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

    /// Sets what the app declares and what the person has set.
    ///
    /// Switching Live Activities off ends those that run, and takes all off the Lock Screen.
    mutating func configure(
        _ settings: ActivitySettings,
        device: VirtualDeviceID,
        bundleID: String,
        switches: ActivitySwitches,
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
        switches: ActivitySwitches,
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
