// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What the body of a control request says about a device or an app: a change of what it names, and of nothing else.
extension DeviceTraits {
    /// The change that the object asks for.
    static func change(_ object: inout RequestObject) throws(ControlProblem) -> @Sendable (inout DeviceTraits) -> Void {
        let online = try object.bool("online")
        let locked = try object.bool("locked")
        let lowPower = try object.bool("lowPower")
        let name = try object.choice("systemName", SystemName.self)
        let version = try self.systemVersion(&object)
        let delay = try object.number("acknowledgementDelay", in: 0...86_400)
        return { traits in
            if let online { traits.isOnline = online }
            if let locked { traits.isLocked = locked }
            if let lowPower { traits.isLowPower = lowPower }
            if let name { traits.systemName = name.rawValue }
            if let version { traits.systemVersion = version }
            if let delay { traits.acknowledgementDelay = delay }
        }
    }

    private static func systemVersion(_ object: inout RequestObject) throws(ControlProblem) -> SystemVersion? {
        guard let text = try object.string("systemVersion") else { return nil }
        guard let version = SystemVersion(text) else {
            throw object.invalid("systemVersion", rule: "a version such as 17.2", value: String(text.prefix(20)))
        }
        return version
    }

    private enum SystemName: String, CaseIterable {
        case iOS, iPadOS, macOS, tvOS, watchOS, visionOS
    }
}

extension AppTraits {
    /// The change that the object asks for.
    static func change(_ object: inout RequestObject) throws(ControlProblem) -> @Sendable (inout AppTraits) -> Void {
        let state = try object.choice("state", AppRunState.self)
        let permission = try object.choice("permission", NotificationPermission.self)
        let modes = try self.backgroundModes(&object)
        let supportsActivities = try object.bool("supportsLiveActivities")
        let supportsFrequentUpdates = try object.bool("supportsFrequentUpdates")
        let hasServiceExtension = try object.bool("hasServiceExtension")
        let presentation = try self.presentation(&object)
        let completion = try object.choice("completion", CallCompletion.self)
        let isDebugged = try object.bool("debugged")
        return { traits in
            if let state { traits.state = state }
            if let permission { traits.permission = permission }
            if let modes { traits.backgroundModes = modes }
            if let supportsActivities { traits.supportsLiveActivities = supportsActivities }
            if let supportsFrequentUpdates { traits.supportsFrequentUpdates = supportsFrequentUpdates }
            if let hasServiceExtension { traits.hasServiceExtension = hasServiceExtension }
            if let presentation { traits.presentation = presentation }
            if let completion { traits.completion = completion }
            if let isDebugged { traits.isDebugged = isDebugged }
        }
    }

    private static func backgroundModes(_ object: inout RequestObject) throws(ControlProblem) -> Set<String>? {
        let known: Set<String> = [
            "audio", "bluetooth-central", "bluetooth-peripheral", "external-accessory", "fetch", "location",
            "nearby-interaction", "network-authentication", "newsstand-content", "processing", "push-to-talk",
            "remote-notification", "voip",
        ]
        return try self.words("backgroundModes", of: known, &object)
    }

    private static func presentation(_ object: inout RequestObject) throws(ControlProblem) -> Set<String>? {
        try self.words("presentation", of: ["banner", "list", "sound", "badge"], &object)
    }

    /// An array of words, each of which is one of `known`.
    private static func words(
        _ name: String,
        of known: Set<String>,
        _ object: inout RequestObject
    ) throws(ControlProblem) -> Set<String>? {
        guard let words = try object.strings(name) else { return nil }
        if let other = words.first(where: { !known.contains($0) }) {
            let rule = "of " + known.sorted().joined(separator: ", ")
            throw object.invalid(name, rule: rule, value: String(other.prefix(20)))
        }
        return Set(words)
    }
}
