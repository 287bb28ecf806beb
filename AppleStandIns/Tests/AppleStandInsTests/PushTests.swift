// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing
import UIKit
import UserNotifications
import VirtualDevice
import VirtualDeviceTesting

/// An extension that makes something of what was sent to it alone.
private final class Decrypting: UNNotificationServiceExtension {
    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        let content = request.content.mutableCopy() as? UNMutableNotificationContent
        content?.body = "open: \(request.content.userInfo["secret"] as? String ?? "")"
        contentHandler(content ?? request.content)
        // Only the first answer counts.
        contentHandler(request.content)
    }
}

extension OnDevice {
    @Test("an app writes all of a notification's content, and finds what it has scheduled")
    func content() async throws {
        try await Self.play { _, _ in
            let content = UNMutableNotificationContent()
            (content.interruptionLevel, content.relevanceScore) = (.timeSensitive, 0.5)
            (content.filterCriteria, content.targetContentIdentifier) = ("work", "chat-1")
            content.launchImageName = "launch"
            let copy = try #require(content.mutableCopy() as? UNMutableNotificationContent)
            #expect(copy.interruptionLevel == .timeSensitive && copy.relevanceScore == 0.5)
            #expect(copy.filterCriteria == "work" && copy.targetContentIdentifier == "chat-1")
            #expect(copy.launchImageName == "launch")

            let center = UNUserNotificationCenter.current()
            let trigger = UNCalendarNotificationTrigger(
                dateMatching: DateComponents(hour: 9, minute: 30),
                repeats: true
            )
            let next = try #require(trigger.nextTriggerDate())
            let parts = Calendar.current.dateComponents([.hour, .minute], from: next)
            #expect(next > Date() && parts == DateComponents(hour: 9, minute: 30))
            let request = UNNotificationRequest(identifier: "daily", content: content, trigger: trigger)
            center.add(request, withCompletionHandler: nil)
            let pending = await withCheckedContinuation { found in
                center.getPendingNotificationRequests { found.resume(returning: $0.map(\.identifier)) }
            }
            #expect(pending == ["daily"])
            center.setNotificationCategories([
                UNNotificationCategory(identifier: "chat", actions: [], intentIdentifiers: [])
            ])
            let categories = await withCheckedContinuation { found in
                center.getNotificationCategories { found.resume(returning: $0.map(\.identifier)) }
            }
            #expect(categories == ["chat"])
        }
    }

    @Test("registering yields the device's token, and another one when it changes")
    func token() async throws {
        try await Self.play { phone, delegate in
            #expect(delegate.told == ["launched", "active"])
            #expect(!UIApplication.shared.isRegisteredForRemoteNotifications)
            UIApplication.shared.registerForRemoteNotifications()
            let first = try phone.token
            try await eventually("the token") { delegate.tokens.isEmpty ? nil : () }
            #expect(delegate.tokens == [first])
            try phone.stage.control("POST", "\(phone.appPath)/reinstall", ["state": "foreground"])
            let second = try phone.token
            try await eventually("the other token") { delegate.tokens.count == 2 ? () : nil }
            #expect(delegate.tokens == [first, second])
            #expect(first != second)
        }
    }

    @Test("without a connection, or an activation, nobody calls back, until there is one", arguments: [false, true])
    func offline(isRevoked: Bool) async throws {
        try await Self.play { phone, delegate in
            if isRevoked {
                try phone.stage.control("DELETE", "\(phone.path)/activation")
            } else {
                try phone.stage.control("PATCH", phone.path, ["online": false])
            }
            try phone.change(["state": "background"])
            // From here on the app knows that it is offline.
            try await eventually("the background") { delegate.told.last == "background" ? () : nil }
            UIApplication.shared.registerForRemoteNotifications()
            // What happens after it on the same way has come, and the token has not.
            try phone.change(["state": "foreground"])
            try await eventually("the screen") { delegate.told.last == "active" ? () : nil }
            #expect(delegate.tokens.isEmpty && delegate.errors.isEmpty)
            if isRevoked { try phone.stage.control("POST", "\(phone.path)/activation") }
            try phone.stage.control("PATCH", phone.path, ["online": true])
            try await eventually("the token") { delegate.tokens.isEmpty ? nil : () }
        }
    }

    @Test("registering an app that is not on the device fails as for one without the entitlement")
    func noEntitlement() async throws {
        try await Self.play { phone, delegate in
            try phone.stage.control("DELETE", phone.appPath)
            UIApplication.shared.registerForRemoteNotifications()
            try await eventually("the error") { delegate.errors.isEmpty ? nil : () }
            let error = try #require(delegate.errors.first) as NSError
            #expect(error.code == 3000)
        }
    }

