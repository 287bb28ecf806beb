// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import Testing

@testable import apus

@Suite("The demo", .timeLimit(.minutes(20)))
struct DemoTests {
    private struct Report: Decodable {
        let delivered: Int
        let expected: Int
        let pruned: Int
        let activities: Int
        let transitionsExpected: Int
        let transitionsSeen: Int
        let duplicates: Int
        let faults: [String]
        let seconds: Double

        private enum CodingKeys: String, CodingKey {
            case delivered, expected, pruned, activities, duplicates, faults, seconds
            case transitionsExpected = "transitions_expected"
            case transitionsSeen = "transitions_seen"
        }
    }

    @Test("every push is on its device, the token of the deleted app is marked, and what was planned was seen once")
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
            #expect(report.activities == 2)
            #expect(report.transitionsExpected == 3)
            #expect(report.transitionsSeen == 3)
            #expect(report.duplicates == 0)
            #expect(report.faults.isEmpty)
            #expect(report.seconds > 0)
            #expect(run.lines.contains { $0.contains("データ更新完了") })
            #expect(run.lines.contains { $0.contains("410 Unregistered") })
            let schedulers = Self.processes(in: run.lines.filter { $0.lowercased().contains("scheduler") })
            #expect(schedulers.count == 3 && Set(schedulers).count == 2)
            #expect(schedulers.prefix(2).allSatisfy { $0 == schedulers[0] })
            let screens = run.lines.compactMap { $0.split(separator: ": ").last.map(String.init) }
            #expect(
                screens.filter { ["active", "ending", "ended"].contains($0) } == [
                    "active", "active", "ending", "ended", "ended",
                ]
            )
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
            var lines: [String] = []
            while let line = await demo.nextLine(), !line.contains("Ctrl-C") { lines.append(line) }
            let processes = Set(Self.processes(in: lines))
            #expect(processes.count == 4)
            let place = try #require(lines.firstIndex { $0.contains("export APUS_URL") })
            // The last but one follows what arrives, and the last one works on, both until they are stopped.
            let commands = lines[place...].filter { $0.hasPrefix("    ") && !$0.hasSuffix(":") }
                .filter { !$0.contains("curl -sN") && !$0.contains("/apus schedule") }
            let output = try await Self.shell(commands.joined(separator: "\n"), log: "\(directory)/log")
            #expect(output.contains { $0.contains("1 of 1 accepted by APNs") })
            #expect(output.contains { $0.contains("invalid (Unregistered)") })
            let text = output.joined(separator: "\n")
            #expect(text.contains("from curl") && text.contains("from the terminal"))
            #expect(text.contains(#""activity":"lesson-43""#) && text.contains(#""version":2"#))
            #expect(text.contains("transition_scheduled"))
            #expect(!text.contains("/problems/"))
            demo.interrupt()
            #expect(await demo.end() == 0)
            #expect(processes.allSatisfy { !ChildProcess.isRunning($0) })
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["log"])
        }
    }

    @Test("too much on one device does not make up for too little on another")
    func balance() {
        func arrival(_ phone: String, _ all: Int, _ matching: Int, hasApp: Bool = true) -> DemoReport.Arrival {
            DemoReport.Arrival(phone: phone, hasApp: hasApp, all: all, matching: matching)
        }
        var good = DemoReport()
        good.add(push: "First", [arrival("a", 1, 1), arrival("b", 1, 1), arrival("c", 0, 0, hasApp: false)])
        #expect(good.isGood && good.delivered == 2 && good.expected == 2)

        var shifted = DemoReport()
        shifted.add(push: "First", [arrival("a", 2, 2), arrival("b", 0, 0)])
        #expect(shifted.delivered == shifted.expected)
        #expect(!shifted.isGood)
        #expect(shifted.faults.count == 2)

        var absent = DemoReport()
        absent.add(push: "First", [arrival("a", 0, 0), arrival("b", 1, 1, hasApp: false)])
        #expect(absent.delivered == absent.expected)
        #expect(!absent.isGood)

        var strange = DemoReport()
        strange.add(push: "First", [arrival("a", 2, 1)])
        #expect(!strange.isGood)
    }

    @Test("the wrong device marked as invalid does not make up for the right one")
    func wrongPruning() {
        var report = DemoReport()
        report.add(phone: "a", isInvalid: true, isGone: false)
        report.add(phone: "b", isInvalid: false, isGone: true)
        #expect(report.pruned == 1)
        #expect(!report.isGood)
        #expect(report.faults.count == 2)
    }

    private struct Trouble: Error {}

    @Test(
        "the directory with the logs is kept and named when something went wrong, and removed otherwise",
        arguments: [
            (Result<Bool, any Error>.success(true), false), (.success(false), true), (.failure(Trouble()), true),
            (.failure(CancellationError()), false),
        ]
    )
    func directory(end: Result<Bool, any Error>, isKept: Bool) async throws {
        try await withTemporaryDirectory { parent in
            var told: [String] = []
            var path = ""
            do {
                try await DemoDirectory.with(in: URL(fileURLWithPath: parent), tell: { told.append($0) }) { directory in
                    path = directory
                    #expect(FileManager.default.createFile(atPath: "\(directory)/server.log", contents: Data()))
                    return try end.get()
                }
                #expect((try? end.get()) != nil)
            } catch {
                #expect((try? end.get()) == nil)
            }
            #expect(FileManager.default.fileExists(atPath: "\(path)/server.log") == isKept)
            #expect(told == (isKept ? ["The logs of the demo are in \(path)"] : []))
        }
    }

    /// The numbers of the processes that lines tell of.
    private static func processes(in lines: [String]) -> [Int32] {
        lines.compactMap { line in
            let words = line.split { !$0.isLetter && !$0.isNumber }
            guard let place = words.firstIndex(of: "process"), place + 1 < words.count else { return nil }
            return Int32(words[place + 1])
        }
    }

    /// Runs lines as somebody would who copies them into a terminal.
    private static func shell(_ lines: String, log: String) async throws -> [String] {
        let shell = try ChildProcess(executable: "/bin/sh", arguments: ["-ec", lines], log: log)
        var output: [String] = []
        while let line = await shell.nextLine() { output.append(line) }
        #expect(await shell.end() == 0)
        return output
    }
}
