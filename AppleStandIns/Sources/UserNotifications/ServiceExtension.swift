// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import VirtualDevice

/// The app's notification service extension, which on Apple's systems is a bundle of its own.
///
/// A push with `mutable-content` goes to a new extension, as there. What it makes of the content is what this process finds among
/// the delivered notifications and in responses. What is different here: the extension runs in the app's process, while that
/// runs and the app is not on the screen; the simulator's own list shows the push as it was sent; and
/// `serviceExtensionTimeWillExpire` is not called: after 30 seconds the simulator notes that the time has passed.
public final class ServiceExtension: @unchecked Sendable {
    public static let shared = ServiceExtension()

    private struct State {
        var make: (@Sendable () -> UNNotificationServiceExtension)?
        /// The extensions that have not answered, by the numbers of their calls.
        var running: [Int: UNNotificationServiceExtension] = [:]
        /// What they made of notifications, by the identifiers of APNs'; the newest 64.
        var contents: [(apnsID: String, content: UNNotificationContent)] = []
    }

    private let state = Locked(State())
    private let link = VirtualDeviceSession.shared

    private init() {}

    /// Has pushes go to an extension, in the place of its `Info.plist`; call it before the app is launched.
    public func use(_ make: @escaping @Sendable () -> UNNotificationServiceExtension) {
        self.state.with { $0.make = make }
    }

    /// Has pushes go to no extension any more, and forgets what one made.
    public func reset() { self.state.with { $0 = State() } }

    /// Tells the device whether the app has one.
    func attach() {
        let hasExtension = self.state.with { $0.make != nil }
        if hasExtension { _ = try? self.link.call("PATCH", self.link.appPath(), ["hasServiceExtension": true]) }
    }

    /// Hands a push to a new extension, on a queue that is not the main one.
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

    /// The first answer counts.
    private func take(_ content: UNNotificationContent, of call: DeviceCallback) {
        let isFirst = self.state.with { state in
            guard state.running.removeValue(forKey: call.number) != nil else { return false }
            state.contents.append((call.apnsID ?? "", content))
            if state.contents.count > 64 { state.contents.removeFirst() }
            return true
        }
        if isFirst { self.link.complete(call, result: "newData") }
    }

    /// What an extension has made of a notification.
    func content(of apnsID: String?) -> UNNotificationContent? {
        self.state.with { state in state.contents.last { $0.apnsID == apnsID }?.content }
    }
}
