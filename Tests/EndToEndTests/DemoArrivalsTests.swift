// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Testing

@testable import apus

@Suite("What the demo's Live Activities have brought")
struct DemoArrivalsTests {
    private typealias Push = DemoDeliveryCheck.Push

    private static let ending = Push(device: "a", event: "update", state: ["status": "ending"])
    private static let reminder = Push(device: "b", event: "update", state: ["fee": 700], hasAlert: true)
    private static let ride = Push(device: "b", event: "update", state: ["fee": 700])

    private static var expected: DemoDeliveryCheck {
        var arrivals = DemoDeliveryCheck()
        arrivals.expect("the end", isPlanned: true, self.ending)
        arrivals.expect("the ride", self.ride)
        arrivals.expect("the reminder", isPlanned: true, self.reminder)
        return arrivals
    }

    private static func arrival(_ push: Push, id: String) -> SimulatorClient.Arrival {
        var aps: [String: JSONValue] = ["event": .string(push.event), "timestamp": 7]
        aps["content-state"] = push.state
        if push.hasAlert { aps["alert"] = ["title": "Hello"] }
        return SimulatorClient.Arrival(device: push.device, apnsID: id, payload: ["aps": .object(aps)])
    }

    private static func verdict(_ pushes: [Push]) -> DemoDeliveryCheck.Verdict {
        self.expected.verdict(on: pushes.enumerated().map { self.arrival($1, id: "\($0)") })
    }

    @Test("everything once is as it has to be")
    func good() {
        let verdict = Self.verdict([Self.ride, Self.ending, Self.reminder])
        #expect(verdict == DemoDeliveryCheck.Verdict(planned: 2, plannedSeen: 2))
        var report = DemoReport()
        report.add(verdict)
        #expect(report.isGood)
        #expect(report.transitionsExpected == 2 && report.transitionsSeen == 2 && report.duplicates == 0)
    }

    @Test("what was carried out twice is a duplicate, also as another push")
    func twice() {
        let verdict = Self.verdict([Self.ride, Self.ending, Self.reminder, Self.ending, Self.ride])
        #expect(verdict.plannedSeen == 2)
        #expect(verdict.duplicates == 2)
        #expect(verdict.faults == ["the end has arrived 2 times", "the ride has arrived 2 times"])
        var report = DemoReport()
        report.add(verdict)
        #expect(!report.isGood)
    }

    @Test("what has not arrived is missed, also where the same content has come without its alert")
    func missing() {
        let verdict = Self.verdict([Self.ride, Self.ending])
        #expect(verdict.plannedSeen == 1)
        #expect(verdict.faults == ["the reminder has not arrived"])
        var report = DemoReport()
        report.add(verdict)
        #expect(!report.isGood)
    }

    @Test("what nobody had sent is told, and so is what came to another phone")
    func strange() {
        let verdict = Self.verdict([
            Self.ride, Self.reminder, Push(device: "b", event: "update", state: ["status": "ending"]),
        ])
        #expect(verdict.faults.count == 2)
        #expect(verdict.duplicates == 0)
    }
}
