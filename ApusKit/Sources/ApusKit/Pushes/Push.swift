// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// How a push came to the app.
public enum PushContext: Sendable, Hashable {
    /// While the app was on the screen.
    case foreground
    /// In the background: the app has half a minute.
    case background
    /// The person tapped the notification.
    case tapped
    /// The person chose an action of the notification, and typed a text where it takes one.
    case chose(action: String, text: String?)
    /// The person cleared the notification away; only for categories that ask for that.
    case dismissed

    /// Whether the person has done something with the notification that may bring the app to the screen.
    var opensApp: Bool {
        switch self {
        case .tapped, .chose: true
        case .foreground, .background, .dismissed: false
        }
    }
}

/// A push that has come.
public struct Push: Sendable, Hashable {
    /// How it came.
    public let arrival: PushContext
    /// The notification's identifier: the `apns-collapse-id`, or one of the system's.
    ///
    /// Empty for a silent push.
    public let identifier: String
    /// The payload as JSON, `aps` included.
    public let payload: Data
    /// What the app is to do: the text of the payload's member `action`; empty where there is none.
    public let action: String
    /// The title that is shown.
    public let title: String
    /// The text that is shown.
    public let body: String
    /// The number for the app's icon.
    public let badge: Int?

    /// A push with the `userInfo` that the system hands over.
    ///
    /// - Throws: ``PushError/malformed(_:)`` where that is no JSON object.
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

    /// The payload as a type of the app's.
    ///
    /// - Throws: ``PushError/malformed(_:)`` with the member that does not fit.
    public func decode<Body: Decodable>(_ type: Body.Type = Body.self) throws -> Body {
        do {
            return try JSONDecoder().decode(type, from: self.payload)
        } catch let error as DecodingError {
            throw PushError.malformed(error.place)
        }
    }
}

/// What is wrong with a push.
public enum PushError: Error, Sendable, Hashable {
    /// The payload is not what it should be; the text says where.
    case malformed(String)
}

/// What came of a push.
public enum PushResult: Sendable, Hashable {
    /// There is something new.
    case newData
    /// There is nothing new.
    case noData
    /// It did not work.
    case failed
}

/// An action that pushes ask for, with the type of what they carry beside it.
public struct PushAction<Body: Decodable & Sendable>: Sendable {
    /// The text of the payload's member `action`.
    public let name: String

    /// An action of this name.
    public init(_ name: String, _ body: Body.Type = Body.self) { self.name = name }
}

/// How a push is shown while the app is on the screen.
public struct PushPresentation: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int
    /// Options of these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// As a banner.
    public static let banner = PushPresentation(rawValue: 1)
    /// In the list of notifications.
    public static let list = PushPresentation(rawValue: 2)
    /// With its sound.
    public static let sound = PushPresentation(rawValue: 4)
    /// With its number on the icon.
    public static let badge = PushPresentation(rawValue: 8)
    /// With all of it.
    public static let all: PushPresentation = [.banner, .list, .sound, .badge]
}

extension DecodingError {
    /// Which member does not fit, and why; never what it says, and no key of a dictionary, which may be of the person.
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
    /// The key where a type names it, which is a case without a value; `*` where data does, as in dictionaries and arrays.
    fileprivate var fixedName: String {
        let mirror = Mirror(reflecting: self)
        return mirror.displayStyle == .enum && mirror.children.isEmpty ? self.stringValue : "*"
    }
}
