// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What the body of a control request says about a device or an app.
extension DeviceTraits {
    /// Takes over what the object says.
    mutating func take(_ object: inout RequestObject) throws(ControlProblem) {
        if let online = try object.bool("online") { self.isOnline = online }
        if let locked = try object.bool("locked") { self.isLocked = locked }
        if let lowPower = try object.bool("lowPower") { self.isLowPower = lowPower }
        if let name = try object.choice("systemName", SystemName.self) { self.systemName = name.rawValue }
        if let text = try object.string("systemVersion") {
            guard let version = SystemVersion(text) else {
                throw object.invalid("systemVersion", rule: "a version such as 17.2", value: String(text.prefix(20)))
            }
            self.systemVersion = version
        }
        if let seconds = try object.number("acknowledgementDelay", in: 0...86_400) {
            self.acknowledgementDelay = seconds
        }
    }

    private enum SystemName: String, CaseIterable {
        case iOS, iPadOS, macOS, tvOS, watchOS, visionOS
    }
}

extension AppTraits {
    /// Takes over what the object says.
    mutating func take(_ object: inout RequestObject) throws(ControlProblem) {
        if let state = try object.choice("state", AppRunState.self) { self.state = state }
        if let permission = try object.choice("permission", NotificationPermission.self) {
            self.permission = permission
        }
        if let modes = try object.strings("backgroundModes") { self.backgroundModes = Set(modes) }
        if let supports = try object.bool("supportsLiveActivities") { self.supportsLiveActivities = supports }
        if let supports = try object.bool("supportsFrequentUpdates") { self.supportsFrequentUpdates = supports }
        if let has = try object.bool("hasServiceExtension") { self.hasServiceExtension = has }
        if let presentation = try object.strings("presentation") {
            let options: Set<String> = ["banner", "list", "sound", "badge"]
            if let other = presentation.first(where: { !options.contains($0) }) {
                let rule = "of " + options.sorted().joined(separator: ", ")
                throw object.invalid("presentation", rule: rule, value: String(other.prefix(20)))
            }
            self.presentation = Set(presentation)
        }
        if let completion = try object.choice("completion", CallCompletion.self) { self.completion = completion }
        if let isDebugged = try object.bool("debugged") { self.isDebugged = isDebugged }
    }
}
