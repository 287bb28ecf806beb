// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An identifier that is a short string, with a separate type for each kind so that they cannot be confused.
///
/// A value always conforms to the ``rule`` of its type: every initializer checks it.
public protocol TextIdentifier: RawRepresentable, Hashable, Comparable, Codable, Sendable,
    CustomStringConvertible, ExpressibleByStringLiteral
where RawValue == String, StringLiteralType == String {
    /// The name of the field in which callers give such an identifier, used in validation failures.
    static var field: String { get }

    /// The valid strings, in words.
    static var rule: String { get }

    static func isValid(_ text: String) -> Bool

    /// Wraps a text that is known to be valid; use ``init(validating:)`` everywhere else.
    init(unchecked text: String)
}

extension TextIdentifier {
    /// Takes a text that came from outside.
    ///
    /// - Throws: `InvalidValueError` with the field, the rule and the text's length when it is not valid.
    public init(validating text: String) throws(InvalidValueError) {
        guard Self.isValid(text) else {
            throw InvalidValueError(field: Self.field, rule: Self.rule, value: "\(text.utf8.count) bytes")
        }
        self.init(unchecked: text)
    }

    public init?(rawValue: String) {
        guard Self.isValid(rawValue) else { return nil }
        self.init(unchecked: rawValue)
    }

    /// Takes a literal; a literal that breaks the ``rule`` is a programming error and ends the process.
    public init(stringLiteral value: String) {
        // Cannot trap: only literals in source code come here.
        precondition(Self.isValid(value), "\(Self.self): the literal '\(value)' is not \(Self.rule)")
        self.init(unchecked: value)
    }

    public var description: String { self.rawValue }

    /// Orders identifiers by their UTF-8 bytes, as the stores do.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}

extension String {
    /// Whether the text has `range` UTF-8 bytes and no control characters.
    func isPlain(bytes range: ClosedRange<Int>) -> Bool {
        range.contains(self.utf8.count) && self.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}

/// An app, named by its bundle identifier, such as `com.example.app`.
public struct AppID: TextIdentifier {
    public static let field = "app"
    public static let rule = "a bundle identifier: 1 to 155 letters, digits, hyphens and dots"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    /// The alphabet is Apple's for `CFBundleIdentifier`; the length is that of an uniform type identifier.
    public static func isValid(_ text: String) -> Bool {
        (1...155).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
                default: false
                }
            }
    }
}

/// A credential that authenticates an app's notifications to APNs.
public struct CredentialID: TextIdentifier {
    public static let field = "credential"
    public static let rule = "1 to 64 bytes of UTF-8 without control characters"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    public static func isValid(_ text: String) -> Bool {
        text.isPlain(bytes: 1...64)
    }
}

/// One installation of an app on one device, named by the app itself, such as by a UUID it keeps.
public struct DeviceID: TextIdentifier {
    public static let field = "device"
    public static let rule = "1 to 128 bytes of UTF-8 without control characters"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    public static func isValid(_ text: String) -> Bool {
        text.isPlain(bytes: 1...128)
    }
}

/// A user of an app, named by the operator of the app; a user may have several devices.
public struct UserID: TextIdentifier {
    public static let field = "userID"
    public static let rule = "1 to 256 bytes of UTF-8 without control characters"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    public static func isValid(_ text: String) -> Bool {
        text.isPlain(bytes: 1...256)
    }
}

/// A process, or one of its loops, as the holder of leases; unique among all that share a store.
public struct WorkerID: TextIdentifier {
    public static let field = "worker"
    public static let rule = "1 to 128 bytes of UTF-8 without control characters"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    public static func isValid(_ text: String) -> Bool {
        text.isPlain(bytes: 1...128)
    }
}

/// Identifies a stream of notifications, so that a client can resume it; chosen by the caller.
public struct StreamID: TextIdentifier {
    public static let field = "stream"
    public static let rule = "1 to 128 bytes of UTF-8 without control characters"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    public static func isValid(_ text: String) -> Bool { text.isPlain(bytes: 1...128) }
}

