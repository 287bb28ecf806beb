// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import APNsSimulator

@Suite("Background notifications")
struct BackgroundPushTests {
    private func runs(_ fixture: RequestFixture) -> [UInt64] {
        fixture.snapshot.calls.filter { $0.name == .didReceiveRemoteNotification }.compactMap { $0.apnsID?.low }
    }

    @Test("within the hour's budget each lets the app run, with its payload and a deadline of 30 s")
    func wakes() throws {
        let fixture = try RequestFixture()
        fixture.pushBackground(id: 1)
        let call = try #require(fixture.snapshot.calls.first)
        #expect(call.name == .didReceiveRemoteNotification)
        #expect(call.userInfo == Array(#"{"aps":{"content-available":1}}"#.utf8))
        #expect(call.deadline == Date(timeIntervalSince1970: fixture.now + 30))
        #expect(call.result == "newData")
    }

    @Test("beyond the budget the newest is held, and runs as soon as the budget has room")
    func held() throws {
        let fixture = try RequestFixture()
        for id in 1...5 { fixture.pushBackground(id: UInt64(id)) }
        #expect(self.runs(fixture) == [1, 2, 3])
        #expect(fixture.snapshot.app(RequestFixture.app)?.isHolding == true)
        #expect(fixture.discarded == [.heldReplaced])
        fixture.advance(by: 3600)
        #expect(self.runs(fixture) == [1, 2, 3, 5])
        #expect(fixture.snapshot.app(RequestFixture.app)?.isHolding == false)
    }

    @Test("the day has a budget, too")
    func daily() throws {
        let fixture = try RequestFixture()
        fixture.world.switches.devices.backgroundPerHour = nil
        fixture.world.switches.devices.backgroundPerDay = 2
        for id in 1...3 {
            fixture.pushBackground(id: UInt64(id))
            fixture.advance(by: 7200)
        }
        #expect(self.runs(fixture) == [1, 2])
        fixture.advance(by: 86_400)
        #expect(self.runs(fixture) == [1, 2, 3])
    }

    @Test("opening the app delivers what is held")
    func opening() throws {
        let fixture = try RequestFixture()
        for id in 1...4 { fixture.pushBackground(id: UInt64(id)) }
        fixture.changeApp { $0.state = .foreground }
        #expect(self.runs(fixture) == [1, 2, 3, 4])
    }

    @Test("an app that the person swiped away gets nothing until it is opened; what was held is gone")
    func forceQuit() throws {
        let fixture = try RequestFixture()
        for id in 1...4 { fixture.pushBackground(id: UInt64(id)) }
        fixture.changeApp { $0.state = .forceQuit }
        fixture.pushBackground(id: 5)
        #expect(fixture.discarded == [.forceQuit, .forceQuit])
        fixture.changeApp { $0.state = .foreground }
        #expect(self.runs(fixture) == [1, 2, 3])
        fixture.pushBackground(id: 6)
        #expect(self.runs(fixture) == [1, 2, 3, 6])
    }

    @Test("an app on the screen, and one that is debugged, has no limits", arguments: [true, false])
    func unlimited(isDebugged: Bool) throws {
        let fixture = try RequestFixture()
        fixture.changeApp { if isDebugged { $0.isDebugged = true } else { $0.state = .foreground } }
        for id in 1...10 { fixture.pushBackground(id: UInt64(id)) }
        #expect(self.runs(fixture).count == 10)
    }

    @Test("without the background mode nothing lets the app run")
    func noMode() throws {
        let fixture = try RequestFixture()
        fixture.changeApp { $0.backgroundModes = [] }
        fixture.pushBackground()
        #expect(fixture.discarded == [.noBackgroundMode])
    }

    @Test("a device in low power holds it until power is there")
    func lowPower() throws {
        let fixture = try RequestFixture()
        fixture.changeDevice { $0.isLowPower = true }
        fixture.pushBackground(id: 1)
        fixture.advance(by: 300)
        #expect(self.runs(fixture).isEmpty)
        fixture.changeDevice { $0.isLowPower = false }
        #expect(self.runs(fixture) == [1])
    }