    @Test("asking waits for the person's answer, and only the first time")
    func permission() async throws {
        try await Self.play(["permission": "notDetermined"]) { phone, _ in
            let center = UNUserNotificationCenter.current()
            #expect(await center.notificationSettings().authorizationStatus == .notDetermined)
            async let answer = center.requestAuthorization(options: [.alert])
            try phone.change(["permission": "denied"])
            let answers = [try await answer, try await center.requestAuthorization(options: [.alert])]
            #expect(answers == [false, false])
            try phone.change(["permission": "authorized"])
            let isGranted = try await center.requestAuthorization(options: [.alert])
            #expect(isGranted)
            #expect(await center.notificationSettings().alertSetting == .enabled)
        }
    }

    @Test("provisional permission is given without a question")
    func provisional() async throws {
        try await Self.play(["permission": "notDetermined"]) { phone, _ in
            let center = UNUserNotificationCenter.current()
            let isGranted = try await center.requestAuthorization(options: [.alert, .provisional])
            #expect(isGranted)
            #expect(await center.notificationSettings().authorizationStatus == .provisional)
        }
    }

    @Test("a push to the app on the screen asks how to present it, and shows the next one so")
    func foreground() async throws {
        try await Self.play { phone, delegate in
            let payload: [String: Any] = ["aps": ["alert": ["title": "T", "body": "B"], "badge": 3], "n": 1]
            let token = try phone.token
            delegate.options = []
            try phone.stage.send(payload, to: token, ["collapseID": "one"])
            try await eventually("the notification") { delegate.notifications.isEmpty ? nil : () }
            let content = delegate.notifications[0].request.content
            #expect(content.title == "T" && content.body == "B" && content.badge == 3)
            #expect(content.userInfo["n"] as? Int == 1)
            #expect(delegate.notifications[0].request.identifier == "one")
            #expect(delegate.notifications[0].request.trigger is UNPushNotificationTrigger)
            try await eventually("the options") {
                let apps = try phone.stage.control("GET", phone.path)["apps"] as? [[String: Any]]
                return (apps?.first?["presentation"] as? [String])?.isEmpty == true ? () : nil
            }
        }
    }

    @Test("a silent push lets the app run in the background, which says what it found")
    func background() async throws {
        try await Self.play { phone, delegate in
            delegate.result = .noData
            try phone.change(["state": "background"])
            try await eventually("the background") { UIApplication.shared.applicationState == .background ? () : nil }
            let token = try phone.token
            try phone.stage.send(
                ["aps": ["content-available": 1], "n": 2],
                to: token,
                ["pushType": "background", "priority": 5]
            )
            try await eventually("the push") { delegate.pushes.isEmpty ? nil : () }
            #expect(delegate.pushes[0]["n"] as? Int == 2)
            try await eventually("the completion") {
                try phone.calls("didReceiveRemoteNotification").first?["result"] as? String == "noData" ? () : nil
            }
        }
    }

    @Test("a tap opens the app and tells it which notification, an action with what was typed")
    func tap() async throws {
        try await Self.play { phone, delegate in
            try phone.change(["state": "background"])
            let token = try phone.token
            for name in ["first", "second"] {
                try phone.stage.send(["aps": ["alert": name]], to: token, ["collapseID": name])
            }
            #expect(await UNUserNotificationCenter.current().deliveredNotifications().count == 2)
            try phone.stage.control("POST", "\(phone.path)/shown/first/response")
            try phone.stage.control(
                "POST",
                "\(phone.path)/shown/second/response",
                ["action": "reply", "text": "yes"]
            )
            try await eventually("both responses") { delegate.responses.count == 2 ? () : nil }
            #expect(delegate.responses[0].actionIdentifier == UNNotificationDefaultActionIdentifier)
            #expect(delegate.responses[0].notification.request.identifier == "first")
            #expect(delegate.responses[0].notification.request.content.body == "first")
            #expect((delegate.responses[1] as? UNTextInputNotificationResponse)?.userText == "yes")
            try await eventually("the screen") { UIApplication.shared.applicationState == .active ? () : nil }
        }
    }

