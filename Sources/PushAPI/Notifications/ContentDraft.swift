// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

/// What is sent and how, without to whom: the members that all requests to send have in common.
struct ContentDraft {
    static let members = ["pushType", "priority", "expiration", "collapseID", "payload", "notification"]

    /// Until when APNs may be asked to keep a notification, in seconds since 1970.
    static let expirations: ClosedRange<Int64> = 0...253_402_300_799

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
            self.payload = try AlertDraft.read(&reader, path)
        default: try reader.skip()
        }
    }

    /// Notes what is missing, what does not belong together, and what Apple would refuse.
    ///
    /// - Parameters:
    ///   - reader: takes note of the faults.
    ///   - app: the app that it is sent for.
    ///   - path: the object that the members were read from.
    /// - Returns: headers and payload; `nil` only when a fault was noted.
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

    /// The caller's name for what Apple calls `field`.
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

    static func knownPushType(_ text: String) throws(ValidationFailure) -> PushType {
        let type = PushType(rawValue: text)
        guard type.rule == nil else { return type }
        let names = PushType.known.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw ValidationFailure(field: "pushType", rule: "one of \(names)", value: "\(text.utf8.count) bytes")
    }
}
