// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import CommandLineSupport
import Foundation
import Testing

@testable import apus

@Suite("A job whose definition is corrupt", .timeLimit(.minutes(20)))
struct CorruptJobTests {
    private static let app = ServerInTest.app

    @Test("is left out of lists, named once in the log, and whole again when it was removed and put anew")
    func mended() async throws {
        try await ServerInTest.with(roles: "scheduling") { _, server in
            let file = "\(server.directory)/job.json"
            let text = """
                {"schedule":{"cron":"0 9 * * *"},"paused":true,
                 "notification":{"audience":{"all":true},"message":{"default":{"notification":{"title":"Hello"}}}}}
                """
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            for job in ["broken", "whole"] {
                let put = try await server.apus("jobs", "put", Self.app, job, "--file", file)
                #expect(put.status == 0, "\(put.errors)")
            }
            let intruder = try Intruder(path: "\(server.directory)/data/apus.db")
            try await intruder.execute("UPDATE jobs SET definition = '[' WHERE id = 'broken'")
            for _ in 0..<2 {
                let list = try await server.apus("jobs", "list", Self.app, "--json")
                #expect(list.lines.count == 1, "\(list.errors)")
                #expect(try list.lastLine(as: JobResponse.self).id == "whole")
            }
            let told = server.process.logEnd.split(separator: "\n").filter { $0.contains("Skipped corrupt rows") }
            #expect(told.count == 1)
            #expect(told.first?.contains("id broken") == true, "\(told)")
            let deleted = try await server.apus("jobs", "delete", Self.app, "broken")
            #expect(deleted.status == 0, "\(deleted.errors)")
            let put = try await server.apus("jobs", "put", Self.app, "broken", "--file", file)
            #expect(put.status == 0, "\(put.errors)")
            let list = try await server.apus("jobs", "list", Self.app)
            #expect(list.lines.count == 3, "\(list.lines)")
        }
    }
}