    @Test("a push with mutable content is shown as the app's extension makes it")
    func serviceExtension() async throws {
        ServiceExtension.shared.use { Decrypting() }
        defer { ServiceExtension.shared.reset() }
        try await Self.play { phone, delegate in
            try phone.change(["state": "background"])
            let token = try phone.token
            let aps: [String: Any] = ["alert": ["title": "T", "body": "?"], "mutable-content": 1]
            try phone.stage.send(["aps": aps, "secret": "sesame"], to: token, ["collapseID": "one"])
            try await eventually("the extension's answer") {
                try phone.calls("UNNotificationServiceExtension").first?["result"] as? String == "newData" ? () : nil
            }
            let delivered = await UNUserNotificationCenter.current().deliveredNotifications()
            #expect(delivered.map(\.request.content.body) == ["open: sesame"])
            #expect(delivered.map(\.request.content.title) == ["T"])
            try phone.stage.send(["aps": ["alert": "plain"]], to: token, ["collapseID": "two"])
            try phone.stage.control("POST", "\(phone.path)/shown/one/response")
            try await eventually("the response") { delegate.responses.isEmpty ? nil : () }
            #expect(delegate.responses[0].notification.request.content.body == "open: sesame")
            let bodies = await UNUserNotificationCenter.current().deliveredNotifications().map(\.request.content.body)
            #expect(bodies == ["plain"])
            #expect(try phone.calls("UNNotificationServiceExtension").count == 1)
        }
    }

    @Test("a call that comes while the app does not run reaches the next launch, once")
    func launch() async throws {
        try await Self.play { phone, delegate in
            let token = try phone.token
            let place = VirtualDeviceContext(
                control: phone.stage.control,
                device: phone.id,
                bundleID: phone.stage.app,
                container: phone.container
            )
            for number in [3, 4] {
                VirtualDeviceSession.shared.disconnect()
                try phone.change(["state": "notLaunched"])
                try phone.stage.send(
                    ["aps": ["content-available": 1], "n": number],
                    to: token,
                    ["pushType": "background", "priority": 5]
                )
                VirtualDeviceSession.shared.connect(place)
                UIApplication.shared.launch(delegate, bySystem: true)
                UIApplication.shared.registerForRemoteNotifications()
                let count = delegate.tokens.count
                try await eventually("the launch") { delegate.tokens.count > count ? () : nil }
                try await eventually("the push") { delegate.pushes.last?["n"] as? Int == number ? () : nil }
            }
            // They come in their order: one that came once more would stand between them.
            #expect(delegate.pushes.map { $0["n"] as? Int } == [3, 4])
        }
    }

    @Test("the delegate of an app with scenes is not told of the screen, and whoever watches for the notification is")
    func scenes() async throws {
        let posted = Locked<[String]>([])
        let center = NotificationCenter.default
        let names = [UIApplication.didBecomeActiveNotification, UIApplication.didEnterBackgroundNotification]
        let observers = names.map { name in
            center.addObserver(forName: name, object: nil, queue: nil) { _ in posted.with { $0.append(name.rawValue) } }
        }
        defer { for observer in observers { center.removeObserver(observer) } }
        try await Self.play(hasScenes: true) { phone, delegate in
            try phone.change(["state": "background"])
            try await eventually("the background") { posted.with { $0.count } == 2 ? () : nil }
            #expect(posted.with { $0 } == names.map(\.rawValue))
            #expect(UIApplication.shared.applicationState == .background)
            #expect(delegate.told == ["launched"])
        }
    }

    @Test("the badge of a push is the app's, until the app sets another")
    func badge() async throws {
        let center = UNUserNotificationCenter.current()
        try await Self.play { phone, delegate in
            delegate.options = [.banner, .list, .badge]
            #expect(center.badgeCount == 0)
            try phone.stage.send(["aps": ["alert": "A", "badge": 3]], to: phone.token)
            try await eventually("the badge") { center.badgeCount == 3 ? () : nil }
            try await center.setBadgeCount(1)
            #expect(center.badgeCount == 1)
            try phone.stage.send(["aps": ["badge": 0]], to: phone.token)
            try await eventually("no badge") { center.badgeCount == 0 ? () : nil }
            await #expect(throws: UNError.self) { try await center.setBadgeCount(-1) }
        }
    }

    @Test("an app that is force-quit ends")
    func forceQuit() async throws {
        try await Self.play { phone, delegate in
            try phone.change(["state": "forceQuit"])
            try await eventually("the end") { delegate.told.last == "ended" ? () : nil }
            #expect(delegate.told.suffix(2) == ["terminating", "ended"])
        }
    }

    @Test("an app that is removed ends without a word, and once")
    func removed() async throws {
        try await Self.play { phone, delegate in
            try phone.stage.control("DELETE", phone.appPath)
            try await eventually("the end") { delegate.told.last == "ended" ? () : nil }
            // A look after it has nothing to tell, or has told it on the way that this comes by.
            VirtualDeviceSession.shared.look()
            VirtualDeviceSession.shared.betweenLooks {}
            await withCheckedContinuation { told in DispatchQueue.main.async { told.resume() } }
            #expect(delegate.told == ["launched", "active", "ended"])
            #expect(VirtualDeviceSession.shared.isGone)
        }
    }
}
