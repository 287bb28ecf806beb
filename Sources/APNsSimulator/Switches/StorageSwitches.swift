// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
