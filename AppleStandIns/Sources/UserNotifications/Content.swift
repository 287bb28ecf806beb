// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

public class UNNotificationSound: NSObject, @unchecked Sendable {
    let name: String
    init(word: String) { self.name = word }

    public convenience init(named name: UNNotificationSoundName) { self.init(word: name.rawValue) }

    public class var `default`: UNNotificationSound { UNNotificationSound(word: "default") }
    public class var defaultCritical: UNNotificationSound { UNNotificationSound(word: "default") }

    public override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationSound)?.name == self.name }
    public override var hash: Int { self.name.hash }
}

public struct UNNotificationSoundName: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(rawValue: String) { self.rawValue = rawValue }
}

public class UNNotificationAttachment: NSObject {
    public let identifier: String
    public let url: URL
    public let type: String

    public init(identifier: String, url URL: URL, options: [AnyHashable: Any]? = nil) throws {
        guard URL.isFileURL else { throw UNError(.attachmentInvalidURL) }
        self.identifier = identifier
        self.url = URL
        self.type = "public.data"
    }
}

public class UNNotificationContent: NSObject {
    public internal(set) var attachments: [UNNotificationAttachment] = []
    public internal(set) var badge: NSNumber?
    public internal(set) var body = ""
    public internal(set) var categoryIdentifier = ""
    public internal(set) var filterCriteria: String?
    public internal(set) var interruptionLevel = UNNotificationInterruptionLevel.active
    public internal(set) var launchImageName = ""
    public internal(set) var relevanceScore = 0.0
    public internal(set) var sound: UNNotificationSound?
    public internal(set) var subtitle = ""
    public internal(set) var targetContentIdentifier: String?
    public internal(set) var threadIdentifier = ""
    public internal(set) var title = ""
    public internal(set) var userInfo: [AnyHashable: Any] = [:]

    /// Creates the content of a notification from its payload.
    ///
    /// Texts with a `loc-key` stay empty, because there is no app bundle with localized strings.
    init(userInfo: [AnyHashable: Any]) {
        self.userInfo = userInfo
        let aps = userInfo["aps"] as? [String: Any] ?? [:]
        let alert = aps["alert"] as? [String: Any] ?? [:]
        self.title = alert["title"] as? String ?? ""
        self.subtitle = alert["subtitle"] as? String ?? ""
        self.body = alert["body"] as? String ?? aps["alert"] as? String ?? ""
        self.launchImageName = alert["launch-image"] as? String ?? ""
        self.badge = (aps["badge"] as? Int).map { NSNumber(value: $0) }
        let sound = aps["sound"] as? String ?? (aps["sound"] as? [String: Any])?["name"] as? String
        self.sound = sound.map { UNNotificationSound(word: $0) }
        self.threadIdentifier = aps["thread-id"] as? String ?? ""
        self.categoryIdentifier = aps["category"] as? String ?? ""
        self.targetContentIdentifier = aps["target-content-id"] as? String
        self.filterCriteria = aps["filter-criteria"] as? String
        self.relevanceScore = aps["relevance-score"] as? Double ?? 0
        self.interruptionLevel =
            (aps["interruption-level"] as? String).flatMap(UNNotificationInterruptionLevel.init) ?? .active
    }

    public override init() {}

    public override func mutableCopy() -> Any { UNMutableNotificationContent(copying: self) }
}

public class UNMutableNotificationContent: UNNotificationContent {
    public override init() { super.init() }

    init(copying other: UNNotificationContent) {
        super.init()
        (self.attachments, self.badge, self.body) = (other.attachments, other.badge, other.body)
        (self.categoryIdentifier, self.filterCriteria) = (other.categoryIdentifier, other.filterCriteria)
        (self.interruptionLevel, self.launchImageName) = (other.interruptionLevel, other.launchImageName)
        (self.relevanceScore, self.sound, self.subtitle) = (other.relevanceScore, other.sound, other.subtitle)
        (self.targetContentIdentifier, self.threadIdentifier) = (other.targetContentIdentifier, other.threadIdentifier)
        (self.title, self.userInfo) = (other.title, other.userInfo)
    }

    public override var attachments: [UNNotificationAttachment] {
        get { super.attachments }
        set { super.attachments = newValue }
    }
    public override var badge: NSNumber? {
        get { super.badge }
        set { super.badge = newValue }
    }
    public override var body: String {
        get { super.body }
        set { super.body = newValue }
    }
    public override var categoryIdentifier: String {
        get { super.categoryIdentifier }
        set { super.categoryIdentifier = newValue }
    }
    public override var filterCriteria: String? {
        get { super.filterCriteria }
        set { super.filterCriteria = newValue }
    }
    public override var interruptionLevel: UNNotificationInterruptionLevel {
        get { super.interruptionLevel }
        set { super.interruptionLevel = newValue }
    }
    public override var launchImageName: String {
        get { super.launchImageName }
        set { super.launchImageName = newValue }
    }
    public override var relevanceScore: Double {
        get { super.relevanceScore }
        set { super.relevanceScore = newValue }
    }
    public override var sound: UNNotificationSound? {
        get { super.sound }
        set { super.sound = newValue }
    }
    public override var subtitle: String {
        get { super.subtitle }
        set { super.subtitle = newValue }
    }
    public override var targetContentIdentifier: String? {
        get { super.targetContentIdentifier }
        set { super.targetContentIdentifier = newValue }
    }
    public override var threadIdentifier: String {
        get { super.threadIdentifier }
        set { super.threadIdentifier = newValue }
    }
    public override var title: String {
        get { super.title }
        set { super.title = newValue }
    }
    public override var userInfo: [AnyHashable: Any] {
        get { super.userInfo }
        set { super.userInfo = newValue }
    }
}

