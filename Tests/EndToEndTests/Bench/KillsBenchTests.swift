// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import StoreTesting
import Testing

/// A short run of `dev/bench kills`.
@Suite("A server that is killed under single calls", .timeLimit(.minutes(10)))
struct KillsBenchTests {
    private struct Report: Decodable {
        struct Result: Decodable {
            let kills: Int
            let sends: Int
            let registrations: Int
            let lost: Int
            let lost_registrations: Int
            let duplicates_other_id: Int
            let other_device: Int
        }

        let sqlite: Result
        let postgres: Result
    }

    @Test("loses no acknowledged send or registration, and repeats a push only under its apns-id")
    func kills() async throws {
        try await withTemporaryDirectory { directory in
            try await TestPostgresDatabase.withDatabase { database in
                let run = try await CommandRun(
                    ["kills", "--json", "--rounds", "3", "--store-url", database.url],
                    of: BuiltExecutable.bench,
                    in: directory
                )
                try #require(run.status == 0, "\(run.lines.joined(separator: "\n")) \(run.errors)")
                let report: Report = try run.lastLine()
                for result in [report.sqlite, report.postgres] {
                    #expect(result.kills == 3)
                    #expect(result.sends > 0 && result.registrations > 0)
                    #expect(result.lost == 0 && result.lost_registrations == 0)
                    #expect(result.duplicates_other_id == 0 && result.other_device == 0)
                }
            }
        }
    }
}
