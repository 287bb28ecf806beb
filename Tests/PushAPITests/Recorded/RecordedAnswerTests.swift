// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTPTypes
import Logging
import NIOCore
import PushAPI
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Recorded answers", .timeLimit(.minutes(20)))
struct RecordedAnswerTests {
    /// API keys, UUIDs, identifiers of webhooks and API keys, access keys, and secrets of webhooks.
    private static let random = [
        "\\bapus_[0-9a-f]{16}_[0-9a-f]+\\b",
        "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "\\bwh_[0-9a-f]{16}\\b", "\\b[0-9a-f]{16}\\b",
        "\\bAPUS[0-9A-F]{16}\\b", "\\bwhsec_[0-9A-Za-z+/=]+",
    ].joined(separator: "|")

    /// Types of bodies of which only the first line is recorded: they are random, or other tests compare them.
    private static let unrecordedTypes = ["application/x-pem-file", "application/yaml"]

    @Test("One response of each route is as recorded in answers.json")
    func routes() async throws {
        var setup = TestSetup()
        // No timer fires.
        setup.clock = SelectiveClock(passing: .zero)
        setup.channels = ChannelShelf()
        setup.tester = FixedTester(answer: WebhookAttemptResult(status: 502, excerpt: "no", duration: .milliseconds(7)))
        setup.metricsText = { "# TYPE x gauge\nx 1\n" }
        let masterKey = MasterKey.generate()
        setup.masterKey = masterKey
        let time = setup.time
        try await withAPIAndDatabase(setup) { api, database async throws in
            let server = PushAPI(
                store: api.store,
                inspector: TestInspector(),
                masterKey: masterKey,
                logger: Logger(label: "test")
            )
            var session = try RecordedSession(
                folder: URL(filePath: #filePath).deletingLastPathComponent(),
                routes: server.routes.map(\.description),
                variables: ["app": .string("/v1/apps/\(TestAPI.app)")],
                random: Self.random,
                hidden: ["requestID"]
            )
            let steps = RecordedSteps(store: api.store, time: time, masterKey: masterKey, database: database)
            let differences = try await session.run {
                try await Self.perform($0, api, steps)
            } step: {
                try await steps.perform($0, variables: $1)
            }
            for difference in differences { Issue.record("\(difference)") }
        }
    }

    private static func perform(
        _ request: RecordedSession.Request,
        _ api: TestAPI,
        _ steps: RecordedSteps
    ) async throws -> RecordedSession.Response {
        let method = try #require(HTTPRequest.Method(request.method))
        var headers = HTTPFields()
        for (name, value) in request.headers { headers[try #require(HTTPField.Name(name))] = value }
        let body = request.body.map { ByteBuffer(bytes: $0) }
        let key = request.headers["authorization"].map { String($0.dropFirst("Bearer ".count)) }
        let (fields, path) = (headers, request.path)
        let delivers = request.option == "deliver"
        let answer = try await withThrowingTaskGroup(of: Void.self) { group in
            let changes = api.store.changes()
            if delivers { group.addTask { for await _ in changes { try await steps.deliver() } } }
            defer { group.cancelAll() }
            return try await api.call(method, path, bytes: body, key: key, headers: fields)
        }
        let isBrief = Self.unrecordedTypes.contains(answer.headers[.contentType] ?? "")
        return RecordedSession.Response(
            status: answer.status,
            headers: Dictionary(answer.headers.map { ($0.name.canonicalName, $0.value) }) { "\($0), \($1)" },
            body: Array((isBrief ? answer.text.prefix { $0 != "\n" } : answer.text[...]).utf8)
        )
    }
}
