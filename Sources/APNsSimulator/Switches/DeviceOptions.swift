// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The behavior of virtual devices.
public struct DeviceOptions: Sendable, Hashable {
    /// The number of background notifications per hour that launch an app; `nil`: no limit.
    ///
    /// Default: 3; Apple advises not to send more than two or three.
    public var backgroundPerHour: Int? = 3
    /// The number of background notifications per day that launch an app; `nil`: no limit.
    ///
    /// Default: 24.
    public var backgroundPerDay: Int? = 24
    /// The time that an app has to complete a background notification.
    ///
    /// Unit: seconds. Default: 30.
    public var backgroundSeconds: Double = 30
    /// The number of complication pushes per day to a watch app; `nil`: no limit.
    ///
    /// Default: 50.
    public var complicationsPerDay: Int? = 50
    /// The number of pushes per hour that reload an app's widgets; `nil`: no limit.
    ///
    /// Default: 5.
    public var widgetsPerHour: Int? = 5

    /// Creates switches in their default positions.
    public init() {}
}

extension DeviceOptions {
    /// The group's part of the catalogue; names begin with `devices.`.
    static let catalogue: [SimulatorOption] = [
        .optionalInteger(
            "devices.backgroundPerHour",
            \.devices.backgroundPerHour,
            0...1_000_000,
            "background notifications per hour that launch an app"
        ),
        .optionalInteger(
            "devices.backgroundPerDay",
            \.devices.backgroundPerDay,
            0...1_000_000,
            "background notifications per day that launch an app"
        ),
        .number(
            "devices.backgroundSeconds",
            \.devices.backgroundSeconds,
            0.001...3600,
            "seconds that an app has to complete a background notification"
        ),
        .optionalInteger(
            "devices.complicationsPerDay",
            \.devices.complicationsPerDay,
            0...1_000_000,
            "complication pushes per day to an app"
        ),
        .optionalInteger(
            "devices.widgetsPerHour",
            \.devices.widgetsPerHour,
            0...1_000_000,
            "pushes per hour that reload an app's widgets"
        ),
    ]
}

/// When APNs records that an app was removed from a device.
public enum UninstallReporting: String, Sendable, Hashable, CaseIterable {
    /// Immediately.
    case immediate
    /// Some time after a push was delivered to the device, as Apple documents.
    case afterPush
}

/// Limits for storing, delivering and discarding notifications.
public struct StorageOptions: Sendable, Hashable {
    /// When APNs records that an app was removed.
    ///
    /// Default: immediately.
    public var uninstallNotice: UninstallReporting = .immediate
    /// The mean delay between a push to a device without the app and the first 410.
    ///
    /// Each token has its own delay, between half and one and a half of this.
    ///
    /// Unit: seconds. Default: one day.
    public var uninstallDelay: Double = 86_400
    /// How long pushes of priority 5 are collected for a device that is locked or in low-power mode.
    ///
    /// Unit: seconds. Default: 300.
    public var powerWindow: Double = 300

    /// Creates switches in their default positions.
    public init() {}
}

extension StorageOptions {
    /// The group's part of the catalogue; names begin with `storage.`.
    static let catalogue: [SimulatorOption] = [
        .position(
            "storage.uninstallNotice",
            \.storage.uninstallNotice,
            "when the response for the tokens of a removed app becomes 410"
        ),
        .number(
            "storage.uninstallDelay",
            \.storage.uninstallDelay,
            0...31_536_000,
            "mean seconds from the first push to a removed app until 410"
        ),
        .number(
            "storage.powerWindow",
            \.storage.powerWindow,
            0.001...86_400,
            "seconds for which pushes of priority 5 are collected for a locked device or one in low-power mode"
        ),
    ]
}
