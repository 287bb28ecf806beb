// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@testable import PostgresStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Connecting to PostgreSQL", .timeLimit(.minutes(20)))
struct ConnectingTests {
    @Test("a host that says nothing keeps nobody from the next one")
    func silentHost() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let silent = try SilentHost()
            defer { silent.close() }
            let directory = try #require(database.url.split(separator: "?host=").last)
            let url = "postgres://postgres@/\(database.name)?host=127.0.0.1,\(directory)&port=\(silent.port),5432"
            var configuration = PostgresStoreConfiguration.inTest(url, connections: 1)
            // The second one has as much time, which on a loaded machine may not be enough.
            configuration.connectTimeout = .seconds(2)
            var app: App?
            while app == nil {
                _ = try await storeError {
                    try await withPostgresStore(configuration: configuration, logger: .silent) { other in
                        app = try await other.app(StoreFixtures.app)
                    }
                }
            }
        }
    }

    @Test(
        "a database is named to people without its user and password",
        arguments: [
            ("postgres://anna:se-cret@db.example:5433/push", "PostgreSQL db.example:5433/push"),
            ("host=db.example dbname=push user=anna password=se-cret", "PostgreSQL db.example/push"),
            ("postgres://anna:se%cret@db.example", "PostgreSQL"),
        ]
    )
    func place(url: String, place: String) {
        #expect(PostgresStoreConfiguration(url: url).place == place)
    }

    @Test("a machine whose clock is far from the server's is refused; one that is near is told")
    func clocks() async throws {
        try await withTemporaryStore { _, database in
            for (seconds, isRefused) in [(0.0, false), (5, false), (-5, false), (3600, true), (-3600, true)] {
                var session = try PostgresConnection.Session(.inTest(database.url), logger: .silent)
                session.now = { Date().addingTimeInterval(seconds) }
                let result = Result { try PostgresConnection.open(session) }
                switch result {
                case .success: #expect(!isRefused, "\(seconds)")
                case .failure(let error): #expect(isRefused && "\(error)".contains("clock"), "\(seconds): \(error)")
                }
            }
        }
    }

    @Test(
        "clocks are compared as far as they can be",
        arguments: [
            (0.0, 0.0, 0.0, ClockSkew.Verdict.sound), (1, 0, 3, .sound), (0, 2, 3, .sound), (0, 2.5, 3, .worthAWarning),
            (0, 11, 12, .tooLarge), (5, 0, 3, .sound), (9, 0, 3, .worthAWarning), (14, 0, 3, .tooLarge),
            // What lies between a question and its answer may be the time of the question.
            (30, 0, 60, .sound),
        ]
    )
    func skew(server: Double, before: Double, after: Double, verdict: ClockSkew.Verdict) {
        let skew = ClockSkew(
            server: StoreFixtures.after(server),
            before: StoreFixtures.after(before),
            after: StoreFixtures.after(after)
        )
        #expect(skew.verdict == verdict, "\(skew)")
    }

    @Test("calls that read very much leave half of the connections to the others")
    func scans() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            try await withPostgresStore(configuration: .inTest(database.url, connections: 4), logger: .silent) {
                small in
                let intruder = SQLSession(url: database.url)
                try await intruder.execute("BEGIN; LOCK TABLE apus.devices")
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<16 {
                        group.addTask { try await small.count(of: .all, app: StoreFixtures.app, through: nil) }
                    }
                    var waiting = ["0"]
                    while waiting != ["2"] {
                        waiting = try await database.execute(
                            """
                            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                                AND application_name = 'apus' AND wait_event_type = 'Lock'
                            """
                        )
                    }
                    let plan = try StoreFixtures.plan()
                    try await small.accept(plan)
                    #expect(try await small.claim().map(\.batch.id) == plan.batches.map(\.id))
                    try await intruder.execute("ROLLBACK")
                    for try await count in group { #expect(count == 0) }
                }
            }
        }
    }
}

/// A place that takes connections and never says a word.
private struct SilentHost {
    private let socket: Int32
    let port: Int

    init() throws {
        #if canImport(Darwin)
        self.socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #elseif canImport(Musl)
        self.socket = Musl.socket(AF_INET, SOCK_STREAM, 0)
        #else
        self.socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = self.socket
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        guard isListening else { throw TestPostgresError(message: "no socket can be opened (errno \(errno))") }
        self.port = Int(UInt16(bigEndian: address.sin_port))
    }

    func close() {
        #if canImport(Darwin)
        _ = Darwin.close(self.socket)
        #elseif canImport(Musl)
        _ = Musl.close(self.socket)
        #else
        _ = Glibc.close(self.socket)
        #endif
    }
}
