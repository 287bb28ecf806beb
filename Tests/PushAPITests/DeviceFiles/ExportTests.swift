// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import NIOCore
import PushModel
import PushStore
import Testing

@Suite("An export of devices", .timeLimit(.minutes(20)))
struct ExportTests {
    private static let devices = "/v1/apps/\(TestAPI.app)/devices"

    /// What is hard to write: marks of both formats, formulas, other scripts, and nothing at all.
    private static let profiles = [
        DeviceProfile(),
        DeviceProfile(
            platform: DevicePlatform(rawValue: "ios"),
            appVersion: "-1",
            systemVersion: "+18.1",
            locale: "@ja",
            timeZone: "Asia/Calcutta",
            userID: "=HYPERLINK(\"x\",\"y\")",
            tags: ["=a": "=b", "": "", "q\"": "a,b;c", "city": "東京\u{2028}🍣", "slash": "\\/"].filter {
                !$0.key.isEmpty
            },
            topics: ["a;b", "[x]", "=t", "\"", " space "]
        ),
        DeviceProfile(appVersion: "'=1", systemVersion: "'x", locale: "''+", userID: "' ,\"", topics: ["one"]),
        DeviceProfile(userID: " u ", tags: ["only": ""]),
    ]

    private static func fill(_ api: TestAPI, count: Int) async throws {
        let registrations = try (0..<count).map { number in
            DeviceRegistration(
                app: TestAPI.app,
                installation: DeviceID(unchecked: number == 1 ? "=installation, \"1\"" : "i\(number)"),
                token: try DeviceToken(hex: String(format: "%064x", number)),
                environment: number.isMultiple(of: 2) ? .sandbox : .production,
                profile: Self.profiles[number % Self.profiles.count],
                registeredAt: TestTime.start - Double(number)
            )
        }
        try await api.store.register(registrations, now: TestTime.start)
    }

    private static func all(_ api: TestAPI) async throws -> [Device] {
        var devices: [Device] = []
        var cursor: Int64?
        repeat {
            let page = try await api.store.devices(of: TestAPI.app, in: nil, after: cursor, limit: 1000)
            devices += page.elements
            cursor = page.next
        } while cursor != nil
        return devices
    }

    @Test("is imported again as it was, every field of it", arguments: ["ndjson", "csv"])
    func roundTrip(_ format: String) async throws {
        try await withAPI { api async throws in
            try await Self.fill(api, count: 1203)
            let before = try await Self.all(api)
            let type = format == "csv" ? "text/csv" : "application/x-ndjson"
            let export = try await api.call(.get, "\(Self.devices):export?format=\(format)")
            #expect(export.status == 200)
            #expect(export.headers[.contentType] == type)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for device in before {
                    group.addTask { _ = try await api.store.removeDevice(device.installation, of: TestAPI.app) }
                }
                try await group.waitForAll()
            }
            let answer = try await api.call(
                .post,
                "\(Self.devices):import",
                bytes: ByteBuffer(string: export.text),
                headers: [.contentType: type]
            )
            let end = StreamAnswers(answer.text).end
            #expect(end?["imported"]?.number == 1203, "\(answer.text.prefix(1000))")
            #expect(end?["rejected"]?.number == 0)
            #expect(try await Self.all(api) == before)
            #expect(try await api.call(.get, "\(Self.devices):export?format=\(format)").text == export.text)
        }
    }

    @Test("has a line for each device as it is shown by itself")
    func lines() async throws {
        try await withAPI { api async throws in
            try await Self.fill(api, count: 3)
            let export = try await api.call(.get, "\(Self.devices):export")
            let lines = try export.text.split(separator: "\n").map { try JSONValue(json: Array($0.utf8)) }
            let listed = try await api.call(.get, Self.devices)
            #expect(lines == listed.json["devices"]?.elements)
        }
    }

    @Test("gives no spreadsheet a formula")
    func formulas() async throws {
        try await withAPI { api async throws in
            try await Self.fill(api, count: 4)
            let export = try await api.call(.get, "\(Self.devices):export?format=csv")
            let records = export.text.components(separatedBy: "\r\n")
            #expect(records.count == 6)
            #expect(records[0].hasPrefix("device,token,environment,platform,appVersion"))
            #expect(records[2].hasPrefix(#""'=installation, ""1""","#))
            #expect(records[2].contains(#","'=HYPERLINK(""x"",""y"")","#))
            #expect(records[2].contains(",'-1,'+18.1,'@ja,Asia/Calcutta,"))
            #expect(records[3].contains(",''=1,'x,'''+,,"))
        }
    }

    @Test("of no devices is empty but for the names of the columns")
    func empty() async throws {
        try await withAPI { api async throws in
            #expect(try await api.call(.get, "\(Self.devices):export").text.isEmpty)
            let csv = try await api.call(.get, "\(Self.devices):export?format=csv")
            #expect(csv.text.split(separator: "\r\n").count == 1)
            #expect(try await api.call(.get, "\(Self.devices):export?format=xls").fields == ["query.format"])
        }
    }
}
