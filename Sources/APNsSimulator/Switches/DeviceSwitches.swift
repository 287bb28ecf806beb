// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How virtual devices behave.
public struct DeviceSwitches: Sendable, Hashable {
    /// How many background notifications let an app run in an hour; `nil` is as many as come.
    ///
    /// Default: 3, as Apple advises not to send more than two or three.
    public var backgroundPerHour: Int? = 3
    /// How many background notifications let an app run in a day; `nil` is as many as come.
    ///
    /// Default: 24.
    public var backgroundPerDay: Int? = 24
    /// How long an app may take to say that it is done with a background notification.
    ///
    /// Unit: seconds. Default: 30.
    public var backgroundSeconds: Double = 30
    /// How many complication pushes reach a watch app in a day; `nil` is as many as come.
    ///
    /// Default: 50.
    public var complicationsPerDay: Int? = 50
    /// How many pushes reload an app's widgets in an hour; `nil` is as many as come.
    ///
    /// Default: 5.
    public var widgetsPerHour: Int? = 5

    /// Switches in their default positions.
    public init() {}
}

extension DeviceSwitches {
    /// The group's part of the catalogue; names begin with `devices.`.
    static let catalogue: [SimulatorSwitch] = [
        .optionalInteger(
            "devices.backgroundPerHour",
            \.devices.backgroundPerHour,
            0...1_000_000,
            "background notifications that let an app run in an hour"
        ),
        .optionalInteger(
            "devices.backgroundPerDay",
            \.devices.backgroundPerDay,
            0...1_000_000,
            "background notifications that let an app run in a day"
        ),
        .number(
            "devices.backgroundSeconds",
            \.devices.backgroundSeconds,
            0.001...3600,
            "seconds that an app may take over a background notification"
        ),
        .optionalInteger(
            "devices.complicationsPerDay",
            \.devices.complicationsPerDay,
            0...1_000_000,
            "complication pushes that reach an app in a day"
        ),
        .optionalInteger(
            "devices.widgetsPerHour",
            \.devices.widgetsPerHour,
            0...1_000_000,
            "pushes that reload an app's widgets in an hour"
        ),
    ]
}

/// When APNs takes note that an app was removed from a device.
public enum UninstallNotice: String, Sendable, Hashable, CaseIterable {
    /// With the removal.
    case immediate
    /// Some time after a push has reached the device, as Apple has it.
    case afterPush
}

/// How long and how often notifications are stored, delivered and discarded.
public struct StorageSwitches: Sendable, Hashable {
    /// When APNs takes note that an app was removed.
    ///
    /// Default: at once.
    public var uninstallNotice: UninstallNotice = .immediate
    /// How long APNs takes, after a push has reached a device without its app, before it answers 410; each token takes
    /// between half and one and a half of it.
    ///
    /// Unit: seconds. Default: one day.
    public var uninstallDelay: Double = 86_400
    /// How long notifications that are not urgent are gathered for a device that saves power.
    ///
    /// Unit: seconds. Default: 300.
    public var powerWindow: Double = 300

    /// Switches in their default positions.
    public init() {}
}

extension StorageSwitches {
    /// The group's part of the catalogue; names begin with `storage.`.
    static let catalogue: [SimulatorSwitch] = [
        .position(
            "storage.uninstallNotice",
            \.storage.uninstallNotice,
            "when the tokens of an app that was removed are answered 410"
        ),
        .number(
            "storage.uninstallDelay",
            \.storage.uninstallDelay,
            0...31_536_000,
            "seconds from the first push without an app to 410, as a mean"
        ),
        .number(
            "storage.powerWindow",
            \.storage.powerWindow,
            0.001...86_400,
            "seconds for which pushes of priority 5 are gathered for a device that saves power"
        ),
    ]
}
