// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTPTypes
import Logging
import Metrics
import NIOCore
import PushModel
import PushStore
import Scheduling
import ServiceLifecycle
import StoreTesting
import Testing

/// The API over a store with everything that the calls of `Recorded/calls.json` make.
struct FuzzWorld {
    /// A response took longer; something waits for ever.
    struct NoResponse: Error {}

    private static let deadline: Duration = .seconds(120)

    private(set) var api: TestAPI
    private(set) var time: TestTime

    /// Cursors of earlier responses.
    private(set) var cursors: [String] = []

    private let masterKey: MasterKey
    private var steps: RecordedSteps
    private var variables: [String: JSONValue]

    init(_ api: TestAPI, time: TestTime, masterKey: MasterKey) {
        self.api = api
        self.time = time
        self.masterKey = masterKey
        self.steps = RecordedSteps(store: api.store, time: time, masterKey: masterKey)
        let names = FuzzScript.shared.variables
        self.variables = Dictionary(uniqueKeysWithValues: names.map { ($0, JSONValue.string("none")) })
        self.variables["app"] = .string("/v1/apps/\(TestAPI.app)")
    }

    /// The same world behind the API over a copy of the store.
    func over(_ api: TestAPI, time: TestTime) -> FuzzWorld {
        var copy = self
        copy.api = api
        copy.time = time
        copy.steps = RecordedSteps(store: api.store, time: time, masterKey: self.masterKey)
        return copy
    }

    // MARK: Calls

    /// The request of a call, with the values of its variables.
    func request(_ call: FuzzScript.Call) -> FuzzRequest {
        var headers = HTTPFields()
        // A response to Accept: text/event-stream may not end.
        for (name, value) in call.headers where name != "accept" {
            guard let name = HTTPField.Name(name) else { continue }
            headers[name] = self.fill(value)
        }
        if headers[.authorization] == nil { headers[.authorization] = "Bearer \(self.api.admin.text)" }
        var request = FuzzRequest(method: call.method, path: self.fill(call.path), headers: headers)
        switch call.body {
        case .none: break
        case .json(let body):
            request.body = Array(FuzzedJSON(self.fill(body)).written.utf8)
            request.headers[.contentType] = "application/json"
        case .lines(let lines):
            request.body = lines.flatMap { Array((FuzzedJSON(self.fill($0)).written + "\n").utf8) }
            request.headers[.contentType] = "application/x-ndjson"
        case .text(let text): request.body = Array(self.fill(text).utf8)
        }
        return request
    }

    /// Performs a call as it is in the script, and keeps what it keeps.
    ///
    /// - Parameter delivers: whether batches are settled during calls that wait for it.
    mutating func perform(_ call: FuzzScript.Call, delivers: Bool) async throws {
        let request = self.request(call)
        let answer = try await delivers && call.delivers ? self.sendDelivering(request) : self.send(request)
        for (name, path) in call.kept {
            if let value = Self.value(in: answer.json, at: path) { self.variables[name] = value }
        }
        self.keepCursors(of: answer)
    }

