// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import apus

@Suite("apus doctor", .timeLimit(.minutes(20)))
struct DoctorTests {
    @Test("finds nothing on a healthy machine", arguments: TestStoreBackend.allCases)
    func healthy(store: TestStoreBackend) async throws {
        try await DoctorPlace.with(on: store) { place in
            for flags in [[], ["--ask-apns"]] as [[String]] {
                let run = try await place.examine(flags)
                let report: DoctorReport = try run.lastLine()
                #expect(run.status == 0)
                #expect(run.errors.isEmpty)
                #expect(report.ok)
                #expect(report.checks.map(\.name) == ["configuration"] + Doctor.checks.map(\.name))
                for check in report.checks { #expect(check.status == .ok, "\(check)") }
            }
            let text = try await place.examine(asJSON: false)
            #expect(text.lines.count == Doctor.checks.count + 1)
            #expect(text.lines.allSatisfy { $0.hasPrefix("ok ") }, "\(text.lines)")
        }
    }

    @Test("creates nothing on a machine without a data directory")
    func fresh() async throws {
        try await DoctorPlace.with { place in
            let run = try await place.examine(["--data", "\(place.directory)/new/data", "--offline"])
            let report: DoctorReport = try run.lastLine()
            #expect(run.status == 0, "\(run.lines)")
            #expect(report.checks.allSatisfy { $0.status <= .skipped }, "\(run.lines)")
            let skipped = report.checks.filter { $0.status == .skipped }.map(\.name)
            #expect(skipped == ["API keys"] + report.checks.map(\.name).filter { $0.hasPrefix("APNs ") })
            #expect(!FileManager.default.fileExists(atPath: "\(place.directory)/new"))
        }
    }

    @Test("prints problem, effect and fix below the check that failed")
    func text() async throws {
        try await DoctorPlace.with { place in
            let run = try await place.examine(["--offline", "--config", "nowhere.json"], asJSON: false)
            #expect(run.status == 1)
            #expect(run.lines.first?.hasPrefix("FAIL  configuration") == true, "\(run.lines)")
            let labels = run.lines.dropFirst().prefix(3).map { $0.split(separator: " ").first ?? "" }
            #expect(labels == ["wrong:", "effect:", "fix:"])
            #expect(run.lines.dropFirst(4).allSatisfy { $0.hasPrefix("skip") })
        }
    }

    // MARK: Configuration

    @Test("finds a configuration file that is missing, has an unknown key, or an invalid value")
    func configuration() async throws {
        try await DoctorPlace.with { place in
            let missing = try await place.examine(["--config", "nowhere.json"])
            try missing.expectProblem("configuration", says: ["flag --config", "nowhere.json"], fix: "Correct")
            let file = try place.write(#"{"prot": 80}"#, to: "apus.json")
            let unknown = try await place.examine(["--config", file])
            try unknown.expectProblem("configuration", says: ["there is no key 'prot'"], fix: "Correct")
            let invalid = try await place.examine(["--port", "many"])
            try invalid.expectProblem("configuration", says: ["port (flag --port)", "'many'"], fix: "Correct")
        }
    }

    @Test("warns of an unknown variable, and finds a certificate authority that cannot be read")
    func variables() async throws {
        try await DoctorPlace.with { place in
            let unknown = try await place.examine(environment: ["APUS_PROT": "80"])
            try unknown.expectProblem("configuration", .warning, says: ["APUS_PROT"], fix: "config print")
            let authority = try await place.examine(["--apns-sandbox-ca", "nowhere.pem"])
            try authority.expectProblem("configuration", says: ["apns.sandbox.ca", "nowhere.pem"], fix: "Put the file")
        }
    }

    // MARK: Machine

    @Test("warns of a data directory that other users can read")
    func exposedDirectory() async throws {
        try await DoctorPlace.with { place in
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.data)
            let run = try await place.examine()
            try run.expectProblem("data directory", .warning, says: [place.data, "mode 0755"], fix: "chmod go= ")
        }
    }

    @Test("finds a data directory in which it cannot write")
    func unwritableDirectory() async throws {
        try await DoctorPlace.with { place in
            try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: place.data)
            let run = try await place.examine(through: Launcher.heedingPermissions)
            // SQLite cannot create its files beside the database.
            let others = ["database"]
            try run.expectProblem("data directory", says: ["cannot write"], fix: "chown", besides: others)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: place.data)
        }
    }

    @Test("finds a limit of open files that is too low")
    func openFiles() async throws {
        try await DoctorPlace.with { place in
            let low = try await place.examine(through: Launcher.limitingOpenFiles(256))
            try low.expectProblem("open files", says: ["256"], fix: "LimitNOFILE")
            let few = try await place.examine(["--max-connections", "2000"], through: Launcher.limitingOpenFiles(1024))
            try few.expectProblem("open files", .warning, says: ["1024", "2000"], fix: "lower `maxConnections`")
        }
    }

    @Test("finds a clock that is behind the records of the database")
    func clock() async throws {
        try await DoctorPlace.with { place in
            let app = App(id: "com.example.later", createdAt: Date() + 7200)
            try await place.withStore { try await $0.createApp(app) }
            let run = try await place.examine()
            try run.expectProblem("clock", says: ["The clock shows"], fix: "NTP", besides: ["credentials"])
        }
    }

    // MARK: Store

    @Test("finds a database that a newer version wrote", arguments: TestStoreBackend.allCases)
    func newerSchema(store: TestStoreBackend) async throws {
        try await DoctorPlace.with(on: store) { place in
            if let url = place.storeURL {
                try await SQLSession.execute("UPDATE apus.store_schema SET version = 9999", at: url)
            } else {
                try await Intruder(path: "\(place.data)/apus.db").execute("PRAGMA user_version = 9999")
            }
            let run = try await place.examine()
            try run.expectProblem("database", says: ["newer version", "9999"], fix: "what the message says")
        }
    }

    @Test(
        "warns of a database that an older version wrote, and does not change it",
        arguments: TestStoreBackend.allCases
    )
    func olderSchema(store: TestStoreBackend) async throws {
        try await DoctorPlace.with(on: store) { place in
            if let url = place.storeURL {
                try await SQLSession.execute("UPDATE apus.store_schema SET version = 0", at: url)
            } else {
                try await Intruder(path: "\(place.data)/apus.db").execute("PRAGMA user_version = 0")
            }
            for _ in 1...2 {
                let run = try await place.examine()
                try run.expectProblem("database", .warning, says: ["older version", "schema 0,"], fix: "backup")
            }
        }
    }

    @Test("finds a PostgreSQL server that does not respond, and a database without a master key")
    func postgres() async throws {
        try await DoctorPlace.with(on: .postgres) { place in
            let url = "postgres://apus:secret@127.0.0.1:1/apus"
            let unreachable = try await place.examine(storeURL: url)
            try unreachable.expectProblem("database", says: ["127.0.0.1:1"], fix: "store.url")
            #expect(!unreachable.lines.joined().contains("secret"))
            try FileManager.default.removeItem(atPath: "\(place.data)/master.key")
            let noKey = try await place.examine()
            try noKey.expectProblem("master key", says: ["is missing"], fix: "copy the file from the backup")
        }
    }

    @Test("finds nothing in an empty PostgreSQL database, and creates no table there")
    func emptyDatabase() async throws {
        try await DoctorPlace.with { place in
            try await TestPostgresDatabase.withDatabase { database in
                let run = try await place.examine(storeURL: database.url)
                #expect(run.status == 0, "\(run.lines)")
                let report: DoctorReport = try run.lastLine()
                let finding = report.checks.first { $0.name == "database" }?.findings.first
                #expect(finding?.problem.contains("the first start creates it") == true)
                #expect(try await database.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'apus'").isEmpty)
            }
        }
    }

    @Test("does not check a missing master key against a corrupt database")
    func corruptDatabase() async throws {
        try await DoctorPlace.with { place in
            try FileManager.default.removeItem(atPath: "\(place.data)/master.key")
            _ = try place.write(String(repeating: "not a database", count: 1000), to: "data/apus.db")
            let run = try await place.examine()
            try run.expectProblem("database", says: ["apus.db", "not an SQLite database"], fix: "Make a copy")
            let report: DoctorReport = try run.lastLine()
            let check = try #require(report.checks.first { $0.name == "master key" })
            #expect(check.status == .skipped, "\(check)")
        }
    }

    @Test("finds the master key of another database")
    func otherMasterKey() async throws {
        try await DoctorPlace.with { place in
            let other = MasterKey.generate()
            _ = try place.write("\(other.base64)\n", to: "data/master.key")
            let run = try await place.examine()
            try run.expectProblem("master key", says: [other.id, "com.example.app"], fix: "Restore the key")
        }
    }

    @Test("finds a master key file that other users can read")
    func exposedMasterKey() async throws {
        try await DoctorPlace.with { place in
            let key = try String(contentsOfFile: "\(place.data)/master.key", encoding: .utf8)
            let path = try place.write(key, to: "exposed.key", mode: 0o644)
            let run = try await place.examine(["--master-key-file", path])
            try run.expectProblem("master key", says: ["other users can read", path, "0644"], fix: "chmod 600 \(path)")
        }
    }
}
