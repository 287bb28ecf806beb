// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushAPI
import PushModel
import Testing

@Suite("Mutated calls of the API", .timeLimit(.minutes(FuzzRun.timeLimit)))
struct APIFuzzTests {
    /// How many changes of each call are sent before the call itself.
    private static let changes = 3

    private static let day: TimeInterval = 86_400

    @Test("Each mutated call is accepted or refused as the OpenAPI document says, and everything stored can be read")
    func calls() async throws {
        let run = FuzzRun("api", steps: 3000)
        var round = 0
        while !run.isOver {
            round += 1
            try await Self.play(run, run.random(-round))
        }
        run.finish()
    }

    /// Plays the script once on an empty store, with changes of each call before it.
    private static func play(_ run: FuzzRun, _ random: SeededRandom) async throws {
        var setup = TestSetup()
        let masterKey = MasterKey.generate()
        setup.masterKey = masterKey
        setup.channels = ChannelShelf()
        setup.tester = FixedTester(answer: WebhookAttemptResult(status: 502, excerpt: "no", duration: .milliseconds(7)))
        setup.metricsText = { "# TYPE x gauge\nx 1\n" }
        // Whoever waits for outcomes stops at once, and no other timer fires.
        setup.configuration.stream.patience = setup.configuration.maximumWait
        setup.clock = SelectiveClock(passing: setup.configuration.maximumWait)
        let time = setup.time
        try await withAPI(setup) { api async throws in
            var random = random
            var world = FuzzWorld(api, time: time, masterKey: masterKey)
            for element in FuzzScript.shared.elements where !run.isOver {
                switch element {
                case .step(let name):
                    await run.recording("the step '\(name)' behind this input") { try await world.performLoosely(name) }
                case .call(let call):
                    for _ in 0..<Self.changes {
                        guard let step = run.next() else { break }
                        await Self.send(call, step, &world, run)
                    }
                    // What is deleted is of no use for later changes.
                    if call.method == "DELETE", !FuzzedText.chance(3, using: &random) { continue }
                    await run.recording("the call \(call.method) \(call.path) behind this input") {
                        try await world.perform(call, delivers: false)
                    }
                }
            }
            await run.recording("after the calls") {
                for fault in try await world.readAll() { run.record("after the calls: \(fault)") }
            }
            await run.recording("after the schedulers") {
                try await world.schedule(after: [0, 3600, Self.day, 40 * Self.day, 4000 * Self.day])
                for fault in try await world.readAll() { run.record("after the schedulers: \(fault)") }
            }
        }
    }

    private static func send(
        _ call: FuzzScript.Call,
        _ step: FuzzRun.Step,
        _ world: inout FuzzWorld,
        _ run: FuzzRun
    ) async {
        var mutator = CallMutator(step.random, cursors: world.cursors)
        let request = mutator.mutate(world.request(call), of: call)
        run.begin(step, request.text)
        do {
            let answer = try await world.send(request)
            run.count(isAccepted: answer.status < 400)
            world.keepCursors(of: answer)
            for fault in world.faults(of: answer, to: request) { run.record(fault) }
        } catch {
            run.record("no response: \(error)")
        }
    }
}
