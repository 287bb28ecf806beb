// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Spawn

/// A process started by this one: its standard output line by line, its end, and a way to end it.
///
/// Its standard input is a pipe that nothing is written to. A command that was started with `--until-input-ends` stops
/// when the pipe closes, which the system does however this process ends; so no child outlives its parent.
final class ChildProcess: Sendable {
    private let process: SpawnedProcess
    private let command: String
    private let input: Pipe
    private let output: LineStream
    private let exit = ExitSignal()
    private let log: String

    /// Starts an executable.
    ///
    /// - Parameters:
    ///   - executable: its path.
    ///   - arguments: what follows the executable on its command line.
    ///   - environment: added to this process's own environment without its `APUS_` variables, which configure this one.
    ///   - log: the file that gets its standard error; created, or written on at its end.
    /// - Throws: what the system says when the executable cannot be started or the log cannot be written.
    init(
        executable: String,
        arguments: [String],
        environment: [String: String] = [:],
        log: String
    ) throws {
        if !FileManager.default.fileExists(atPath: log) {
            _ = FileManager.default.createFile(atPath: log, contents: nil)
        }
        let errors = try FileHandle(forUpdating: URL(fileURLWithPath: log))
        defer { try? errors.close() }
        try errors.seekToEnd()
        let input = Pipe()
        let output = Pipe()
        defer {
            try? input.fileHandleForReading.close()
            try? output.fileHandleForWriting.close()
        }
        let process = try SpawnedProcess(
            executable: executable,
            arguments: arguments,
            environment: ProcessInfo.processInfo.environment
                .filter { !$0.key.hasPrefix("APUS_") }
                .merging(environment) { $1 },
            files: SpawnedProcess.Files(
                input: input.fileHandleForReading.fileDescriptor,
                output: output.fileHandleForWriting.fileDescriptor,
                errors: errors.fileDescriptor
            )
        )
        self.process = process
        let name = URL(fileURLWithPath: executable).lastPathComponent
        self.command = ([name] + arguments.prefix(1)).joined(separator: " ")
        self.input = input
        self.output = LineStream(output.fileHandleForReading)
        self.log = log
        Thread.detachNewThread { [exit] in exit.ended(with: process.wait()) }
    }

    /// The system's number for the process.
    var processID: Int32 { self.process.processID }

    /// The next line of its standard output; `nil` when there are no more.
    func nextLine() async -> String? { await self.output.next() }

    /// Reads the line of JSON by which a command says that it is ready.
    ///
    /// - Throws: ``CommandFailure`` `.not_ready` with the end of the log when the process ends before, or says
    ///   something else.
    func ready<Ready: Decodable>(_ type: Ready.Type) async throws -> Ready {
        guard let line = await self.nextLine(), let ready = try? JSON.decoder.decode(type, from: Data(line.utf8)) else {
            self.kill()
            _ = await self.exitStatus()
            try Task.checkCancellation()
            throw CommandFailure("not_ready", "\(self.name) did not become ready. The end of its log:\n\(self.logEnd)")
        }
        return ready
    }

    /// Waits for the end of the process.
    ///
    /// - Returns: its exit status, or the number of the signal that ended it.
    func exitStatus() async -> Int32 { await self.exit.status() }

    /// Asks the process to stop, and waits for its end; one that does not stop is ended.
    ///
    /// First its standard input is closed, which is enough for a command that was started with `--until-input-ends`. A
    /// process that goes on gets SIGTERM, and SIGKILL if that does not help either.
    /// - Parameters:
    ///   - patience: how long it may take to finish what it has begun; the default is more than a server needs.
    ///   - grace: how long it may take after SIGTERM.
    /// - Returns: its exit status, or the number of the signal that ended it.
    @discardableResult
    func stop(patience: Duration = .seconds(35), grace: Duration = .seconds(5)) async -> Int32 {
        try? self.input.fileHandleForWriting.close()
        if let status = await self.exit.status(within: patience) { return status }
        Signals.terminate(self.processID)
        if let status = await self.exit.status(within: grace) { return status }
        self.kill()
        return await self.exitStatus()
    }

    /// Ends the process at once with SIGKILL; it gets no chance to tidy up.
    func kill() {
        // After its end, the number may belong to another process.
        guard !self.exit.hasEnded else { return }
        Signals.kill(self.processID)
    }

    /// The last lines of what it wrote to its standard error.
    var logEnd: String {
        let text = (try? String(contentsOfFile: self.log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(12).joined(separator: "\n")
    }

    /// The command and the process number, for messages.
    var name: String { "`\(self.command)` (process \(self.processID))" }
}
