// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import apus

@Suite("What is shown of jobs")
struct JobAnswerTests {
    /// A run whose receiver has answered with what a terminal would carry out.
    private static let run = #"""
        {"id":"1","trigger":"schedule","dueAt":"2026-03-01T09:00:00Z","state":"failed","occurrences":1,"attempts":1,
        "processedCount":0,"message":"The receiver responded with status 500. \u001b]0;owned\u0007\u001b[2J寿司"}
        """#

    @Test("has nothing that a terminal would carry out, whatever a receiver has answered")
    func printable() throws {
        let run = try JSONDecoder().decode(JobResponse.Run.self, from: Data(Self.run.utf8))
        let job = try JSONDecoder().decode(
            JobResponse.self,
            from: Data(
                #"""
                {"app":"com.example.app","id":"report","type":"webhook","schedule":{"everySeconds":60},"overlap":"skip",
                "misfire":"run_once","jitterSeconds":0,"maxRetries":0,"timeoutSeconds":10,"paused":false,"createdAt":"","updatedAt":"",
                "lastRun":\#(Self.run)}
                """#.utf8
            )
        )
        for lines in [JobsHistoryCommand.lines(of: [run]), job.lines] {
            let text = lines.joined(separator: "\n")
            #expect(text.contains("500. \u{FFFD}]0;owned\u{FFFD}\u{FFFD}[2J寿司"))
            #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
        }
    }
}
