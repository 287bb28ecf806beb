// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import Testing

@testable import apus

@Suite("apus quarantine", .timeLimit(.minutes(20)))
struct QuarantineCommandTests {
    private static func quarantine(
        _ kind: String,
        _ item: String,
        app: String?,
        _ server: ServerInTest.Running
    ) async throws {
        let app = app.map { "(SELECT number FROM apps WHERE id = '\($0)')" } ?? "NULL"
        try await Intruder(path: "\(server.directory)/data/apus.db").execute(
            """
            INSERT INTO interruptions (kind, key, item, app, count, interrupted_at, quarantined_at, reason)
            VALUES ('\(kind)', '\(item)', '\(item)', \(app), 3, 1770000000000, 1770000000000, 'interrupted')
            """
        )
    }

    @Test("quarantined items are listed, repeated and removed")
    func life() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            try await Self.quarantine("endpoint_event", "17", app: ServerInTest.app, server)
            try await Self.quarantine("topic_delivery", "18", app: nil, server)
            let table = try await server.apus("quarantine", "list")
            #expect(table.status == 0, "\(table.errors)")
            #expect(table.lines.count == 3)
            #expect(table.lines.first?.hasPrefix("NUMBER  TYPE") == true)
            #expect(table.lines.last?.contains("endpoint_event  17    \(ServerInTest.app)  interrupted") == true)

            let listed = try await server.apus("quarantine", "list", "--json")
            #expect(listed.lines.count == 2)
            let event: QuarantinedItemAnswer = try listed.lastLine()
            let filtered = try await server.apus("quarantine", "list", "--type", "endpoint_event", "--json")
            #expect(filtered.lines == Array(listed.lines.suffix(1)))
            let ofApp = try await server.apus("quarantine", "list", "--app", ServerInTest.app, "--json")
            #expect(ofApp.lines == Array(listed.lines.suffix(1)))

            let repeated = try await server.apus("quarantine", "repeat", "\(event.number)")
            #expect(repeated.lines == ["Repeating endpoint_event 17."], "\(repeated.errors)")
            let again = try await server.apus("quarantine", "repeat", "\(event.number)", "--json")
            #expect(again.failure?.code == "quarantined_item_not_found")

            let left: QuarantinedItemAnswer = try await server.apus("quarantine", "list", "--json").lastLine()
            #expect(left.item == "18")
            #expect(left.app == nil)
            let removed = try await server.apus("quarantine", "remove", "\(left.number)", "--json")
            #expect(removed.lines == ["{\"removed\":\(left.number)}"], "\(removed.errors)")
            #expect(try await server.apus("quarantine", "list", "--json").lines.isEmpty)
        }
    }
}
