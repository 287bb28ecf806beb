// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import Testing

@testable import apus

@Suite("apus --version", .timeLimit(.minutes(20)))
struct VersionTests {
    @Test("names version, commit, schema and Swift, as a line and as JSON")
    func version() async throws {
        try await withTemporaryDirectory { directory in
            let words = try await CommandRun("--version", in: directory)
            #expect(words.status == 0)
            #expect(words.lines == [BuildInfo.line])
            #expect(BuildInfo.line.hasPrefix("apus \(apusVersion) (commit "))
            for arguments in [["--version", "--json"], ["--json", "--version"]] {
                let json = try await CommandRun(arguments, in: directory)
                #expect(json.status == 0)
                let report = try json.lastLine(as: VersionReport.self)
                #expect(report.version == apusVersion)
                #expect(report.commit == BuildInfo.commit)
                #expect(report.schema.sqlite > 0)
                #expect(report.schema.postgresql > 0)
                #expect(report.swift.hasPrefix("6."))
            }
        }
    }

    @Test("a server logs its version when it starts")
    func log() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            let log = try String(contentsOfFile: "\(server.directory)/server.log", encoding: .utf8)
            #expect(log.contains("Starting"))
            #expect(log.contains("version=\(apusVersion)"))
        }
    }
}
