// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Cron
import Foundation
import PushModel
import SNSProtocol
import StoreTesting
import Testing

@Suite("Mutated values", .timeLimit(.minutes(FuzzRun.timeLimit)))
struct ValueFuzzTests {
    @Test("Filter policies, cron expressions, schemas, cursors and stored values are refused or can be used")
    func values() async throws {
        let run = FuzzRun("values", steps: 15_000)
        let targets = try ValueTarget.all()
        while let step = run.next() {
            // Other tests run on the same threads.
            if step.number.isMultiple(of: 50) { await Task.yield() }
            var random = step.random
            let target = FuzzedText.pick(targets, using: &random)
            let input = Self.input(for: target, &random)
            run.begin(step, "\(target.name)\n\(input)")
            do {
                let fault = try target.use(input, &random)
                run.count(isAccepted: true)
                if let fault { run.record("\(target.name): \(fault)") }
            } catch {
                run.count(isAccepted: false)
            }
        }
        run.finish()
    }

    private static func input(for target: ValueTarget, _ random: inout SeededRandom) -> String {
        let sample = FuzzedText.pick(target.samples, using: &random)
        if let value = try? JSONValue(json: Array(sample.utf8)) {
            var mutator = JSONMutator(random, donors: FuzzScript.shared.donors)
            let text = mutator.mutate(FuzzedJSON(value), changes: 0...4).written
            random = mutator.random
            return text
        }
        var text = FuzzedText.chance(8, using: &random) ? FuzzedText.text(using: &random) : sample
        for _ in 0..<Int.random(in: 0...3, using: &random) { text = FuzzedText.changed(text, using: &random) }
        return text
    }
}

/// A parser with valid inputs, and what is done with what it returns.
struct ValueTarget: Sendable {
    let name: String
    let samples: [String]

    /// Parses an input and uses the result.
    ///
    /// It throws if the parser refuses the input, and returns what is wrong with a result.
    let use: @Sendable (String, inout SeededRandom) throws -> String?

    static func all() throws -> [ValueTarget] {
        [
            self.filterPolicies, self.cron, self.intervals, self.schemas, self.json, self.payloads, self.identifiers,
            self.names, self.forms, self.proxyMessages, try self.campaigns(),
            try self.stored("audience", StoredSamples.audiences),
            try self.stored("activity change", StoredSamples.changes()),
            try self.stored("job", [JobSamples.ending(), JobSamples.greeting()]) { $0.schedule },
            try self.stored("outcome counts", [OutcomeCounts(delivered: 2, failed: [.corrupt: 3])]),
        ]
    }

    /// A type whose values the stores keep as JSON; `schedule` is the schedule in a value.
    static func stored<Value: Codable & Hashable & Sendable>(
        _ name: String,
        _ samples: [Value],
        schedule: @escaping @Sendable (Value) -> Schedule? = { _ in nil }
    ) throws -> ValueTarget {
        let texts = try samples.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        return ValueTarget(name: name, samples: texts) { text, random in
            let value = try JSONDecoder().decode(Value.self, from: Data(text.utf8))
            if let schedule = schedule(value), let fault = ScheduleCheck.fault(of: schedule, &random) { return fault }
            let again = try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
            return again == value ? nil : "\(value) is \(again) after it was stored"
        }
    }
}
