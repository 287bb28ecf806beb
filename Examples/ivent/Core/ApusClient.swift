// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// The requests to Apus, for the Live Activities of lessons.
///
/// The ID of an activity is that of its lesson. A request that failed can be repeated.
package struct ApusClient: Sendable {
    /// The name of the app's type.
    private static let attributesType = "IVENTActivityAttributes"

    /// How long the Lock Screen shows a lesson after its end, in seconds.
    private static let shownAfterEnd = 300

    private let base: String
    private let key: String

    /// Creates a client; `key` is an API key with the scope `activities`.
    package init(server: String, app: String, key: String) {
        self.base = "\(server)/v1/apps/\(app)"
        self.key = key
    }

    /// Registers the app's type, so that Apus rejects content that the app cannot decode.
    package func registerType() async throws {
        let text: [String: Any] = ["type": "string"]
        let state: [String: Any] = [
            "type": "object",
            "properties": [
                "childName": text, "scheduleTitle": text, "endTime": ["type": "number", "format": "swift-date"],
                "status": ["enum": ["active", "ending", "ended"]],
            ],
            "required": ["childName", "scheduleTitle", "endTime", "status"],
            "additionalProperties": false,
        ]
        let attributes: [String: Any] = [
            "type": "object",
            "properties": ["scheduleId": text, "childId": text, "academyName": text],
            "required": ["scheduleId", "childId", "academyName"],
        ]
        let body = ["contentState": state, "attributes": attributes]
        try await self.send("PUT", "/activity-types/\(Self.attributesType)", body)
    }

    /// Brings the activity of a lesson up to date: its content, its end and what happens then.
    ///
    /// Creates the activity if Apus does not have it. Devices of the parent join it when the app registers their tokens,
    /// or when ``start(_:)`` sends them a push. The creation comes first, because a change alone would also concern an
    /// activity that any copy of the app has created under this ID.
    package func put(_ schedule: ScheduleRecord) async throws {
        var body = Self.times(of: schedule)
        body["id"] = schedule.id
        body["attributesType"] = Self.attributesType
        body["attributes"] = [
            "scheduleId": schedule.id, "childId": schedule.childId, "academyName": schedule.academyName,
        ]
        body["contentState"] = Self.content(of: schedule)
        body["participants"] = ["users": [schedule.parentId]]
        // A push starts the activity only with an alert.
        body["alert"] = ["title": schedule.title, "body": "\(schedule.childName), \(schedule.academyName)"]
        // Apus ends the activity on time, also while the backend is stopped.
        let over: [String: Any] = [
            "instant": "endsAt", "patch": ["status": "ended"], "end": ["afterSeconds": Self.shownAfterEnd],
        ]
        body["transitions"] = ["over": over]
        do {
            try await self.send("POST", "/activities", body)
        } catch let problem as ApusProblem where problem.status == 409 {
            var change = Self.times(of: schedule)
            change["patch"] = Self.content(of: schedule)
            try await self.send("PATCH", "/activities/\(schedule.id)", change)
        }
    }

    /// Starts the activity by a push on the devices of the child's parent that do not show it.
    ///
    /// - Returns: the number of devices that are sent a start.
    package func start(_ schedule: ScheduleRecord) async throws -> Int {
        let body = ["users": [schedule.parentId]]
        let answer = try await self.send("POST", "/activities/\(schedule.id):start", body)
        return answer["sent"] as? Int ?? 0
    }

    /// Announces that a lesson ends soon.
    ///
    /// Only the first request for an end time sends a push, even if the process is killed before it has stored that.
    package func announceEnd(of schedule: ScheduleRecord) async throws {
        let end = Int(schedule.endTime.timeIntervalSince1970)
        let body = ["patch": ["status": ScheduleRecord.Status.ending.rawValue]]
        let key = "ending-\(schedule.id)-\(end)"
        try await self.send("PATCH", "/activities/\(schedule.id)", body, idempotencyKey: key)
    }

    /// Ends the activity of a lesson now.
    package func end(_ schedule: ScheduleRecord) async throws {
        let body: [String: Any] = ["patch": ["status": "ended"], "end": ["afterSeconds": Self.shownAfterEnd]]
        try await self.send("PATCH", "/activities/\(schedule.id)", body)
    }

    private static func content(of schedule: ScheduleRecord) -> [String: Any] {
        // A device that shows a planned lesson shows it as active.
        let status = schedule.status == .planned ? .active : schedule.status
        return [
            "childName": schedule.childName, "scheduleTitle": schedule.title, "status": status.rawValue,
            // As the app's JSONDecoder reads a date.
            "endTime": schedule.endTime.timeIntervalSinceReferenceDate,
        ]
    }

    private static func times(of schedule: ScheduleRecord) -> [String: Any] {
        [
            "instants": ["endsAt": schedule.endTime.formatted(.iso8601)],
            "staleDate": schedule.endTime.addingTimeInterval(Double(Self.shownAfterEnd)).formatted(.iso8601),
        ]
    }

    @discardableResult
    private func send(
        _ method: String,
        _ path: String,
        _ body: [String: Any],
        idempotencyKey: String? = nil
    ) async throws -> [String: Any] {
        var request = HTTPClientRequest(url: self.base + path)
        request.method = .RAW(value: method)
        request.headers.add(name: "Authorization", value: "Bearer \(self.key)")
        request.headers.add(name: "Content-Type", value: "application/json")
        if let idempotencyKey { request.headers.add(name: "Idempotency-Key", value: idempotencyKey) }
        request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body)))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        let data = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
        let answer = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
        guard (200..<300).contains(response.status.code) else {
            throw ApusProblem(
                status: Int(response.status.code),
                code: answer["code"] as? String ?? "",
                detail: answer["detail"] as? String ?? String(decoding: data.prefix(200), as: UTF8.self)
            )
        }
        return answer
    }
}

/// A request that Apus rejected.
package struct ApusProblem: Error, CustomStringConvertible {
    package let status: Int
    /// The code of the problem, as in docs/problems.md.
    package let code: String
    let detail: String

    package var description: String { "Apus: \(self.status) \(self.code): \(self.detail)" }
}
