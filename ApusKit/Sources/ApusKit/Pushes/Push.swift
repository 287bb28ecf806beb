// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// How the app received a push.
public enum PushContext: Sendable, Hashable {
    /// The app was in the foreground.
    case foreground
    /// The app was in the background; the system gives it about 30 seconds.
    case background
    /// The user tapped the notification.
    case tapped
    /// The user chose an action of the notification; `text` is the input of a text input action.
    case chose(action: String, text: String?)
    /// The user dismissed the notification; reported only for categories with `customDismissAction`.
    case dismissed

    /// Whether the user's action can open the app.
    var opensApp: Bool {
        switch self {
        case .tapped, .chose: true
        case .foreground, .background, .dismissed: false
        }
    }
}

/// A push that the app received.
public struct Push: Sendable, Hashable {
    /// How the app received the push.
    public let arrival: PushContext
    /// The notification's identifier: the `apns-collapse-id`, or an identifier from the system.
    ///
    /// Empty for a silent push.
    public let identifier: String
    /// The payload as JSON, `aps` included.
    public let payload: Data
    /// The value of the payload's member `action`; empty if the member is missing.
    public let action: String
    /// The title of the alert; empty if the payload has none.
    public let title: String
    /// The body of the alert; empty if the payload has none.
    public let body: String
    /// The badge number; `nil` if the payload has none.
    public let badge: Int?

    /// Creates a push from the `userInfo` of a notification.
    ///
    /// - Throws: ``PushError/malformed(_:)`` if `userInfo` is not a JSON object.
    public init(userInfo: [AnyHashable: Any], arrival: PushContext, identifier: String = "") throws {
        let members = userInfo.compactMap { key, value in (key as? String).map { ($0, value) } }
        let object = Dictionary(members) { $1 }
        guard members.count == userInfo.count, JSONSerialization.isValidJSONObject(object) else {
            throw PushError.malformed("the payload is no JSON object")
        }
        self.payload = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
        self.arrival = arrival
        self.identifier = identifier
        self.action = object["action"] as? String ?? ""
        let aps = object["aps"] as? [String: Any]
        let alert = aps?["alert"] as? [String: Any]
        self.title = alert?["title"] as? String ?? ""
        self.body = alert?["body"] as? String ?? aps?["alert"] as? String ?? ""
        self.badge = aps?["badge"] as? Int
    }

    /// Decodes the payload as a type of the app.
    ///
    /// - Throws: ``PushError/malformed(_:)`` with the member that cannot be decoded.
    public func decode<Body: Decodable>(_ type: Body.Type = Body.self) throws -> Body {
        do {
            return try JSONDecoder().decode(type, from: self.payload)
        } catch let error as DecodingError {
            throw PushError.malformed(error.place)
        }
    }
}

/// An error in a push.
public enum PushError: Error, Sendable, Hashable {
    /// The payload cannot be decoded; the string names the member.
    case malformed(String)
}

/// The result of handling a push, with the cases of `UIBackgroundFetchResult`.
public enum PushResult: Sendable, Hashable {
    /// The handler loaded new data.
    case newData
    /// There was no new data.
    case noData
    /// The handler failed.
    case failed
}

/// An action that a push requests, with the type of the payload.
public struct PushAction<Body: Decodable & Sendable>: Sendable {
    /// The value of the payload's member `action`.
    public let name: String

    /// Creates an action.
    public init(_ name: String, _ body: Body.Type = Body.self) { self.name = name }
}

/// Options to present a notification while the app is in the foreground.
public struct PushPresentation: OptionSet, Sendable, Hashable {
    /// The bits of the options.
    public let rawValue: Int
    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Show a banner.
    public static let banner = PushPresentation(rawValue: 1)
    /// Show the notification in Notification Center.
    public static let list = PushPresentation(rawValue: 2)
    /// Play the sound.
    public static let sound = PushPresentation(rawValue: 4)
    /// Set the badge of the app's icon.
    public static let badge = PushPresentation(rawValue: 8)
    /// All options.
    public static let all: PushPresentation = [.banner, .list, .sound, .badge]
}

extension DecodingError {
    /// The member that cannot be decoded and the reason, without values and dictionary keys that can be personal data.
    var place: String {
        let (path, reason): ([any CodingKey], String) =
            switch self {
            case .keyNotFound(let key, let context): (context.codingPath + [key], "is missing")
            case .typeMismatch(let type, let context): (context.codingPath, "is no \(type)")
            case .valueNotFound(let type, let context): (context.codingPath, "is null, and no \(type)")
            case .dataCorrupted(let context): (context.codingPath, "cannot be read")
            @unknown default: ([], "cannot be read")
            }
        return "\(path.map(\.fixedName).joined(separator: ".")) \(reason)"
    }
}

extension CodingKey {
    /// The key if it is an enum case without associated values; `*` for dictionary keys and array indices.
    fileprivate var fixedName: String {
        let mirror = Mirror(reflecting: self)
        return mirror.displayStyle == .enum && mirror.children.isEmpty ? self.stringValue : "*"
    }
}
