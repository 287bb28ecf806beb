// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Dispatch
import Foundation
import Spawn
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A child process: its standard output as lines, its end, and functions to stop it.
///
/// Its standard input is a pipe without input. A command with `--exit-on-stdin-close` stops when the pipe closes. The
/// system closes it even if this process crashes, so no child outlives its parent.
package final class ChildProcess: Sendable {
    /// Settings for the trace of a crash: no symbols, because a process holds its port until its trace is written.
    ///
    /// docs/crashes.md says how to look up symbols later. Registers are left out, since the memory that they point to
    /// may hold secrets.
    private static let backtrace =
        "enable=yes,color=no,interactive=no,symbolicate=off,threads=crashed,images=mentioned,registers=none"

    private let process: SpawnedProcess
    private let command: String
    private let input: Pipe
    private let output: LineStream
    private let exit = ExitStatusPromise()
    private let log: String

    /// Starts an executable, which appends its standard error to the file `log`.
    ///
    /// Its environment is that of this process without the `APUS_` variables, which configure this process, plus
    /// `environment`. If it crashes, it logs a trace without symbols, unless the environment has another
    /// `SWIFT_BACKTRACE`.
    ///
    /// - Throws: the error of the system if it cannot start the executable or write the log.
    package init(
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
            environment: ["SWIFT_BACKTRACE": Self.backtrace]
                .merging(ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("APUS_") }) { $1 }
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

    package var processID: Int32 { self.process.processID }

    /// Returns the next line of its standard output; `nil` at the end.
    package func nextLine() async -> String? { await self.output.next() }

    /// Reads the JSON line that announces that the command is ready.
    ///
    /// - Throws: ``CommandError`` `.not_ready` with the end of the log if the process ends first, or writes something
    ///   else.
    package func ready<Ready: Decodable>(_ type: Ready.Type) async throws -> Ready {
        guard let line = await self.nextLine(), let ready = try? JSON.decoder.decode(type, from: Data(line.utf8)) else {
            self.kill()
            _ = await self.exitStatus()
            try Task.checkCancellation()
            throw CommandError("not_ready", "\(self.name) did not become ready. The end of its log:\n\(self.logEnd)")
        }
        return ready
    }

    /// Waits for the end of the process.
    ///
    /// - Returns: its exit status, or the number of the signal that ended it.
    package func exitStatus() async -> Int32 { await self.exit.status() }

    /// Waits for the end of the process, but not longer than `limit`; `nil` if it has not ended.
    package func exitStatus(within limit: Duration) async -> Int32? { await self.exit.status(within: limit) }

    /// Stops the process and waits for its end; kills it if it does not stop.
    ///
    /// It first closes standard input, which is enough for a command with `--exit-on-stdin-close`. A process that
    /// continues receives SIGTERM, and then SIGKILL.
    ///
    /// The process has `patience` to finish its work, by default more than a server needs, and `grace` after SIGTERM.
    ///
    /// - Returns: its exit status, or the number of the signal that ended it.
    @discardableResult
    package func stop(patience: Duration = .seconds(35), grace: Duration = .seconds(5)) async -> Int32 {
        try? self.input.fileHandleForWriting.close()
        if let status = await self.exit.status(within: patience) { return status }
        ProcessSignals.terminate(self.processID)
        if let status = await self.exit.status(within: grace) { return status }
        self.kill()
        return await self.exitStatus()
    }

    /// Stops the process as ``stop(patience:grace:)`` does.
    ///
    /// - Throws: ``CommandError`` `.not_stopped` when it did not end well.
    package func close() async throws {
        let status = await self.stop()
        guard status == 0 else {
            throw CommandError("not_stopped", "\(self.name) ended with status \(status):\n\(self.logEnd)")
        }
    }

    /// Kills the process immediately with SIGKILL, without cleanup.
    package func kill() {
        // After its end, the number may belong to another process.
        guard !self.exit.hasEnded else { return }
        ProcessSignals.kill(self.processID)
    }

    /// The last lines of its standard error.
    package var logEnd: String {
        let text = (try? String(contentsOfFile: self.log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(12).joined(separator: "\n")
    }

    /// The command and the process number, for messages.
    package var name: String { "`\(self.command)` (process \(self.processID))" }
}

/// The exit status of a process, for callers that ask before or after its end.
final class ExitStatusPromise: Sendable {
    private struct State {
        var status: Int32?
        var waiting: [Int: @Sendable (Int32) -> Void] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Records the end of the process, and resumes all waiting callers.
    func ended(with status: Int32) {
        let waiting = self.state.withLock { state in
            state.status = status
            defer { state.waiting = [:] }
            return state.waiting
        }
        for resume in waiting.values { resume(status) }
    }

    var hasEnded: Bool { self.state.withLock { $0.status != nil } }

    /// The exit status, as soon as there is one.
    func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            _ = self.whenEnded { continuation.resume(returning: $0) }
        }
    }

    /// Returns the exit status, or `nil` if the process runs longer than the limit.
    ///
    /// A cancelled task waits too, because its cleanup needs the process to have ended.
    func status(within limit: Duration) async -> Int32? {
        await withCheckedContinuation { continuation in
            guard let number = self.whenEnded({ continuation.resume(returning: $0) }) else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) {
                guard self.forget(number) else { return }
                continuation.resume(returning: nil)
            }
        }
    }

    /// Calls `resume` with the status: immediately if it is known, otherwise at the end of the process.
    ///
    /// - Returns: a number that removes the callback; `nil` if it was called already.
    private func whenEnded(_ resume: @escaping @Sendable (Int32) -> Void) -> Int? {
        let (status, number) = self.state.withLock { state -> (Int32?, Int) in
            state.lastNumber += 1
            if state.status == nil { state.waiting[state.lastNumber] = resume }
            return (state.status, state.lastNumber)
        }
        guard let status else { return number }
        resume(status)
        return nil
    }

    /// - Returns: whether it had not been called yet.
    private func forget(_ number: Int) -> Bool {
        self.state.withLock { $0.waiting.removeValue(forKey: number) != nil }
    }
}

/// The signals that this program sends.
package enum ProcessSignals {
    /// Ends a process at once; it gets no chance to tidy up.
    static func kill(_ process: Int32) { Self.send(SIGKILL, to: process) }

    /// Asks a process to stop.
    static func terminate(_ process: Int32) { Self.send(SIGTERM, to: process) }

    /// Suspends a process until ``goOn(_:)``, like a suspended machine.
    package static func standStill(_ process: Int32) { Self.send(SIGSTOP, to: process) }

    /// Resumes a suspended process.
    package static func goOn(_ process: Int32) { Self.send(SIGCONT, to: process) }

    private static func send(_ signal: Int32, to process: Int32) {
        #if canImport(Glibc)
        _ = Glibc.kill(process, signal)
        #elseif canImport(Musl)
        _ = Musl.kill(process, signal)
        #elseif canImport(Darwin)
        _ = Darwin.kill(process, signal)
        #endif
    }
}

/// The file of this very program, so that it can start itself with another command.
package enum CurrentExecutable {
    package static var path: String { Bundle.main.executablePath ?? CommandLine.arguments.first ?? "apus" }

    /// The path relative to the current directory, as a user would type it.
    package static var typed: String {
        let directory = FileManager.default.currentDirectoryPath + "/"
        let path = self.path
        return path.hasPrefix(directory) ? String(path.dropFirst(directory.count)) : path
    }
}
