// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Budget of Live Activity pushes")
struct ActivityBudgetTests {
    private static func fixture(hourly: Int?) throws -> (ActivityFixture, ActivityID) {
        var fixture = ActivityFixture()
        fixture.switches.hourlyBudget = hourly
        let id = try fixture.request()
        return (fixture, id)
    }

    @Test("pushes of priority 10 beyond the hour's budget change nothing; priority 5 counts nothing")
    func priorities() throws {
        var (fixture, id) = try Self.fixture(hourly: 3)
        for fee in 1...3 {
            let update = ActivityFixture.update(fixture.now, ["fee": .integer(Int64(fee))])
            #expect(try fixture.push(update, to: id, isUrgent: true) == nil)
        }
        #expect(try fixture.push(ActivityFixture.update(fixture.now), to: id, isUrgent: true) == .overBudget)
        #expect(try fixture.record(id).contentState == ["fee": 3])
        for _ in 0..<100 { #expect(try fixture.push(ActivityFixture.update(fixture.now), to: id) == nil) }
    }

    @Test("the budget comes back evenly over the hour")
    func refill() throws {
        var (fixture, id) = try Self.fixture(hourly: 60)
        for _ in 0..<60 { try fixture.push(ActivityFixture.update(fixture.now), to: id, isUrgent: true) }
        fixture.advance(by: 59)
        #expect(try fixture.push(ActivityFixture.update(fixture.now), to: id, isUrgent: true) == .overBudget)
        fixture.advance(by: 1)
        #expect(try fixture.push(ActivityFixture.update(fixture.now), to: id, isUrgent: true) == nil)
        #expect(try fixture.push(ActivityFixture.update(fixture.now), to: id, isUrgent: true) == .overBudget)
    }

    @Test("frequent updates have a budget of their own, until the person switches them off")
    func frequent() throws {
        var (fixture, id) = try Self.fixture(hourly: 1)
        fixture.switches.frequentHourlyBudget = 10
        fixture.host.supportsFrequentUpdates = true
        for _ in 0..<10 {
            #expect(try fixture.push(ActivityFixture.update(fixture.now), to: id, isUrgent: true) == nil)
        }
        #expect(try fixture.push(ActivityFixture.update(fixture.now), to: id, isUrgent: true) == .overBudget)
        fixture.configure { $0.frequentPushesEnabled = false }
        #expect(fixture.calls.last == "ActivityAuthorizationInfo.frequentPushEnablementUpdates")
        fixture.advance(by: 3600)
        #expect(try fixture.push(ActivityFixture.update(fixture.now), to: id, isUrgent: true) == nil)
        #expect(try fixture.push(ActivityFixture.update(fixture.now), to: id, isUrgent: true) == .overBudget)
    }

    @Test("no budget counts nothing, and a budget of nothing lets nothing through")
    func ends() throws {
        var (free, id) = try Self.fixture(hourly: nil)
        for _ in 0..<1000 { #expect(try free.push(ActivityFixture.update(free.now), to: id, isUrgent: true) == nil) }
        var (none, other) = try Self.fixture(hourly: 0)
        none.advance(by: 3600)
        #expect(try none.push(ActivityFixture.update(none.now), to: other, isUrgent: true) == .overBudget)
    }

    @Test("the activities of an app share its budget, on each device its own")
    func shared() throws {
        var (fixture, id) = try Self.fixture(hourly: 1)
        let other = try fixture.request()
        #expect(try fixture.push(ActivityFixture.update(fixture.now), to: id, isUrgent: true) == nil)
        #expect(try fixture.push(ActivityFixture.update(fixture.now), to: other, isUrgent: true) == .overBudget)
    }

    @Test("by switch a push beyond the budget waits, and the newest takes the place of older ones")
    func postponed() throws {
        var (fixture, id) = try Self.fixture(hourly: 60)
        fixture.switches.overBudget = .postpone
        for _ in 0..<60 { try fixture.push(ActivityFixture.update(fixture.now), to: id, isUrgent: true) }
        #expect(try fixture.push(ActivityFixture.update(fixture.now, ["fee": 61]), to: id, isUrgent: true) == nil)
        #expect(fixture.changes(id).last == .postponed)
        fixture.advance(by: 30)
        let newer = ActivityFixture.update(fixture.now, ["fee": 62])
        #expect(try fixture.push(newer, to: id, isUrgent: true) == .superseded, "of the older one")
        #expect(try fixture.record(id).contentState == ["fee": 400])
        fixture.advance(by: 31)
        #expect(try fixture.record(id).contentState == ["fee": 62])
        #expect(fixture.changes(id).last == .updated)
    }

    @Test("a push that waits makes way for a newer update of another way")
    func superseded() throws {
        var (fixture, id) = try Self.fixture(hourly: 1)
        fixture.switches.overBudget = .postpone
        for _ in 0..<2 { try fixture.push(ActivityFixture.update(fixture.now), to: id, isUrgent: true) }
        fixture.now += 1
        try fixture.push(ActivityFixture.update(fixture.now, ["fee": 7]), to: id)
        fixture.advance(by: 3600)
        #expect(try fixture.record(id).contentState == ["fee": 7])
        #expect(try fixture.record(id).timeline.contains { $0.cause == .superseded })
    }

    @Test(
        "a push that would change nothing does not wait for the budget: its cause is said at once",
        arguments: [
            (["event": "update", "timestamp": 1_760_000_000], .missingContentState),
            (["event": "update", "timestamp": 1, "content-state": [:]], .olderTimestamp),
            (["event": "end", "timestamp": 1_960_000_000, "content-state": [:]], .futureTimestamp),
        ] as [([String: JSONValue], ActivityIgnoreReason)]
    )
    func checkedBefore(aps: [String: JSONValue], cause: ActivityIgnoreReason) throws {
        var (fixture, id) = try Self.fixture(hourly: 1)
        fixture.switches.overBudget = .postpone
        #expect(try fixture.push(ActivityFixture.update(fixture.now), to: id, isUrgent: true) == nil)
        #expect(try fixture.push(aps, to: id, isUrgent: true) == cause)
        #expect(try fixture.record(id).postponed == nil)
    }
}
