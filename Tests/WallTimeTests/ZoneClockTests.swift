// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing
import WallTime

@Suite("The clocks of a zone")
struct ZoneClockTests {
    private func seconds(_ text: String) throws -> Int64 {
        Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
    }

    @Test(
        "are set when the law says so",
        arguments: [
            ("Europe/Zurich", "2026-01-01T00:00:00Z", "2026-03-29T01:00:00Z", 3600, 7200),
            ("Europe/Zurich", "2026-07-01T00:00:00Z", "2026-10-25T01:00:00Z", 7200, 3600),
            ("America/New_York", "2026-01-01T00:00:00Z", "2026-03-08T07:00:00Z", -18_000, -14_400),
            ("Australia/Lord_Howe", "2026-07-01T00:00:00Z", "2026-10-03T15:30:00Z", 37_800, 39_600),
            ("Asia/Kathmandu", "1985-07-01T00:00:00Z", "1985-12-31T18:30:00Z", 19_800, 20_700),
            ("Pacific/Apia", "2011-12-01T00:00:00Z", "2011-12-30T10:00:00Z", -36_000, 50_400),
        ]
    )
    func changes(zone: String, from: String, change: String, before: Int64, after: Int64) throws {
        let start = try self.seconds(from)
        let stretches = Array(try TimeZoneClock(name: zone).stretches(from: start).prefix(2))
        #expect(stretches.map(\.start) == [start, try self.seconds(change)])
        #expect(stretches.map(\.offset) == [before, after])
        #expect(stretches[0].end == stretches[1].start)
        #expect(stretches[0].shown == stretches[0].wallStart)
        #expect(stretches[1].shown == stretches[0].wallEnd)
        #expect(stretches[1].skipped == (before < after ? stretches[0].wallEnd..<stretches[1].wallStart : nil))
    }

    @Test("of a zone that has no more changes run on without end")
    func unchanging() throws {
        for zone in ["UTC", "Asia/Kathmandu", "Asia/Tokyo"] {
            let stretches = Array(try TimeZoneClock(name: zone).stretches(from: 1_800_000_000))
            #expect(stretches.map(\.end) == [UTCOffsetPeriod.never])
        }
    }

    @Test(
        "show what Foundation says, an hour before and after each change as well",
        arguments: ["Africa/Casablanca", "Europe/Zurich"]
    )
    func foundation(name: String) throws {
        let clock = try TimeZoneClock(name: name)
        for stretch in clock.stretches(from: 0).prefix(200) {
            for instant in [stretch.start, stretch.start + 3600, stretch.end - 1] {
                let date = Date(timeIntervalSince1970: Double(instant))
                #expect(Int64(clock.timeZone.secondsFromGMT(for: date)) == stretch.offset)
            }
        }
    }

    @Test("show the nearest time of the years 1 to 9999", arguments: ["UTC", "Europe/Zurich", "America/New_York"])
    func beyond(name: String) throws {
        let clock = try TimeZoneClock(name: name)
        #expect(clock.instant(showing: .max) == clock.instant(showing: FourDigitYears.last))
        #expect(clock.instant(showing: .min) == clock.instant(showing: FourDigitYears.first))
    }

    @Test("have the names that Foundation lists, their aliases and those that end in no city")
    func allNames() {
        #expect(TimeZone.knownTimeZoneIdentifiers.allSatisfy(TimeZoneNames.contains))
        let others = [
            "UTC", "GMT", "Etc/UTC", "Etc/GMT+5", "Asia/Calcutta", "Asia/Kolkata", "Asia/Saigon", "Europe/Kyiv",
            "Europe/Kiev", "US/Pacific", "America/Buenos_Aires", "America/Argentina/Buenos_Aires", "Japan", "Singapore",
        ]
        // Twice: the second time they are remembered.
        for name in others + others { #expect(TimeZoneNames.contains(name), "\(name)") }
        let unknown = [
            "", "Mars/Olympus", "Europe/Atlantis", "europe/zurich", "Europe/Zürich", "GMT+2", "GMT+0200", "+02:00",
            "Central European Time", "Europe/Zurich ", String(repeating: "A", count: 65),
        ]
        for name in unknown { #expect(!TimeZoneNames.contains(name), "\(name)") }
    }

    @Test("are found by IANA names, and by nothing else")
    func names() throws {
        for name in ["UTC", "Europe/Zurich", "Asia/Calcutta", "US/Eastern", "Japan", "Etc/GMT+5"] {
            #expect(try TimeZoneClock(name: name).name == name)
        }
        for name in ["", "Zurich", "europe/zurich", "GMT+2", "UTC-03:00", "+02:00", String(repeating: "A", count: 65)] {
            let failure = #expect(throws: InvalidValueError.self) { try TimeZoneClock(name: name) }
            #expect(failure?.field == "timeZone")
        }
    }
}
