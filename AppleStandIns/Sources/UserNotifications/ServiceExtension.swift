// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import VirtualDevice

/// The app's notification service extension, which is a separate bundle on Apple platforms.
///
/// A push with `mutable-content` is passed to a new extension object. Delivered notifications and responses in this
/// process have the modified content.
///
/// It differs from Apple's in three ways. The extension runs in the app's process, while that runs and the app is not
/// in the foreground. The simulator's own list shows the push as it was sent. `serviceExtensionTimeWillExpire` is not
/// called; the simulator records a timeout after 30 seconds.
public final class ServiceExtension: @unchecked Sendable {
    public static let shared = ServiceExtension()

    private struct State {
        var make: (@Sendable () -> UNNotificationServiceExtension)?
        /// The running extensions by callback number.
        var running: [Int: UNNotificationServiceExtension] = [:]
        /// The latest 64 modified contents by `apns-id`.
        var contents: [(apnsID: String, content: UNNotificationContent)] = []
    }

    private let state = Locked(State())
    private let link = VirtualDeviceSession.shared

    private init() {}

    /// Sets the extension class, instead of an `Info.plist`; call it before the launch of the app.
    public func use(_ make: @escaping @Sendable () -> UNNotificationServiceExtension) {
        self.state.with { $0.make = make }
    }

    /// Removes the extension and all modified contents.
    public func reset() { self.state.with { $0 = State() } }

    /// Reports to the device whether the app has an extension.
    func attach() {
        let hasExtension = self.state.with { $0.make != nil }
        if hasExtension { _ = try? self.link.call("PATCH", self.link.appPath(), ["hasServiceExtension": true]) }
    }

    /// Passes a push to a new extension on a background queue.
    func receive(_ call: DeviceCallback) {
        nonisolated(unsafe) let made = self.state.with { $0.make?() }
        guard let made else { return self.link.complete(call, result: "noData") }
        self.state.with { $0.running[call.number] = made }
        DispatchQueue.global().async {
            let content = UNNotificationContent(userInfo: call.dictionary)
            let request = UNNotificationRequest(
                identifier: call.collapseID ?? call.apnsID ?? "",
                content: content,
                trigger: UNPushNotificationTrigger()
            )
            made.didReceive(request) { self.take($0, of: call) }
        }
    }

    /// Stores the modified content; only the first result of an extension counts.
    private func take(_ content: UNNotificationContent, of call: DeviceCallback) {
        let isFirst = self.state.with { state in
            guard state.running.removeValue(forKey: call.number) != nil else { return false }
            state.contents.append((call.apnsID ?? "", content))
            if state.contents.count > 64 { state.contents.removeFirst() }
            return true
        }
        if isFirst { self.link.complete(call, result: "newData") }
    }

    /// Returns the modified content of a notification; `nil` if there is none.
    func content(of apnsID: String?) -> UNNotificationContent? {
        self.state.with { state in state.contents.last { $0.apnsID == apnsID }?.content }
    }
}