/// One Live Activity of an app, named by its creator: a lesson, a ride, a match.
public struct ActivityID: TextIdentifier {
    public static let field = "activity"
    public static let rule = "1 to 128 bytes of UTF-8 without control characters"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    public static func isValid(_ text: String) -> Bool {
        text.isPlain(bytes: 1...128)
    }
}

/// The name of an app's `ActivityAttributes` type, without its module, such as `RidingAttributes`.
public struct AttributesType: TextIdentifier {
    public static let field = "attributesType"
    public static let rule = "1 to 128 bytes of UTF-8 without control characters"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    public static func isValid(_ text: String) -> Bool {
        text.isPlain(bytes: 1...128)
    }
}

/// The name of an instant in an activity's data, such as `endsAt`.
public struct InstantName: TextIdentifier {
    public static let field = "instant"
    public static let rule = "1 to 64 bytes of UTF-8 without control characters"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    public static func isValid(_ text: String) -> Bool {
        text.isPlain(bytes: 1...64)
    }
}

/// The name of a broadcast channel within its app, of the caller's choice; APNs' own identifier is random.
public struct ChannelName: TextIdentifier {
    public static let field = "channel"
    public static let rule = "1 to 128 bytes of UTF-8 without control characters"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    public static func isValid(_ text: String) -> Bool {
        text.isPlain(bytes: 1...128)
    }
}

/// Names a job within its app; the caller chooses it.
public struct JobID: TextIdentifier {
    public static let field = "job"
    public static let rule = "1 to 64 letters, digits, '-', '_' and '.'"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    /// Whether a string conforms to the ``rule``: it is used in paths, followed by a colon.
    public static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}

/// Names a topic that devices and others are subscribed to; one namespace for all apps of a server.
public struct TopicName: TextIdentifier {
    public static let field = "topic"
    public static let rule = "1 to 256 letters, digits, '-' and '_', with or without the suffix '.fifo'"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    public static func isValid(_ text: String) -> Bool {
        let stem = text.hasSuffix(".fifo") ? text.dropLast(5) : text[...]
        return (1...256).contains(text.utf8.count) && !stem.isEmpty
            && stem.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

/// Names a webhook.
public struct WebhookID: TextIdentifier {
    public static let field = "webhook"
    public static let rule = "1 to 64 lower-case letters, digits and '_'"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    /// Draws a new id: `wh_` and 16 hexadecimal digits.
    public static func random() -> WebhookID {
        WebhookID(unchecked: "wh_" + withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Hex.text($0) })
    }

    /// Whether a text obeys the ``rule``; other characters would break ids of messages and paths that are made of it.
    public static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

/// The number of a topic, assigned by the store and never reused: a topic that is created again has another number.
public struct TopicID: RawRepresentable, Hashable, Sendable, Codable {
    /// The number, from 1.
    public let rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

extension WorkerID {
    /// The ID of this process: `HOST/PID/` and 16 random hexadecimal digits.
    ///
    /// So a process that is restarted is another worker.
    ///
    /// The process holds a lock under this ID. Its leases are those of all workers whose IDs begin with it.
    public static let process: WorkerID = {
        var name = [CChar](repeating: 0, count: 65)
        let isKnown = gethostname(&name, name.count - 1) == 0
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        let id = "\(getpid())/\(Self.randomDigits())"
        return WorkerID(rawValue: isKnown ? "\(host)/\(id)" : id) ?? WorkerID(unchecked: id)
    }()

    /// A new worker of this process: the ID of the process, `/` and 16 random hexadecimal digits.
    public static func unique() -> WorkerID {
        WorkerID(unchecked: "\(Self.process)/\(Self.randomDigits())")
    }

    private static func randomDigits() -> String {
        withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Hex.text($0) }
    }
}