    /// Sends a request and waits for its response.
    func send(_ request: FuzzRequest) async throws -> Answer {
        let client = self.api.client
        let method = HTTPRequest.Method(request.method) ?? .get
        let received = try await withThrowingTaskGroup(of: Answer?.self) { group -> Answer? in
            group.addTask {
                try await client.answer(
                    to: method,
                    request.path,
                    headers: request.headers,
                    body: request.body.map { ByteBuffer(bytes: $0) }
                )
            }
            group.addTask {
                try await ContinuousClock().sleep(for: Self.deadline)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { return nil }
            return first
        }
        guard let received else { throw NoResponse() }
        return received
    }

    /// Reads a path of the API with the key of the administrator.
    func get(_ path: String) async throws -> Answer {
        let headers: HTTPFields = [.authorization: "Bearer \(self.api.admin.text)"]
        return try await self.send(FuzzRequest(method: "GET", path: path, headers: headers))
    }

    mutating func keepCursors(of answer: Answer) {
        for name in ["nextCursor", "cursor"] {
            if let cursor = answer.json[name]?.text { self.cursors.append(cursor) }
        }
        if self.cursors.count > 50 { self.cursors.removeFirst() }
    }

    /// Why a response to a request is wrong; empty if it is not.
    func faults(of answer: Answer, to request: FuzzRequest) -> [String] {
        // The SNS endpoint, which the document does not describe.
        let isRoot = request.path.prefix { $0 != "?" }.allSatisfy { $0 == "/" }
        var faults =
            isRoot ? [] : OpenAPISpecification.shared.faults(of: answer, to: request.method, path: request.path)
        if answer.status >= 500 { faults.insert("the status is \(answer.status)", at: 0) }
        guard !faults.isEmpty else { return [] }
        return [faults.prefix(5).joined(separator: "; ") + "; the response is: \(answer.text.prefix(500))"]
    }

    // MARK: Services

    /// Performs a step of the script with its exact results, which the unchanged script allows.
    mutating func performExactly(_ step: String) async throws {
        for (name, value) in try await self.steps.perform(step, variables: self.variables) {
            self.variables[name] = value
        }
    }

    /// Performs a step of the script, as far as there is something to do for it.
    mutating func performLoosely(_ step: String) async throws {
        switch step {
        case "run jobs", "roll out", "plan campaigns", "execute transitions": try await self.schedule(after: [0])
        case "post to webhook": try await self.post()
        default: try await self.performExactly(step)
        }
    }

    /// Settles everything that can be claimed.
    func deliver() async throws { try await self.steps.deliver() }

    /// Settles what can be claimed; the schedulers may end a batch meanwhile.
    private func deliverBesideSchedulers() async throws {
        do {
            try await self.deliver()
        } catch let error as StoreError where error.code == .leaseLost {
            return
        }
    }

    /// Runs the schedulers, and moves the clock meanwhile.
    ///
    /// - Parameter jumps: by how much the clock moves, in seconds.
    func schedule(after jumps: [TimeInterval]) async throws {
        let (store, time) = (self.api.store, self.time)
        let now: @Sendable () -> Date = { time.now }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let metrics = NOOPMetricsHandler.instance
        let services: [any Service] = [
            CampaignScheduler(store: store, now: now, metrics: metrics, logger: logger),
            RolloutScheduler(store: store, now: now, metrics: metrics, logger: logger),
            ActivityScheduler(store: store, now: now, metrics: metrics, logger: logger),
            JobScheduler(store: store, now: now, metrics: metrics, logger: logger),
        ]
        let running = ServiceGroup(services: services, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await running.run() }
            for jump in jumps {
                time.advance(by: jump)
                // The schedulers work during these calls. How much they do is left to chance.
                for _ in 0..<5 {
                    try await self.deliverBesideSchedulers()
                    _ = try await self.get("/v1/apps/\(TestAPI.app)/events?limit=10")
                }
            }
            await running.triggerGracefulShutdown()
            try await group.waitForAll()
        }
    }

    /// Books that all webhooks have received all events.
    private func post() async throws {
        let now = self.time.now
        let end = try await self.api.store.latestEvent(of: TestAPI.app)
        let claimed = try await self.api.store.claimWebhooks(
            limit: 9,
            worker: "w",
            leaseDuration: .seconds(60),
            now: now
        )
        for webhook in claimed {
            let delivery = WebhookDeliveryAttempt(
                message: "msg_1",
                time: now,
                first: end,
                last: end,
                count: 1,
                attempt: 1,
                response: WebhookAttemptResult(failure: .tls, excerpt: "expired", duration: .seconds(1))
            )
            _ = try await self.api.store.settleWebhook(
                WebhookDeliveryUpdate(webhook: webhook.id, worker: "w", result: .advanced(to: end), delivery: delivery),
                now: now
            )
        }
    }

    /// Sends a request while batches are settled as they come.
    private func sendDelivering(_ request: FuzzRequest) async throws -> Answer {
        let (changes, steps) = (self.api.store.changes(), self.steps)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in changes { try await steps.deliver() } }
            defer { group.cancelAll() }
            return try await self.send(request)
        }
    }

    // MARK: Variables

    private func fill(_ value: JSONValue) -> JSONValue {
        switch value {
        // The whole text: the variable need not be text.
        case .string(let text) where text.first == "{":
            self.variables[String(text.dropFirst().dropLast())] ?? .string(self.fill(text))
        case .string(let text): .string(self.fill(text))
        case .array(let elements): .array(elements.map { self.fill($0) })
        case .object(let members): .object(members.mapValues { self.fill($0) })
        default: value
        }
    }

    private func fill(_ text: String) -> String {
        guard text.contains("{") else { return text }
        return self.variables.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value.text ?? "none") }
    }

    /// The value at a path of names and indices with slashes in between.
    private static func value(in json: JSONValue, at path: String) -> JSONValue? {
        path.split(separator: "/").reduce(json) { (value: JSONValue?, word) in
            guard case .array(let elements)? = value, let index = Int(word) else { return value?[String(word)] }
            return elements.indices.contains(index) ? elements[index] : nil
        }
    }
}

extension FuzzRun {
    /// Records a failure as an issue of the test.
    func record(_ message: String, sourceLocation: SourceLocation = #_sourceLocation) {
        Issue.record("\(self.failure(message))", sourceLocation: sourceLocation)
    }

    /// Does something, and records an error as a failure.
    func recording(_ place: String, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            self.record("\(place): \(error)")
        }
    }
}
