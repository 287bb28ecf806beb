// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// Which app on which virtual device this process is.
public struct VirtualDeviceContext: Sendable, Hashable {
    /// The control API of the simulator.
    public var control: URL
    /// The device's `id`.
    public var device: String
    /// The app's bundle identifier, as it is installed on the device.
    public var bundleID: String
    /// The directory that is the app's home: it stays from one launch to the next, and goes with the app.
    public var container: URL

    public init(control: URL, device: String, bundleID: String, container: URL) {
        self.control = control
        self.device = device
        self.bundleID = bundleID
        self.container = container
    }

    /// The place that the process was started for.
    ///
    /// `APUS_DEVICE_CONTROL` (`http://127.0.0.1:8090`), `APUS_DEVICE_ID`, `APUS_DEVICE_APP` and `APUS_DEVICE_CONTAINER` say
    /// it; without the last, it is a directory of the process's own.
    public static func ofProcess(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Self? {
        guard let control = environment["APUS_DEVICE_CONTROL"].flatMap(URL.init(string:)),
            let device = environment["APUS_DEVICE_ID"],
            let bundleID = environment["APUS_DEVICE_APP"]
        else { return nil }
        let directory = environment["APUS_DEVICE_CONTAINER"].map { URL(fileURLWithPath: $0, isDirectory: true) }
        let own = FileManager.default.temporaryDirectory.appendingPathComponent("app-\(UUID().uuidString)")
        return VirtualDeviceContext(control: control, device: device, bundleID: bundleID, container: directory ?? own)
    }
}
