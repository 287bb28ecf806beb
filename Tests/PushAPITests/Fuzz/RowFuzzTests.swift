// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushAPI
import PushModel
import PushStore
import StoreTesting
import Synchronization
import Testing

@Suite("Corrupt rows of the stores", .timeLimit(.minutes(FuzzRun.timeLimit)))
struct RowFuzzTests {
    private static let day: TimeInterval = 86_400

    @Test("a corrupt row fails calls at most, and the process goes on", arguments: TestStoreBackend.chosen)
    func rows(kind: TestStoreBackend) async throws {
        // Copies of databases take longer on PostgreSQL.
        let run = FuzzRun("rows-\(kind.rawValue)", steps: kind == .sqlite ? 100 : 20)
        let masterKey = MasterKey.generate()
        try await FuzzDatabase.withDatabase(kind) { database in
            let world = try await Self.fill(database, masterKey)
            let columns = try await database.columns()
            try #require(columns.count > 100, "the tables have too few rows: \(columns)")
            while let step = run.next() {
                try await database.withCopy { try await Self.use($0, columns, world, masterKey, step, run) }
            }
        }
        run.finish()
    }

    /// Fills a database by the calls of the script, without those that delete something.
    private static func fill(_ database: FuzzDatabase, _ masterKey: MasterKey) async throws -> FuzzWorld {
        var setup = Self.setup(masterKey)
        // No timer fires; batches are settled during calls that wait for it.
        setup.clock = SelectiveClock(passing: .zero)
        let filled = Mutex<FuzzWorld?>(nil)
        let (time, finalSetup) = (setup.time, setup)
        try await database.withStore { store in
            let admin = try await TestAPI.addKey(to: store, scopes: [.admin])
            try await store.createApp(App(id: TestAPI.app, defaultEnvironment: .sandbox, createdAt: TestTime.start))
            try await withAPI(finalSetup, over: store, admin: admin) { api async throws in
                var world = FuzzWorld(api, time: time, masterKey: masterKey)
                for element in FuzzScript.shared.elements {
                    switch element {
                    case .step(let name): try await world.performExactly(name)
                    case .call(let call) where call.method == "DELETE": continue
                    case .call(let call): try await world.perform(call, delivers: true)
                    }
                }
                let result = world
                filled.withLock { $0 = result }
            }
        }
        return try #require(filled.withLock { $0 })
    }

    private static func setup(_ masterKey: MasterKey) -> TestSetup {
        var setup = TestSetup()
        setup.masterKey = masterKey
        setup.channels = ChannelShelf()
        setup.tester = FixedTester(answer: WebhookAttemptResult(status: 502, excerpt: "no", duration: .milliseconds(7)))
        setup.clock = SelectiveClock(passing: setup.configuration.maximumWait)
        return setup
    }

    /// Damages a database, then reads everything and does everything that services do.
    private static func use(
        _ database: FuzzDatabase,
        _ columns: [FuzzDatabase.Column],
        _ template: FuzzWorld,
        _ masterKey: MasterKey,
        _ step: FuzzRun.Step,
        _ run: FuzzRun
    ) async throws {
        var random = step.random
        var statements: [String] = []
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            if let sql = try await database.damage(columns, &random) { statements.append(sql) }
        }
        run.begin(step, statements.joined(separator: ";\n"))
        var setup = Self.setup(masterKey)
        setup.time = TestTime(template.time.now)
        let (time, finalSetup) = (setup.time, setup)
        do {
            try await database.withStore { store in
                try await withAPI(finalSetup, over: store, admin: template.api.admin) { api async throws in
                    let world = template.over(api, time: time)
                    await Self.read(world, run)
                    for passed in [0, 40 * Self.day] {
                        time.advance(by: passed)
                        await Self.work(on: api.store, now: time.now)
                    }
                    // It may throw; it must return.
                    try await world.schedule(after: [0, 3600])
                }
            }
        } catch is FuzzWorld.NoResponse {
            run.record("no response")
        } catch {
            // The store does not open, or what the schedulers do fails.
            run.count(isAccepted: false)
        }
    }

    /// Sends all requests of the script that read.
    private static func read(_ world: FuzzWorld, _ run: FuzzRun) async {
        for case .call(let call) in FuzzScript.shared.elements where call.method == "GET" {
            let request = world.request(call)
            do {
                let answer = try await world.send(request)
                run.count(isAccepted: answer.status < 400)
                guard answer.status >= 500, answer.code == nil else { continue }
                run.record(
                    "\(call.method) \(request.path): \(answer.status) without a problem: \(answer.text.prefix(500))"
                )
            } catch {
                // An export can break its connection.
                run.count(isAccepted: false)
                if error is FuzzWorld.NoResponse { run.record("\(call.method) \(request.path): no response") }
            }
        }
    }

    /// Calls what services call; each call may throw.
    private static func work(on store: any PushStore, now: Date) async {
        let (app, worker, lease) = (TestAPI.app, WorkerID(unchecked: "fuzz"), Duration.seconds(60))
        let calls: [() async throws -> Void] = [
            { _ = try await store.openBatches(of: nil) },
            { _ = try await store.nextClaim(in: .bulk, after: now) },
            { _ = try await store.nextActivityTime() },
            { _ = try await store.crowdedActivityTime(after: now, until: now.addingTimeInterval(60), count: 1) },
            { _ = try await store.nextJobTime(of: .builtIn) },
            { _ = try await store.count(of: .all, app: app, through: nil) },
            { _ = try await store.timeZones(of: .all, app: app, through: .max) },
            { _ = try await store.pauses(of: app, now: now) },
            { _ = try await store.deliveryIdentity() },
            { _ = try await store.claimEndpointEvents(limit: 9, worker: worker, leaseDuration: lease, now: now) },
            { _ = try await store.claimWebhooks(limit: 9, worker: worker, leaseDuration: lease, now: now) },
            { _ = try await store.claimDeliveries(limit: 9, each: 9, worker: worker, leaseDuration: lease, now: now) },
            { try await Self.prepareTransitions(store, now) },
            { try await Self.runJobs(store, worker, now) },
            { for _ in 0..<20 { guard try await store.sendOnActivities(now: now) else { break } } },
            { _ = try await store.removeActivities(overBefore: now, limit: 100) },
            { _ = try await store.pruneEvents(before: now.addingTimeInterval(-Self.day), keeping: 10) },
            { _ = try await store.pruneChunks(before: now) },
            { _ = try await store.removeStreams(before: now, limit: 100) },
            { _ = try await store.removeIdempotencyRecords(before: now, limit: 100) },
            { _ = try await store.pruneTopics(pendingBefore: now, limit: 100) },
            { _ = try await store.pruneNotifications(settledBefore: now, limit: 100) },
        ]
        for call in calls { try? await call() }
    }

    private static func prepareTransitions(_ store: any PushStore, _ now: Date) async throws {
        let due = now.addingTimeInterval(3600)
        for prepared in try await store.prepareTransitions(dueAt: due, after: nil, limit: 100).elements {
            _ = try await store.carryOut(prepared, now: due)
        }
        _ = try await store.carryOutTransitions(limit: 100, now: now)
    }

    private static func runJobs(_ store: any PushStore, _ worker: WorkerID, _ now: Date) async throws {
        let lease = Duration.seconds(60)
        let claim = try await store.claimJobRuns(of: .builtIn, limit: 9, worker: worker, leaseDuration: lease, now: now)
        for claimed in claim.runs {
            for _ in 0..<20 {
                guard let run = try? await store.carryOut(claimed.lease, leaseDuration: lease, now: now) else { break }
                if run.state.isFinal { break }
            }
        }
    }
}
