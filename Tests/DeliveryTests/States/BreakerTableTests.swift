// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import Foundation
import Logging
import Metrics
import PushModel
import Testing

@testable import Delivery

@Suite("Which lines serve")
struct BreakerTableTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)
    private let kind = RoutingKey(app: "com.example.app", environments: [.sandbox, .production], pushType: .alert)
    private let refused = ChunkObservation(refusal: Rejection(.invalidProviderToken))
    private let destination: APNsDestination
    private let rule = CircuitBreakerConfiguration()

    init() throws {
        let key = try APNsSimulator(logger: .silent).demoKey
        self.destination = APNsDestination(
            endpoint: APNsEndpoint(host: "localhost"),
            credential: .key(try ProviderKey(keyID: key.keyID, teamID: key.teamID, pem: key.p8))
        )
    }

    /// A line to the one destination of the test, whatever the environment.
    private func line(
        _ environment: APNsEnvironment,
        app: AppID = "com.example.app",
        credential: CredentialID = "one"
    ) -> Circuit {
        Circuit(app: app, environment: environment, credential: credential, destination: self.destination)
    }

    private func note(_ evidence: ChunkObservation, _ line: Circuit, in table: inout CircuitBreakerTable) {
        var generator = SystemRandomNumberGenerator()
        _ = table.note(evidence, of: line, now: self.now, rule: self.rule, using: &generator)
    }

    private func isOpen(_ standing: CircuitBreaker.Standing?) -> Bool {
        if case .open = standing { true } else { false }
    }

    @Test("a kind answers if one of its lines does, and is paused if all are")
    func kinds() {
        var table = CircuitBreakerTable()
        #expect(table.standings(now: self.now).isEmpty)
        _ = table.learn(self.kind, [self.line(.sandbox), self.line(.production)])
        #expect(table.standings(now: self.now) == [self.kind: .halfOpen])
        self.note(self.refused, self.line(.sandbox), in: &table)
        #expect(table.standings(now: self.now) == [self.kind: .halfOpen])
        #expect(table.refusedLines == [self.kind: [self.line(.sandbox)]])
        self.note(self.refused, self.line(.production), in: &table)
        #expect(self.isOpen(table.standings(now: self.now)[self.kind]))
        _ = table.learn(self.kind, [])
        #expect(table.standings(now: self.now) == [self.kind: .closed])
    }

    @Test("what one app's credential is refused for pauses no other app, although they share the key")
    func apart() {
        var table = CircuitBreakerTable()
        let other = RoutingKey(app: "com.example.other", environments: [.sandbox], pushType: .alert)
        _ = table.learn(self.kind, [self.line(.sandbox), self.line(.production)])
        _ = table.learn(other, [self.line(.sandbox, app: "com.example.other")])
        self.note(self.refused, self.line(.sandbox), in: &table)
        #expect(self.isOpen(table.standing(of: self.line(.sandbox), now: self.now)))
        #expect(table.standing(of: self.line(.production), now: self.now) == .halfOpen)
        #expect(table.standing(of: self.line(.sandbox, app: "com.example.other"), now: self.now) == .halfOpen)
    }

    @Test("with another credential a kind begins anew, and the line that nothing uses any more is forgotten")
    func replaced() {
        var table = CircuitBreakerTable()
        #expect(!table.learn(self.kind, [self.line(.sandbox)]).isNews)
        self.note(self.refused, self.line(.sandbox), in: &table)
        #expect(!table.learn(self.kind, [self.line(.sandbox)]).isNews)
        let lesson = table.learn(self.kind, [self.line(.sandbox, credential: "two")])
        #expect(lesson.isNews)
        #expect(lesson.abandoned.map(\.line) == [self.line(.sandbox)])
        #expect(table.standings(now: self.now) == [self.kind: .halfOpen])
        #expect(table.standing(of: self.line(.sandbox), now: self.now) == .halfOpen)
        #expect(table.lines(of: "com.example.app").map(\.line) == [self.line(.sandbox, credential: "two")])
    }

    @Test("what comes late over a line that nothing uses any more stops what is on its way there, and nobody is told")
    func late() {
        var table = CircuitBreakerTable()
        var generator = SystemRandomNumberGenerator()
        for first in [self.line(.sandbox), self.line(.production)] {
            _ = table.learn(self.kind, [first])
            if first == self.line(.sandbox) { self.note(self.refused, first, in: &table) }
            _ = table.learn(self.kind, [self.line(.sandbox, credential: "two")])
            let change = table.note(self.refused, of: first, now: self.now, rule: self.rule, using: &generator)
            #expect(change == .none)
            // A batch that began before goes no further there, and is claimed anew for the other line.
            #expect(self.isOpen(table.standing(of: first, now: self.now)))
        }
        #expect(table.refusedLines.isEmpty)
        let used = self.line(.sandbox, credential: "two")
        let change = table.note(self.refused, of: used, now: self.now, rule: self.rule, using: &generator)
        #expect(change != .none)
    }

    @Test("a batch is paused when all of its environments are, although both have the same destination")
    func sharedDestination() {
        let breakers = CircuitBreakers(
            rule: self.rule,
            notes: OpenCircuitPublisher(),
            logger: .silent,
            metrics: DeliveryMetrics(NOOPMetricsHandler.instance)
        )
        let routes = BatchRoutes(
            legs: [.sandbox, .production].map { .init(environment: $0, route: .line(self.line($0))) }
        )
        breakers.learn(self.kind, routes.lines)
        #expect(!breakers.note(self.refused, of: self.line(.sandbox), now: self.now))
        #expect(!breakers.arePaused(routes, now: self.now))
        #expect(!breakers.note(self.refused, of: self.line(.production), now: self.now))
        #expect(breakers.arePaused(routes, now: self.now))
        let failure = DestinationError(code: .noCredential, message: "none")
        let halfNowhere = BatchRoutes(
            legs: [
                .init(environment: .sandbox, route: .line(self.line(.sandbox))),
                .init(environment: .production, route: .nowhere(failure)),
            ]
        )
        #expect(!breakers.arePaused(halfNowhere, now: self.now))
    }
}
