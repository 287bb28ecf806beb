// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import VirtualDevice

/// The notification center of the app on the virtual device.
///
/// It differs from Apple's in three ways. The result of `willPresent` applies from the next notification on, because
/// the simulator presents a notification before it calls the delegate. Notifications that the app schedules stay
/// pending and are never presented. A badge that the app sets is known only to this process. A push that changes the
/// device's badge replaces it.
public class UNUserNotificationCenter: NSObject, @unchecked Sendable {
    private static let shared = UNUserNotificationCenter()

    public class func current() -> UNUserNotificationCenter { self.shared }

    private struct State {
        var categories: Set<UNNotificationCategory> = []
        var pending: [UNNotificationRequest] = []
        var badge = 0
        /// The device's badge at the last read.
        var deviceBadge: Int?
        var waiting: [@Sendable (UNAuthorizationStatus) -> Void] = []
    }

    public weak var delegate: (any UNUserNotificationCenterDelegate)?
    private let state = Locked(State())
    private let link = VirtualDeviceSession.shared

    public var supportsContentExtensions: Bool { false }

    /// Starts to observe the device; the launch of the app calls it.
    public func attach() {
        self.state.with { $0 = State() }
        ServiceExtension.shared.attach()
        self.link.observe { [weak self] moment in self?.take(moment) }
    }

    // MARK: Authorization

    /// Requests authorization; the decision comes from the control API (`permission`) or `APUS_DEVICE_PERSON`.
    ///
    /// `APUS_DEVICE_PERSON` is `allows` or `refuses`.
    public func requestAuthorization(
        options: UNAuthorizationOptions = [],
        completionHandler: @escaping (Bool, (any Error)?) -> Void
    ) {
        nonisolated(unsafe) let answer = completionHandler
        DispatchQueue.global().async {
            do {
                guard let status = try self.link.status() else { throw UNError(.notificationsNotAllowed) }
                guard status.permission == "notDetermined" else {
                    return answer(UNAuthorizationStatus(word: status.permission).allows, nil)
                }
                let person = ProcessInfo.processInfo.environment["APUS_DEVICE_PERSON"]
                if options.contains(.provisional) {
                    try self.link.call("PATCH", self.link.appPath(), ["permission": "provisional"])
                } else if let person {
                    let permission = person == "refuses" ? "denied" : "authorized"
                    try self.link.call("PATCH", self.link.appPath(), ["permission": permission])
                }
                self.state.with { $0.waiting.append { answer($0.allows, nil) } }
                self.link.look()
            } catch {
                answer(false, error)
            }
        }
    }

