// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import apus

@Suite("The demo", .timeLimit(.minutes(2)))
struct DemoTests {
    private struct Report: Decodable {
        let delivered: Int
        let expected: Int
        let pruned: Int
        let seconds: Double
    }

    @Test("every push is on its device, and the token of the deleted app is marked")
    func once() async throws {
        try await withTemporaryDirectory { directory in
            let run = try await CommandRun(
                "demo",
                "--once",
                "--json",
                environment: ["TMPDIR": directory],
                in: directory
            )
            #expect(run.status == 0, "\(run.errors)")
            let report = try run.lastLine(as: Report.self)
            #expect(report.expected == 5)
            #expect(report.delivered == 5)
            #expect(report.pruned == 1)
            #expect(report.seconds > 0)
            #expect(run.lines.contains { $0.contains("データ更新完了") })
            #expect(run.lines.contains { $0.contains("410 Unregistered") })
        }
    }

    @Test("it stays up for the commands that it shows until it is told to stop, and leaves nothing behind")
    func staysUp() async throws {
        try await withTemporaryDirectory { directory in
            let demo = try ChildProcess(
                executable: BuiltExecutable.path,
                arguments: ["demo"],
                environment: ["TMPDIR": directory],
                log: "\(directory)/log"
            )
            var processes: [Int32] = []
            var commands: [String] = []
            while let line = await demo.nextLine(), !line.contains("Ctrl-C") {
                let words = line.split(separator: " ")
                if let place = words.firstIndex(of: "process"), let number = Int32(words[place + 1]) {
                    processes.append(number)
                }
                if line.contains("export APUS_URL") || line.contains("/apus ") { commands.append(line) }
            }
            #expect(processes.count == 2)
            let output = try await Self.shell(commands.joined(separator: "\n"), log: "\(directory)/log")
            #expect(output.contains { $0.contains("1 of 1 accepted by APNs") })
            #expect(output.contains { $0.contains("invalid (Unregistered)") })
            demo.interrupt()
            #expect(await demo.exitStatus() == 0)
            #expect(processes.allSatisfy { !ChildProcess.isRunning($0) })
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["log"])
        }
    }

    /// Runs lines as somebody would who copies them into a terminal.
    private static func shell(_ lines: String, log: String) async throws -> [String] {
        let shell = try ChildProcess(executable: "/bin/sh", arguments: ["-ec", lines], log: log)
        var output: [String] = []
        while let line = await shell.nextLine() { output.append(line) }
        #expect(await shell.exitStatus() == 0)
        return output
    }
}
