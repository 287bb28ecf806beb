// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import Testing

@Suite("A child process", .timeLimit(.minutes(20)))
struct ChildProcessTests {
    private func shell(_ script: String, in directory: String) throws -> ChildProcess {
        try ChildProcess(executable: "/bin/sh", arguments: ["-c", script], log: "\(directory)/log")
    }

    @Test("that stops when its input ends is neither terminated nor killed")
    func stops() async throws {
        try await withTemporaryDirectory { directory in
            let child = try shell("cat; exit 3", in: directory)
            #expect(await child.stop() == 3)
        }
    }

    @Test("that does not stop when its input ends is terminated")
    func terminated() async throws {
        try await withTemporaryDirectory { directory in
            let child = try shell("trap 'exit 4' TERM; echo ready; while :; do sleep 0.1; done", in: directory)
            #expect(await child.nextLine() == "ready")
            #expect(await child.stop(patience: .milliseconds(1), grace: .seconds(50)) == 4)
        }
    }

    @Test("that does not even stop at SIGTERM is killed")
    func killed() async throws {
        try await withTemporaryDirectory { directory in
            let child = try shell("trap '' TERM; echo ready; while :; do sleep 0.1; done", in: directory)
            #expect(await child.nextLine() == "ready")
            #expect(await child.stop(patience: .milliseconds(1), grace: .milliseconds(1)) == 9)
        }
    }

    @Test("is waited for also by a task that was cancelled")
    func cancelled() async throws {
        try await withTemporaryDirectory { directory in
            let child = try shell("cat; exit 5", in: directory)
            let status = await withTaskGroup(of: Int32.self) { group in
                group.cancelAll()
                group.addTask { await child.stop() }
                return await group.next()
            }
            #expect(status == 5)
        }
    }

    @Test("looks up no symbols when it crashes, unless it is told to")
    func backtrace() async throws {
        try await withTemporaryDirectory { directory in
            let script = "echo $SWIFT_BACKTRACE"
            let plain = try shell(script, in: directory)
            if ProcessInfo.processInfo.environment["SWIFT_BACKTRACE"] == nil {
                #expect(await plain.nextLine()?.contains("symbolicate=off") == true)
            }
            let told = try ChildProcess(
                executable: "/bin/sh",
                arguments: ["-c", script],
                environment: ["SWIFT_BACKTRACE": "enable=no"],
                log: "\(directory)/log"
            )
            #expect(await told.nextLine() == "enable=no")
            for child in [plain, told] { #expect(await child.stop() == 0) }
        }
    }

    @Test("that has ended tells its status at once, however often it is asked")
    func ended() async throws {
        try await withTemporaryDirectory { directory in
            let child = try shell("exit 6", in: directory)
            for _ in 0..<3 { #expect(await child.stop() == 6) }
        }
    }
}
