// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Spawn
import Testing

@testable import CommandLineSupport
@testable import apus_bench

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("A command whose reader has gone", .timeLimit(.minutes(20)))
struct LostReaderTests {
    @Test("ends quietly by SIGPIPE, as other programs do, whatever it lists")
    func listing() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            let put = try await server.apus("devices", "put", ServerInTest.app, "phone-1", "--token", "ab")
            #expect(put.status == 0, "\(put.errors)")
            let listings = [
                ["devices", "list", ServerInTest.app], ["devices", "list", ServerInTest.app, "--json"],
                ["devices", "export", ServerInTest.app, "-"], ["campaign", "list", ServerInTest.app],
                ["simulate", "tokens", "--population", "20000"], ["--help"],
            ]
            for (number, arguments) in listings.enumerated() {
                let log = "\(server.directory)/listing-\(number).log"
                try Data().write(to: URL(fileURLWithPath: log))
                let errors = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
                let process = try Self.withPipeWithoutReader { output in
                    try Self.start(
                        arguments,
                        environment: server.environment,
                        files: .init(input: output, output: output, errors: errors.fileDescriptor)
                    )
                }
                #expect(await process.status() == SIGPIPE, "\(arguments)")
                #expect(try String(contentsOfFile: log, encoding: .utf8).isEmpty, "\(arguments)")
            }
        }
    }

    @Test("says what has failed with its status alone where nobody reads that")
    func failure() async throws {
        let process = try Self.withPipeWithoutReader { pipe in
            try Self.start(
                ["apps", "list"],
                environment: ["APUS_URL": "http://127.0.0.1:1", "APUS_API_KEY": "apus_x"],
                files: .init(input: pipe, output: pipe, errors: pipe)
            )
        }
        #expect(await process.status() == 1)
    }

    @Test("serves all the same, with nobody to tell that there is no key yet, nor that it is ready")
    func server() async throws {
        try await withTemporaryDirectory { directory in
            let arguments = ["serve", "--port", "0", "--with", "none", "--data", "\(directory)/data"]
            let output = Pipe()
            let process = try Self.withPipeWithoutReader { errors in
                try Self.start(
                    arguments,
                    files: .init(
                        input: errors,
                        output: output.fileHandleForWriting.fileDescriptor,
                        errors: errors
                    )
                )
            }
            try output.fileHandleForWriting.close()
            let line = try #require(await LineStream(output.fileHandleForReading).next())
            #expect(line.hasSuffix("store in \(directory)/data"))
            let url = try #require(line.split(separator: " ").first { $0.hasPrefix("http://") }?.dropLast())
            // The line on standard error is written before anything is answered, or while this is.
            let api = APIClient(url: String(url), key: "")
            for _ in 0..<20 { _ = try await api.call(.get, "/healthz") }
            ProcessSignals.terminate(process.id)
            #expect(await process.status() == 0)
        }
        try await withTemporaryDirectory { directory in
            let port = try await FreePort.find()
            let process = try Self.withPipeWithoutReader { pipe in
                try Self.start(
                    ["serve", "--port", "\(port)", "--with", "none", "--data", "\(directory)/data"],
                    files: .init(input: pipe, output: pipe, errors: pipe)
                )
            }
            let api = APIClient(url: "http://127.0.0.1:\(port)", key: "")
            while (try? await api.call(.get, "/healthz")) == nil {
                try Task.checkCancellation()
                try #require(!process.exit.hasEnded)
            }
            _ = try await api.call(.get, "/healthz")
            ProcessSignals.terminate(process.id)
            #expect(await process.status() == 0)
        }
    }

    #if os(Linux)
    @Test("or whose disk is full says so, with status 1")
    func full() async throws {
        try await withTemporaryDirectory { directory in
            let log = "\(directory)/log"
            let child = try ChildProcess(
                executable: "/bin/sh",
                arguments: ["-c", #"exec "$0" --help > /dev/full"#, BuiltExecutable.path],
                log: log
            )
            #expect(await child.end() == 1)
            #expect(child.logEnd == "apus: Standard output cannot be written: No space left on device.")
        }
    }
    #endif

    /// Hands over the end for writing of a pipe that nobody reads.
    private static func withPipeWithoutReader<Value>(_ body: (Int32) throws -> Value) throws -> Value {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        defer { try? pipe.fileHandleForWriting.close() }
        return try body(pipe.fileHandleForWriting.fileDescriptor)
    }

    /// A process with files of its own.
    private struct Started {
        let id: Int32
        let exit = ExitStatusPromise()

        /// Waits for its end, and kills it when the test is cancelled.
        func status() async -> Int32 {
            await withTaskCancellationHandler {
                await self.exit.status()
            } onCancel: {
                ProcessSignals.kill(self.id)
            }
        }
    }

    /// Starts `apus` with files of its own.
    private static func start(
        _ arguments: [String],
        environment: [String: String] = [:],
        files: SpawnedProcess.Files
    ) throws -> Started {
        let process = try SpawnedProcess(
            executable: BuiltExecutable.path,
            arguments: arguments,
            environment: ProcessInfo.processInfo.environment
                .filter { !$0.key.hasPrefix("APUS_") }
                .merging(environment) { $1 },
            files: files
        )
        let started = Started(id: process.processID)
        Thread.detachNewThread { started.exit.ended(with: process.wait()) }
        return started
    }
}
