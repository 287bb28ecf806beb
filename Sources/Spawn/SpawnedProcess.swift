// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CSpawn
public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A process that `posix_spawn` has started, in a separate process group and without open files except the three given.
///
/// Foundation's `Process` is not used: on Linux, it lists this process's open files by copying directory entries at
/// their full size, and reads beyond the end of its buffer. With many open files, this crashes the program
/// occasionally.
public struct SpawnedProcess: Sendable {
    public let processID: Int32

    /// The files of standard input, output and error, in this order.
    public struct Files: Sendable {
        public var input: Int32
        public var output: Int32
        public var errors: Int32

        /// Three open files, by their descriptors.
        public init(input: Int32, output: Int32, errors: Int32) {
            self.input = input
            self.output = output
            self.errors = errors
        }
    }

    /// Starts an executable with exactly this environment.
    ///
    /// - Throws: `POSIXError` with the error of the system.
    public init(executable: String, arguments: [String], environment: [String: String], files: Files) throws {
        var actions = posix_spawn_file_actions_t()
        try Self.check(posix_spawn_file_actions_init(&actions))
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, file) in [files.input, files.output, files.errors].enumerated() {
            try Self.check(posix_spawn_file_actions_adddup2(&actions, file, Int32(number)))
        }
        var attributes = posix_spawnattr_t()
        try Self.check(posix_spawnattr_init(&attributes))
        defer { posix_spawnattr_destroy(&attributes) }
        try Self.isolate(&actions, &attributes)

        let words = ([executable] + arguments).map { strdup($0) }
        let variables = environment.map { strdup("\($0.key)=\($0.value)") }
        defer { for string in words + variables { free(string) } }
        var processID: pid_t = 0
        try Self.check(posix_spawn(&processID, executable, &actions, &attributes, words + [nil], variables + [nil]))
        self.processID = processID
    }

    /// Gives the process default signals, a separate group, and none of this process's other files.
    private static func isolate(
        _ actions: inout posix_spawn_file_actions_t,
        _ attributes: inout posix_spawnattr_t
    ) throws {
        var signals = sigset_t()
        sigemptyset(&signals)
        try Self.check(posix_spawnattr_setsigmask(&attributes, &signals))
        sigfillset(&signals)
        try Self.check(posix_spawnattr_setsigdefault(&attributes, &signals))
        try Self.check(posix_spawnattr_setpgroup(&attributes, 0))
        var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETPGROUP)
        #if canImport(Darwin)
        flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
        #else
        try Self.check(posix_spawn_file_actions_addclosefrom_np(&actions, 3))
        #endif
        try Self.check(posix_spawnattr_setflags(&attributes, Int16(flags)))
    }

    /// Waits for the process to end, and clears it away; blocks the thread until then.
    ///
    /// Once only.
    ///
    /// - Returns: its exit status, or the number of the signal that ended it.
    public func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(self.processID, &status, 0) == -1, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : signal
    }

    private static func check(_ code: Int32) throws {
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    }
}

extension SpawnedProcess {
    /// Runs an executable without input in this process's environment, and waits on a separate thread until it ends.
    ///
    /// - Returns: its exit status, or the number of the signal that ended it, and its standard output.
    /// - Throws: `POSIXError` with the error of the system.
    public static func run(_ executable: String, _ arguments: [String]) async throws -> (status: Int32, output: Data) {
        // FileHandle.nullDevice has no descriptor on Linux.
        let nothing = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null"))
        let output = Pipe()
        let process = try SpawnedProcess(
            executable: executable,
            arguments: arguments,
            environment: ProcessInfo.processInfo.environment,
            files: Files(
                input: nothing.fileDescriptor,
                output: output.fileHandleForWriting.fileDescriptor,
                errors: FileHandle.standardError.fileDescriptor
            )
        )
        try nothing.close()
        // Otherwise the end would not come.
        try output.fileHandleForWriting.close()
        let reading = output.fileHandleForReading
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = (try? reading.readToEnd()) ?? Data()
                continuation.resume(returning: (process.wait(), data))
            }
        }
    }
}