public class UNNotificationTrigger: NSObject {
    public let repeats: Bool
    init(repeats: Bool) { self.repeats = repeats }
}

public class UNPushNotificationTrigger: UNNotificationTrigger {
    init() { super.init(repeats: false) }
}

public class UNTimeIntervalNotificationTrigger: UNNotificationTrigger {
    public let timeInterval: TimeInterval

    public init(timeInterval: TimeInterval, repeats: Bool) {
        self.timeInterval = timeInterval
        super.init(repeats: repeats)
    }

    public func nextTriggerDate() -> Date? { Date(timeIntervalSinceNow: self.timeInterval) }
}

public class UNCalendarNotificationTrigger: UNNotificationTrigger {
    public let dateComponents: DateComponents

    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        self.dateComponents = dateComponents
        super.init(repeats: repeats)
    }

    public func nextTriggerDate() -> Date? {
        Calendar.current.nextDate(after: Date(), matching: self.dateComponents, matchingPolicy: .nextTime)
    }
}

public class UNNotificationRequest: NSObject {
    public let identifier: String
    public let content: UNNotificationContent
    public let trigger: UNNotificationTrigger?

    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = content
        self.trigger = trigger
    }
}

public class UNNotification: NSObject {
    public let date: Date
    public let request: UNNotificationRequest

    init(date: Date, request: UNNotificationRequest) {
        self.date = date
        self.request = request
    }

    /// Creates the request of a remote notification.
    ///
    /// The identifier is the `apns-collapse-id` or one from the system. The content is the result of the service
    /// extension.
    convenience init(userInfo: [AnyHashable: Any], identifier: String, apnsID: String? = nil) {
        let content = ServiceExtension.shared.content(of: apnsID) ?? UNNotificationContent(userInfo: userInfo)
        let request = UNNotificationRequest(
            identifier: identifier,
            content: content,
            trigger: UNPushNotificationTrigger()
        )
        self.init(date: Date(), request: request)
    }
}

public class UNNotificationResponse: NSObject {
    public let notification: UNNotification
    public let actionIdentifier: String

    init(notification: UNNotification, actionIdentifier: String) {
        self.notification = notification
        self.actionIdentifier = actionIdentifier
    }
}

public class UNTextInputNotificationResponse: UNNotificationResponse {
    public let userText: String

    init(notification: UNNotification, actionIdentifier: String, userText: String) {
        self.userText = userText
        super.init(notification: notification, actionIdentifier: actionIdentifier)
    }
}

public class UNNotificationAction: NSObject {
    public let identifier: String
    public let title: String
    public let options: UNNotificationActionOptions

    public init(identifier: String, title: String, options: UNNotificationActionOptions = []) {
        self.identifier = identifier
        self.title = title
        self.options = options
    }
}

public class UNTextInputNotificationAction: UNNotificationAction {
    public let textInputButtonTitle: String
    public let textInputPlaceholder: String

    public init(
        identifier: String,
        title: String,
        options: UNNotificationActionOptions = [],
        textInputButtonTitle: String,
        textInputPlaceholder: String
    ) {
        self.textInputButtonTitle = textInputButtonTitle
        self.textInputPlaceholder = textInputPlaceholder
        super.init(identifier: identifier, title: title, options: options)
    }
}

public class UNNotificationCategory: NSObject {
    public let identifier: String
    public let actions: [UNNotificationAction]
    public let intentIdentifiers: [String]
    public let options: UNNotificationCategoryOptions

    public init(
        identifier: String,
        actions: [UNNotificationAction],
        intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {
        self.identifier = identifier
        self.actions = actions
        self.intentIdentifiers = intentIdentifiers
        self.options = options
    }
}

public class UNNotificationSettings: NSObject, @unchecked Sendable {
    public let authorizationStatus: UNAuthorizationStatus

    init(authorizationStatus: UNAuthorizationStatus) { self.authorizationStatus = authorizationStatus }

    /// The value of the individual settings, because a virtual device has only one notification permission.
    private var interrupts: UNNotificationSetting {
        [.authorized, .ephemeral].contains(self.authorizationStatus) ? .enabled : .disabled
    }

    public var soundSetting: UNNotificationSetting { self.interrupts }
    public var badgeSetting: UNNotificationSetting { self.interrupts }
    public var alertSetting: UNNotificationSetting { self.interrupts }
    public var lockScreenSetting: UNNotificationSetting { self.interrupts }
    public var notificationCenterSetting: UNNotificationSetting {
        self.authorizationStatus == .provisional ? .enabled : self.interrupts
    }
    public var carPlaySetting: UNNotificationSetting { .notSupported }
    public var criticalAlertSetting: UNNotificationSetting { .notSupported }
    public var timeSensitiveSetting: UNNotificationSetting { .notSupported }
    public var alertStyle: UNAlertStyle { self.interrupts == .enabled ? .banner : .none }
    public var showPreviewsSetting: UNShowPreviewsSetting { .always }
    public var providesAppNotificationSettings: Bool { false }
}

open class UNNotificationServiceExtension: NSObject {
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        contentHandler(request.content)
    }

    open func serviceExtensionTimeWillExpire() {}
}
