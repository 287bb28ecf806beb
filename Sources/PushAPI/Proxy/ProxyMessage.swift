// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// A notification in the form of apns-proxy-server: one command byte and a JSON object.
///
/// The payload becomes what that server sent to APNs: `custom` goes to its root, the names of an alert's members get
/// hyphens, flags become `1`. Empty values and `null` are left out. Numbers and texts keep their form, without the
/// white space and the escapes that JSON does not need.
struct ProxyMessage: Hashable {
    /// The command byte of a message that sends.
    static let command: UInt8 = 2

    /// The length of a device token in the protocol, in digits.
    static let tokenDigits = 64

    /// How long APNs keeps a notification without `expiry`, in seconds.
    static let defaultLifetime: Int64 = 3600

    /// The caller's name for the app.
    private(set) var application = ""

    /// Where the digits of the device token are in the text.
    private(set) var token = 0..<0

    private(set) var headers = ItemHeaders()
    private(set) var payload: [UInt8] = []

    /// Whether the message is checked and not sent.
    private(set) var isTest = false

    /// Reads a message, which is a part of `bytes`.
    ///
    /// `now` is the time from which ``defaultLifetime`` counts.
    /// - Throws: ``ProxyFault`` `.malformed` unless it is the command and a JSON object, `.invalid` for a wrong value.
    init(_ bytes: [UInt8], in range: Range<Int>, now: Date) throws(ProxyFault) {
        guard let command = bytes[range].first else {
            throw ProxyFault(.malformed, "expected one frame with a command byte and JSON")
        }
        guard command == Self.command else {
            throw ProxyFault(.malformed, "expected the command 2, got \(command)")
        }
        self.headers.expiration = Int64(clampedSeconds: now) + Self.defaultLifetime
        do {
            var reader = ProxyMessageReader(JSONCursor(bytes, in: range.dropFirst()))
            try reader.object("the message") { reader, name in try self.read(name, &reader) }
            try reader.cursor.expectEnd()
        } catch let error as JSONSyntaxError {
            let place = error.offset - range.lowerBound
            throw ProxyFault(.malformed, "expected JSON after the command byte: \(error.message), at byte \(place)")
        } catch let fault as ProxyFault {
            throw fault
        } catch {
            throw ProxyFault(.invalid, "\(error)")
        }
        let missing = [
            ("appid", self.application.isEmpty), ("token", self.token.isEmpty), ("aps", self.payload.isEmpty),
        ]
        if let (name, _) = missing.first(where: \.1) {
            throw ProxyFault(.invalid, "\(name): expected a value, got none")
        }
        if self.headers.pushType == .background { self.headers.priority = nil }
    }

    private mutating func read(_ name: String, _ reader: inout ProxyMessageReader) throws {
        switch name {
        case "appid": self.application = try reader.text("appid")
        case "token":
            let token = try reader.string("token")
            guard token.content.count == Self.tokenDigits, !token.hasEscapes else {
                throw ProxyFault(.invalid, "token: expected \(Self.tokenDigits) hexadecimal digits")
            }
            self.token = token.content
        case "aps": try self.readAPS(&reader)
        case "test": self.isTest = try reader.flag("test")
        case "expiry":
            guard let seconds = try reader.wholeNumber("expiry") else { return }
            guard ContentParser.expirations.contains(seconds) else {
                throw ProxyFault(.invalid, "expiry: expected seconds since 1970, got \(seconds)")
            }
            self.headers.expiration = seconds
        case "priority":
            guard let number = try reader.wholeNumber("priority") else { return }
            let priority = Int(exactly: number).map(Priority.init(rawValue:))
            guard let priority, Priority.known.contains(priority) else {
                throw ProxyFault(.invalid, "priority: expected 10, 5 or 1, got \(number)")
            }
            self.headers.priority = priority == .immediate ? nil : priority.rawValue
        default:
            let known = "appid, token, aps, test, expiry, priority"
            throw ProxyFault(.invalid, "expected the members \(known), got another one")
        }
    }
}

extension ProxyMessage {
    /// Why APNs would refuse the payload for its size; `nil` if it would not.
    var sizeFault: ProxyFault? {
        let limit = (self.headers.pushType ?? .alert).maximumPayloadBytes
        guard self.payload.count > limit else { return nil }
        return ProxyFault(.invalid, "aps: expected a payload of at most \(limit) bytes, got \(self.payload.count)")
    }

    private mutating func readAPS(_ reader: inout ProxyMessageReader) throws {
        var writer = JSONWriter(capacity: 256)
        var custom: Range<Int>?
        var isVisible = false
        var isContentAvailable = false
        writer.beginObject()
        writer.key("aps")
        writer.beginObject()
        try reader.object("aps") { reader, name in
            if try reader.skipNull() { return }
            switch name {
            case "alert": isVisible = try reader.copyAlert(to: &writer) || isVisible
            case "sound": isVisible = try reader.copyFilled("sound", orObject: true, to: &writer) || isVisible
            case "category": _ = try reader.copyFilled("category", orObject: false, to: &writer)
            case "badge":
                guard let number = try reader.wholeNumber("aps.badge") else { return }
                isVisible = true
                writer.key("badge")
                writer.integer(number)
            case "content_available": isContentAvailable = try reader.flag("aps.content_available")
            case "custom":
                guard try reader.cursor.kind() == .object else {
                    throw ProxyFault(.invalid, "aps.custom: expected an object")
                }
                custom = try reader.cursor.skipValue()
            default:
                let known = "alert, sound, badge, category, content_available, custom"
                throw ProxyFault(.invalid, "aps: expected the members \(known), got another one")
            }
        }
        if isContentAvailable {
            writer.key("content-available")
            writer.integer(1)
        }
        writer.endObject()
        if let custom { try reader.copyMembers(of: custom, to: &writer) }
        writer.endObject()
        self.payload = writer.bytes
        self.headers.pushType = isContentAvailable && !isVisible ? .background : nil
    }
}

/// Why a message of the proxy protocol is not sent.
struct ProxyFault: Error, Hashable {
    /// The kinds, by their names in responses and metrics.
    enum Kind: String, CaseIterable {
        /// The frame is not a command byte and JSON.
        case malformed

        /// A value breaks a rule of the protocol or of APNs.
        case invalid

        /// No app has the `appid`.
        case unknownApp = "unknown_app"

        /// The store did not accept it.
        case failed
    }

    let kind: Kind

    /// What was expected, without contents of the message.
    let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Any failure; that of a store keeps its message.
    init(_ error: any Error) {
        switch error {
        case let fault as ProxyFault: self = fault
        case let error as StoreError: self.init(.failed, "\(error)")
        default: self.init(.failed, "the server is stopping")
        }
    }

    static let unknownApp = ProxyFault(.unknownApp, "appid: expected one of proxy.apps, or of an app that exists")

    /// The response to a request, which is not JSON, so that no client takes it for tokens.
    var response: [UInt8] { Array("ERROR \(self.kind.rawValue): \(self.message)".utf8) }
}

extension Int64 {
    /// The seconds of a time since 1970; 0 for a time that has none.
    fileprivate init(clampedSeconds time: Date) {
        self = Int64(exactly: time.timeIntervalSince1970.rounded(.down)).map { Swift.max(0, $0) } ?? 0
    }
}
