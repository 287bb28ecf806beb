// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

extension SpawnedProcess {
    /// Runs an executable without input in this process's environment, and waits on a thread of its own until it has ended.
    ///
    /// - Parameters:
    ///   - executable: its path.
    ///   - arguments: what follows its name.
    /// - Returns: its exit status, or the number of the signal that ended it, and what it wrote to standard output.
    /// - Throws: `POSIXError` with what the system says.
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
                let data = reading.readDataToEndOfFile()
                continuation.resume(returning: (process.wait(), data))
            }
        }
    }
}
