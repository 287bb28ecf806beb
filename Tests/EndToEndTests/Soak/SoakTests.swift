// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import Foundation
import StoreTesting
import Testing

/// A short one of what `dev/soak` does for minutes.
@Suite("A soak", .serialized, .timeLimit(.minutes(15)))
struct SoakTests {
    private struct Report: Decodable {
        let seed: UInt64
        let store: String
        let accepted: Int
        let delivered: Int
        let other_outcomes: [String: Int]
        let lost: Int
        let twice_accepted: Int
        let faults: [String: Int]
        let breaches: [String]
        let flat: Bool?
        let ok: Bool
    }

    @Test("loses nothing and accepts nothing twice, whatever goes wrong", arguments: TestStoreBackend.allCases)
    func short(store: TestStoreBackend) async throws {
        try await withTemporaryDirectory { directory in
            switch store {
            case .sqlite: try await Self.check(try await Self.soak(in: directory), store)
            case .postgres:
                try await TestPostgresDatabase.withDatabase { database in
                    let run = try await Self.soak("--store-url", database.url, in: directory)
                    try await Self.check(run, store)
                }
            }
        }
    }

    private static func soak(_ arguments: String..., in directory: String) async throws -> CommandRun {
        let size = ["--minutes", "0.25", "--devices", "200", "--seed", "\(UInt64.random(in: 0..<1_000_000))"]
        return try await CommandRun(
            ["soak", "--json"] + size + arguments,
            of: BuiltExecutable.bench,
            in: directory
        )
    }

    private static func check(_ run: CommandRun, _ store: TestStoreBackend) async throws {
        try #require(!run.lines.isEmpty, "\(run.errors)")
        let report: Report = try run.lastLine()
        #expect(report.breaches.isEmpty, "\(run.errors)")
        #expect(report.store == store.rawValue)
        #expect(report.lost == 0)
        #expect(report.twice_accepted == 0)
        #expect(report.accepted == report.delivered + report.other_outcomes.values.reduce(0, +))
        #expect(!report.faults.isEmpty)
        #expect(report.ok && run.status == 0)
        #expect(report.flat == nil, "it is too short to tell")
    }
}