    @Test("an app that does not say in time that it is done has missed the deadline")
    func deadline() throws {
        let fixture = try RequestFixture()
        fixture.changeApp { $0.completion = .manual }
        fixture.pushBackground(id: 1)
        fixture.pushBackground(id: 2)
        fixture.advance(by: 10)
        let isDone = fixture.world.change(fixture.device, now: fixture.now) {
            $0.complete(1, result: "noData", now: fixture.now, &$1)
        }
        #expect(isDone == true)
        fixture.advance(by: 20)
        let calls = fixture.snapshot.calls
        #expect(calls.map(\.missedDeadline) == [false, true])
        #expect(calls.map(\.result) == ["noData", nil])
    }

    @Test("however many are held one after another, one look is planned; it comes after an opening as well")
    func plans() throws {
        let fixture = try RequestFixture()
        for id in 1...4 { fixture.pushBackground(id: UInt64(id)) }
        let planned = fixture.world.timeline.count
        for id in 5...50 { fixture.pushBackground(id: UInt64(id)) }
        #expect(fixture.world.timeline.count == planned)
        fixture.changeApp { $0.state = .foreground }
        fixture.changeApp { $0.state = .suspended }
        fixture.pushBackground(id: 51)
        #expect(fixture.snapshot.app(RequestFixture.app)?.isHolding == true)
        fixture.advance(by: 3600)
        #expect(self.runs(fixture) == [1, 2, 3, 50, 51])
    }

    @Test("one that is held for want of power, and then of budget, runs when there is both")
    func powerThenBudget() throws {
        let fixture = try RequestFixture()
        for id in 1...3 { fixture.pushBackground(id: UInt64(id)) }
        fixture.changeDevice { $0.isLowPower = true }
        fixture.pushBackground(id: 4)
        fixture.advance(by: 300)
        fixture.changeDevice { $0.isLowPower = false }
        #expect(self.runs(fixture) == [1, 2, 3])
        fixture.advance(by: 3600)
        #expect(self.runs(fixture) == [1, 2, 3, 4])
    }

    @Test("runs are remembered as far as a limit asks for it", arguments: [(nil, nil, 0), (3, nil, 3), (3, 24, 24)])
    func remembered(perHour: Int?, perDay: Int?, count: Int) {
        var switches = DeviceOptions()
        switches.backgroundPerHour = perHour
        switches.backgroundPerDay = perDay
        var budget = BackgroundBudget()
        for second in 0..<100 { budget.spend(switches, now: Double(second)) }
        #expect(budget.runs.count == count)
    }

    @Test("an alert that lets the app run counts in the budget, on a device that is like others as well")
    func alerts() throws {
        let fixture = try RequestFixture()
        for id in 1...6 {
            fixture.push(#"{"aps":{"alert":"a","content-available":1}}"#, id: UInt64(id))
            if id <= 3 { #expect(!fixture.world.devices.hasState(fixture.device)) }
        }
        #expect(self.runs(fixture) == [1, 2, 3])
        #expect(fixture.snapshot.shown.count == 6)
        #expect(fixture.world.statistics.discarded == [.heldReplaced: 2])
        fixture.advance(by: 3600)
        #expect(self.runs(fixture) == [1, 2, 3, 6])
    }

    @Test("what has happened to a device that was like others is planned and counted when it ceases to be")
    func replay() throws {
        let fixture = try RequestFixture()
        fixture.world.switches.devices.backgroundPerHour = 24
        for id in 1...5 { fixture.pushBackground(id: UInt64(id)) }
        fixture.world.switches.devices.backgroundPerHour = 3
        fixture.advance(by: 60)
        fixture.changeDevice { $0.systemVersion = SystemVersion(major: 18) }
        #expect(fixture.snapshot.app(RequestFixture.app)?.isHolding == true)
        #expect(fixture.world.statistics.discarded == [.heldReplaced: 1])
        fixture.advance(by: 3600)
        #expect(self.runs(fixture) == [1, 2, 3, 5])
    }
}
