// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Dispatch
import Foundation
package import PushModel
import Spawn
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A command that prints the master key, such as the client of a key-management service.
///
/// The shell runs it once, without input, in the environment of this process. Its standard error goes to that of this
/// process. Its standard output is the key and appears in no message.
package enum MasterKeyCommand {
    /// The most output that is read, in bytes; several keys are some hundred bytes.
    package static let maximumBytes = 16 << 10

    /// How long the command may take.
    package static let timeout: Duration = .seconds(30)

    /// How long its end is waited for after it was killed.
    private static let grace: Duration = .seconds(5)

    /// The end of the command, which a separate thread waits for.
    private final class Ending: Sendable {
        let semaphore = DispatchSemaphore(value: 0)
        private let state = Mutex<(status: Int32, output: Data)?>(nil)

        var value: (status: Int32, output: Data)? { self.state.withLock { $0 } }

        func set(_ status: Int32, _ output: Data) {
            self.state.withLock { $0 = (status, output) }
            self.semaphore.signal()
        }
    }

    /// Runs the command; blocks the thread until it ends.
    ///
    /// - Throws: ``CommandError`` `.master_key_command_failed`, `.bad_master_key`.
    package static func run(
        _ command: String,
        from source: String,
        timeout: Duration = Self.timeout
    ) throws -> MasterKey {
        let output = Pipe()
        let process: SpawnedProcess
        do {
            process = try self.start(command, output)
        } catch {
            throw self.failure(source, "it cannot be started (\(error.localizedDescription))", cause: error)
        }
        let ending = Ending()
        Thread.detachNewThread {
            let data = self.read(output.fileHandleForReading)
            ending.set(process.wait(), data)
        }
        if ending.semaphore.wait(timeout: .now() + timeout / .seconds(1)) == .timedOut {
            // The command has a process group of its own.
            _ = kill(-process.processID, SIGKILL)
            // A program that has left the group may keep the output open: then its thread stays behind.
            _ = ending.semaphore.wait(timeout: .now() + self.grace / .seconds(1))
            throw self.failure(source, "it did not end within \(Int((timeout / .seconds(1)).rounded(.up))) s")
        }
        guard let (status, data) = ending.value, status == 0 else {
            throw self.failure(source, "it ended with status \(ending.value?.status ?? -1)")
        }
        guard data.count <= self.maximumBytes, let text = String(bytes: data, encoding: .utf8) else {
            throw self.failure(source, "its output is longer than \(self.maximumBytes >> 10) KiB, or no text")
        }
        return try MasterKeyFile.parse(text, from: "\(source): the output of the command")
    }

    private static func start(_ command: String, _ output: Pipe) throws -> SpawnedProcess {
        let nothing = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null"))
        defer {
            try? nothing.close()
            // Otherwise the end of the output would not come.
            try? output.fileHandleForWriting.close()
        }
        return try SpawnedProcess(
            executable: "/bin/sh",
            arguments: ["-c", command],
            environment: ProcessInfo.processInfo.environment,
            files: SpawnedProcess.Files(
                input: nothing.fileDescriptor,
                output: output.fileHandleForWriting.fileDescriptor,
                errors: FileHandle.standardError.fileDescriptor
            )
        )
    }

    /// Reads the output to its end, or one byte more than is allowed; then the command gets SIGPIPE.
    private static func read(_ file: FileHandle) -> Data {
        var data = Data()
        while data.count <= self.maximumBytes, let part = file.nextBytes() { data += part }
        try? file.close()
        return data
    }

    private static func failure(_ source: String, _ reason: String, cause: (any Error)? = nil) -> CommandError {
        CommandError(
            "master_key_command_failed",
            "\(source): expected a command that prints the master key, but \(reason). Run it as the user of the server; "
                + "its standard error says more.",
            cause: cause
        )
    }
}