    public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            self.requestAuthorization(options: options) { granted, error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: granted) }
            }
        }
    }

    public func getNotificationSettings(completionHandler: @escaping (UNNotificationSettings) -> Void) {
        nonisolated(unsafe) let answer = completionHandler
        DispatchQueue.global().async {
            let word = (try? self.link.status())?.permission ?? "notDetermined"
            answer(UNNotificationSettings(authorizationStatus: UNAuthorizationStatus(word: word)))
        }
    }

    public func notificationSettings() async -> UNNotificationSettings {
        await withCheckedContinuation { continuation in
            self.getNotificationSettings { continuation.resume(returning: $0) }
        }
    }

    // MARK: Categories, badge, lists

    public func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        self.state.with { $0.categories = categories }
    }

    public func getNotificationCategories(completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void)
    {
        DispatchQueue.global().async { completionHandler(self.state.with { $0.categories }) }
    }

    public func notificationCategories() async -> Set<UNNotificationCategory> { self.state.with { $0.categories } }

    /// The latest badge that the app or a push set; only this shim has the property.
    public var badgeCount: Int { self.state.with { $0.badge } }

    public func setBadgeCount(
        _ newBadgeCount: Int,
        withCompletionHandler completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        guard newBadgeCount >= 0 else { return completionHandler?(UNError(.badgeInputInvalid)) ?? () }
        self.state.with { $0.badge = newBadgeCount }
        completionHandler?(nil)
    }

    public func setBadgeCount(_ newBadgeCount: Int) async throws {
        guard newBadgeCount >= 0 else { throw UNError(.badgeInputInvalid) }
        self.state.with { $0.badge = newBadgeCount }
    }

    public func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        self.state.with { state in
            state.pending.removeAll { $0.identifier == request.identifier }
            state.pending.append(request)
        }
        completionHandler?(nil)
    }

    public func add(_ request: UNNotificationRequest) async throws { self.add(request, withCompletionHandler: nil) }

    public func getPendingNotificationRequests(completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void)
    {
        DispatchQueue.global().async { completionHandler(self.state.with { $0.pending }) }
    }

    public func pendingNotificationRequests() async -> [UNNotificationRequest] { self.state.with { $0.pending } }

    public func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        self.state.with { state in state.pending.removeAll { identifiers.contains($0.identifier) } }
    }

    public func removeAllPendingNotificationRequests() { self.state.with { $0.pending = [] } }

    public func getDeliveredNotifications(completionHandler: @escaping ([UNNotification]) -> Void) {
        nonisolated(unsafe) let answer = completionHandler
        DispatchQueue.global().async {
            let shown = (try? self.link.call("GET", self.link.devicePath("/shown")))?["shown"] as? [[String: Any]]
            let own = (shown ?? []).filter { $0["bundleID"] as? String == self.link.place?.bundleID }
            answer(
                own.map { entry in
                    let payload = (entry["payload"] as? [String: Any] ?? [:]).map { (AnyHashable($0.key), $0.value) }
                    return UNNotification(
                        userInfo: Dictionary(uniqueKeysWithValues: payload),
                        identifier: entry["identifier"] as? String ?? "",
                        apnsID: entry["apnsID"] as? String
                    )
                }
            )
        }
    }

    public func deliveredNotifications() async -> [UNNotification] {
        await withCheckedContinuation { continuation in
            self.getDeliveredNotifications { continuation.resume(returning: $0) }
        }
    }

    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        for identifier in identifiers { self.dismiss("&identifier=\(identifier)") }
    }

    public func removeAllDeliveredNotifications() { self.dismiss("") }

    private func dismiss(_ rest: String) {
        DispatchQueue.global().async {
            // Ignore the error, because a notification that left the list needs no removal.
            _ = try? self.link.call(
                "DELETE",
                self.link.devicePath("/shown?bundleID=\(self.link.place?.bundleID ?? "")\(rest)")
            )
        }
    }

    // MARK: Changes of the device

    private func take(_ moment: DeviceSnapshot) {
        self.state.with { state in
            guard moment.status.badge != state.deviceBadge else { return }
            state.deviceBadge = moment.status.badge
            state.badge = moment.status.badge ?? 0
        }
        let status = UNAuthorizationStatus(word: moment.status.permission)
        if status != .notDetermined {
            let waiting = self.state.with { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            for answer in waiting { answer(status) }
        }
        for call in moment.calls {
            switch call.name {
            case "userNotificationCenter(_:willPresent:withCompletionHandler:)":
                DispatchQueue.main.async { self.willPresent(call) }
            case "userNotificationCenter(_:didReceive:withCompletionHandler:)":
                DispatchQueue.main.async { self.didReceive(call) }
            case "UNNotificationServiceExtension.didReceive(_:withContentHandler:)":
                ServiceExtension.shared.receive(call)
            default: break
            }
        }
    }

    /// Handles a notification in the foreground; it is not presented if the delegate does not implement `willPresent`.
    private func willPresent(_ call: DeviceCallback) {
        guard let delegate = self.delegate else { return }
        let identifier = call.collapseID ?? call.apnsID ?? ""
        let notification = UNNotification(userInfo: call.dictionary, identifier: identifier)
        let given = Set((call.arguments["options"] ?? "").split(separator: ",").map(String.init))
        let answer: (UNNotificationPresentationOptions) -> Void = { options in
            guard Set(options.words) != given else { return }
            DispatchQueue.global().async {
                _ = try? self.link.call("PATCH", self.link.appPath(), ["presentation": options.words])
            }
        }
        let hasHandler = UnimplementedMethodDetector.isImplemented {
            delegate.userNotificationCenter(self, willPresent: notification, withCompletionHandler: answer)
        }
        guard !hasHandler else { return }
        nonisolated(unsafe) let (told, target, reply) = (notification, delegate, answer)
        Task { @MainActor in
            reply(await target.userNotificationCenter(self, willPresent: told))
        }
    }

    private func didReceive(_ call: DeviceCallback) {
        guard let delegate = self.delegate else { return }
        let notification = UNNotification(
            userInfo: call.dictionary,
            identifier: call.arguments["identifier"] ?? call.apnsID ?? "",
            apnsID: call.apnsID
        )
        let action = call.arguments["actionIdentifier"] ?? UNNotificationDefaultActionIdentifier
        let response =
            call.arguments["userText"].map {
                UNTextInputNotificationResponse(notification: notification, actionIdentifier: action, userText: $0)
            } ?? UNNotificationResponse(notification: notification, actionIdentifier: action)
        let hasHandler = UnimplementedMethodDetector.isImplemented {
            delegate.userNotificationCenter(self, didReceive: response) { self.link.complete(call, result: "newData") }
        }
        guard !hasHandler else { return }
        nonisolated(unsafe) let (told, target) = (response, delegate)
        Task { @MainActor in
            await target.userNotificationCenter(self, didReceive: told)
            self.link.complete(call, result: "newData")
        }
    }
}

extension UNAuthorizationStatus {
    var allows: Bool { self != .notDetermined && self != .denied }
}
