// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Scheduling
import Testing

@Suite("The instant of a local time")
struct LocalTimeInstantTests {
    @Test(
        "is the one at which clocks show it: the first of two, or the one at which it is skipped",
        arguments: [
            ("UTC", "2026-06-01T09:00", "2026-06-01T09:00:00Z"),
            ("Asia/Tokyo", "2026-06-01T09:00", "2026-06-01T00:00:00Z"),
            ("Asia/Kathmandu", "2026-06-01T09:00", "2026-06-01T03:15:00Z"),
            ("Pacific/Kiritimati", "2026-01-01T00:00", "2025-12-31T10:00:00Z"),
            ("Europe/Vienna", "2026-03-29T01:59:59", "2026-03-29T00:59:59Z"),
            ("Europe/Vienna", "2026-03-29T02:00", "2026-03-29T01:00:00Z"),
            ("Europe/Vienna", "2026-03-29T02:30", "2026-03-29T01:00:00Z"),
            ("Europe/Vienna", "2026-03-29T03:00", "2026-03-29T01:00:00Z"),
            ("Europe/Vienna", "2026-03-29T03:30", "2026-03-29T01:30:00Z"),
            ("Europe/Vienna", "2026-10-25T01:59", "2026-10-24T23:59:00Z"),
            ("Europe/Vienna", "2026-10-25T02:30", "2026-10-25T00:30:00Z"),
            ("Europe/Vienna", "2026-10-25T03:00", "2026-10-25T02:00:00Z"),
            ("America/New_York", "2026-03-08T02:30", "2026-03-08T07:00:00Z"),
            ("America/New_York", "2026-11-01T01:30", "2026-11-01T05:30:00Z"),
            ("Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:30:00Z"),
            ("Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45:00Z"),
            ("America/Santiago", "2026-09-06T00:30", "2026-09-06T04:00:00Z"),
            ("Pacific/Apia", "2011-12-30T12:00", "2011-12-30T10:00:00Z"),
        ]
    )
    func instant(zone: String, local: String, expected: String) throws {
        let zone = try #require(TimeZone(identifier: zone))
        let instant = try LocalTime(local).instant(in: zone)
        #expect(instant == (try Date(expected, strategy: .iso8601)))
    }

    @Test(
        "is that of the nearest time of the calendar where the stored one is corrupt",
        arguments: [(Int64.max, 253_402_300_799), (.min, -62_135_596_800)] as [(Int64, Double)]
    )
    func damaged(seconds: Int64, expected: Double) throws {
        let instant = LocalTime(secondsAsUTC: seconds).instant(in: .gmt)
        #expect(instant == Date(timeIntervalSince1970: expected))
    }
}

@Suite("The waves of a local time")
struct LocalScheduleTests {
    private let time = "2026-06-01T09:00"

    private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test("zones that reach it at the same instant are one wave; the rest goes with the fallback zone")
    func groups() throws {
        let start = LocalStart(time: try LocalTime(self.time), fallbackZone: "Europe/Berlin")
        let zones: [String?: Int] = [
            "Asia/Tokyo": 5, "Asia/Seoul": 2, "Europe/Vienna": 3, nil: 7, "Nowhere/Land": 1, "America/New_York": 4,
        ]
        let schedule = LocalTimeWaves(start, zones: zones, startedAt: try self.date("2026-05-31T19:00:00Z"))
        let waves = schedule.waves.sorted { $0.due < $1.due }
        #expect(
            waves.map(\.due) == [
                try self.date("2026-06-01T00:00:00Z"), try self.date("2026-06-01T07:00:00Z"),
                try self.date("2026-06-01T13:00:00Z"),
            ]
        )
        #expect(
            waves.map(\.zones) == [
                .only(["Asia/Seoul", "Asia/Tokyo"]), .except(["America/New_York", "Asia/Seoul", "Asia/Tokyo"]),
                .only(["America/New_York"]),
            ]
        )
        #expect(waves.allSatisfy { !$0.isDone })
        #expect(schedule.count == 22)
        // Whatever a device tells, it is of one wave exactly.
        for zone in ["Asia/Tokyo", "Europe/Vienna", "Nowhere/Land", "Asia/Jakarta", nil] {
            #expect(waves.count { $0.zones.admits(zone) } == 1)
        }
    }

    @Test("zones that have passed it at the start are sent to at once, or left out, as the campaign says")
    func passed() throws {
        let zones: [String?: Int] = ["Asia/Tokyo": 5, "Europe/Vienna": 3]
        let startedAt = try self.date("2026-06-01T05:00:00Z")
        for sendIfPassed in [true, false] {
            let start = LocalStart(
                time: try LocalTime(self.time),
                fallbackZone: "Europe/Vienna",
                sendIfPassed: sendIfPassed
            )
            let schedule = LocalTimeWaves(start, zones: zones, startedAt: startedAt)
            let waves = schedule.waves.sorted { $0.due < $1.due }
            #expect(waves.map(\.isDone) == [!sendIfPassed, false])
            #expect(schedule.count == (sendIfPassed ? 8 : 3))
        }
    }

    @Test("without any zones all devices are of one wave")
    func none() throws {
        let start = LocalStart(time: try LocalTime(self.time), fallbackZone: "UTC")
        let schedule = LocalTimeWaves(start, zones: [nil: 3], startedAt: try self.date("2026-05-31T19:00:00Z"))
        #expect(schedule.waves == [CampaignFanOut.Wave(due: try self.date("2026-06-01T09:00:00Z"), zones: .any)])
    }
}
