// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The app and the virtual device that this process represents.
public struct VirtualDeviceContext: Sendable, Hashable {
    /// The base URL of the simulator's control API.
    public var control: URL
    /// The `id` of the device in the control API.
    public var device: String
    /// The bundle ID of the app that is installed on the device.
    public var bundleID: String
    /// The app's container directory; it is kept between launches and removed with the app.
    public var container: URL

    public init(control: URL, device: String, bundleID: String, container: URL) {
        self.control = control
        self.device = device
        self.bundleID = bundleID
        self.container = container
    }

    /// The context from the process environment.
    ///
    /// It reads `APUS_DEVICE_CONTROL` (such as `http://127.0.0.1:8090`), `APUS_DEVICE_ID`, `APUS_DEVICE_APP` and
    /// `APUS_DEVICE_CONTAINER`. Without the last one, the process uses a directory of its own.
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
