// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// Parses the content of a notification without its targets: the common members of all send requests.
struct ContentParser {
    static let members = ["pushType", "priority", "expiration", "collapseID", "payload", "notification"]

    /// Until when APNs may be asked to keep a notification, in seconds since 1970.
    static let expirations: ClosedRange<Int64> = 0...FourDigitYears.last

    private var pushType: PushType?
    private var priority: Priority?
    private var expiration: APNsExpiration?
    private var collapseID: CollapseID?
    private var payload: APNsPayload?
    private var payloadMembers: [String] = []

    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "pushType": self.pushType = try reader.value(path, Self.knownPushType)
        case "priority": self.priority = try Self.priority(&reader, path)
        case "expiration":
            let seconds: Int64? = try reader.integer(path, in: Self.expirations)
            self.expiration = seconds.map(APNsExpiration.init(rawValue:))
        case "collapseID": self.collapseID = try reader.value(path, CollapseID.init(_:))
        case "payload":
            self.payloadMembers.append(member)
            self.payload = try Self.rawPayload(&reader, path)
        case "notification":
            self.payloadMembers.append(member)
            self.payload = try AlertParser.read(&reader, path)
        default: try reader.skip()
        }
    }

    /// Records missing members, errors about combinations, and values that APNs would reject.
    ///
    /// - Returns: headers and payload; `nil` only if an error was recorded.
    func finish(
        _ reader: inout JSONReader,
        app: AppID,
        at path: FieldPath = .root
    ) -> (headers: NotificationHeaders, payload: APNsPayload)? {
        if self.payloadMembers.count != 1 {
            let got = self.payloadMembers.isEmpty ? "none" : "both"
            reader.faults.add(path, expected: "exactly one of the members 'payload', 'notification'", got: got)
        }
        guard let payload, let headers = self.headers(&reader, app: app, at: path) else { return nil }
        let alert = path.member("notification")
        if headers.pushType == .alert, self.payloadMembers == ["notification"], !reader.faults.concern(alert),
            payload.bytes.elementsEqual(#"{"aps":{}}"#.utf8)
        {
            reader.faults.add(alert, expected: "content, such as 'body'", got: "none")
        }
        for failure in headers.validate(payloadSize: payload.size) {
            let isSize = failure.field == "payload" && payload.size > headers.pushType.maximumPayloadBytes
            let field = path.member(self.member(named: failure.field))
            reader.faults.add(failure, at: field, code: isSize ? .payloadTooLarge : .invalidRequest)
        }
        return (headers, payload)
    }

    private func headers(_ reader: inout JSONReader, app: AppID, at path: FieldPath) -> NotificationHeaders? {
        let pushType = self.pushType ?? .alert
        do {
            return NotificationHeaders(
                topic: try Topic(bundleID: app.rawValue, pushType: pushType),
                pushType: pushType,
                priority: self.priority,
                expiration: self.expiration,
                collapseID: self.collapseID
            )
        } catch {
            reader.faults.add(error, at: path.member("pushType"))
            return nil
        }
    }

    /// Returns the name in the request for the APNs header `field`.
    private func member(named field: String) -> String {
        switch field {
        case RequestHeader.topic.rawValue: "pushType"
        case RequestHeader.priority.rawValue: "priority"
        case RequestHeader.expiration.rawValue: "expiration"
        case RequestHeader.collapseID.rawValue: "collapseID"
        case "payload": self.payloadMembers.first ?? "payload"
        default: field
        }
    }

    /// Takes the very bytes of the member.
    static func rawPayload(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> APNsPayload? {
        guard let bytes = try reader.rawObject(path) else { return nil }
        do {
            return try APNsPayload(json: bytes)
        } catch {
            reader.faults.add(error, at: path)
            return nil
        }
    }

    static func priority(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> Priority? {
        guard let number: Int = try reader.integer(path, in: 1...10) else { return nil }
        let priority = Priority(rawValue: number)
        guard !Priority.known.contains(priority) else { return priority }
        let known = Priority.known.map(\.description).joined(separator: ", ")
        reader.faults.add(path, expected: "one of \(known)", got: "\(number)")
        return nil
    }

    static func knownPushType(_ text: String) throws(InvalidValueError) -> PushType {
        let type = PushType(rawValue: text)
        guard type.rule == nil else { return type }
        let names = PushType.known.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw InvalidValueError(field: "pushType", rule: "one of \(names)", value: "\(text.utf8.count) bytes")
    }
}

/// The member `notification` of a request to send: the usual keys of `aps` without Apple's spelling.
struct AlertParser {
    static let members = [
        "title", "subtitle", "body", "badge", "sound", "threadID", "category", "contentAvailable", "mutableContent",
        "targetContentID", "interruptionLevel", "relevanceScore", "filterCriteria", "data",
    ]

    private static let levels: [InterruptionLevel] = [.passive, .active, .timeSensitive, .critical]
    private var content = AlertContent()
    private var aps = APS()
    private var custom: [String: JSONValue] = [:]

    /// Parses the object, and records errors.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> APNsPayload? {
        var draft = AlertParser()
        try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "title": draft.content.title = try reader.freeText(path).map(AlertText.plain)
            case "subtitle": draft.content.subtitle = try reader.freeText(path).map(AlertText.plain)
            case "body": draft.content.body = try reader.freeText(path).map(AlertText.plain)
            case "data": draft.custom = try self.data(&reader, path)
            default: try draft.readMember(member, &reader, path)
            }
        }
        return draft.payload(&reader, path)
    }

    private mutating func readMember(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "badge": self.aps.badge = try reader.integer(path, in: 0...Int(Int32.max))
        case "sound": self.aps.sound = try reader.string(path, bytes: 1...256).map(Sound.named)
        case "threadID": self.aps.threadID = try reader.freeText(path)
        case "category": self.aps.category = try reader.freeText(path)
        case "contentAvailable": self.aps.contentAvailable = try reader.boolean(path) ?? false
        case "mutableContent": self.aps.mutableContent = try reader.boolean(path) ?? false
        case "targetContentID": self.aps.targetContentID = try reader.freeText(path)
        case "interruptionLevel": self.aps.interruptionLevel = try reader.value(path, Self.level)
        case "relevanceScore": self.aps.relevanceScore = try reader.double(path, in: 0...1)
        case "filterCriteria": self.aps.filterCriteria = try reader.freeText(path)
        default: try reader.skip()
        }
    }

    private func payload(_ reader: inout JSONReader, _ path: FieldPath) -> APNsPayload? {
        var aps = self.aps
        if let body = self.content.body, self.content == AlertContent(body: body), case .plain(let text) = body {
            aps.alert = .text(text)
        } else if self.content != AlertContent() {
            aps.alert = .content(self.content)
        }
        do {
            return try APNsPayload(aps: aps, custom: self.custom)
        } catch {
            reader.faults.add(error, at: path)
            return nil
        }
    }

    private static func level(_ text: String) throws(InvalidValueError) -> InterruptionLevel {
        let level = InterruptionLevel(rawValue: text)
        guard !self.levels.contains(level) else { return level }
        let names = self.levels.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw InvalidValueError(field: "interruptionLevel", rule: "one of \(names)", value: "\(text.utf8.count) bytes")
    }

    /// Reads the app's own keys.
    private static func data(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> [String: JSONValue] {
        guard let bytes = try reader.rawObject(path) else { return [:] }
        do {
            guard case .object(let members) = try JSONValue(json: bytes) else { return [:] }
            if members["aps"] != nil {
                reader.faults.add(path.member("aps"), expected: "the app's own keys", got: "Apple's 'aps'")
            }
            return members.filter { $0.key != "aps" }
        } catch {
            reader.faults.add(path, expected: "an object", got: error.message)
            return [:]
        }
    }
}

extension NotificationHeaders {
    /// Until when the server tries; see `APNsExpiration.patience(now:)`.
    func expiresAt(now: Date) -> Date? { self.expiration?.patience(now: now) }
}

extension APNsExpiration {
    /// Until when the server tries: as long as APNs would keep the notification, where the caller set an end to that.
    ///
    /// An end that has passed, and `0`, ask for one attempt, which is made.
    func patience(now: Date) -> Date? {
        let end = Date(timeIntervalSince1970: Double(self.rawValue))
        return end > now ? end : nil
    }
}
