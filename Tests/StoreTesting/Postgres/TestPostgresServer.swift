// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Spawn

/// A PostgreSQL server for tests, run by `dev/lib/postgres`.
///
/// `dev/test` starts one and names it in `APUS_TEST_POSTGRES`. Where that is not set, the first test that asks for
/// ``shared`` starts one, which ends with the process. A test that stops or restarts a server starts one of its own.
public struct TestPostgresServer: Sendable {
    /// The environment variable with the URL of a server, on which the tests make databases of their own.
    public static let variable = "APUS_TEST_POSTGRES"

    /// The URL of the server's first database, of the superuser.
    public let url: String

    /// Where the server lives; `nil` for one that somebody else started.
    private let directory: String?

    /// Begins with the first test that asks for it, and all of them wait for it.
    private static let started = Task { try await Self.start() }

    /// The server of all tests; nobody may stop it.
    ///
    /// - Throws: ``TestPostgresError`` when it cannot be started.
    public static var shared: TestPostgresServer {
        get async throws {
            if let url = ProcessInfo.processInfo.environment[self.variable], !url.isEmpty {
                return TestPostgresServer(url: url, directory: nil)
            }
            return try await self.started.value
        }
    }

    /// Starts a server, hands it to `body`, and stops it.
    ///
    /// - Parameters:
    ///   - isolation: where the body runs; the caller's by default.
    ///   - body: what to do with the server.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or ``TestPostgresError`` when the server cannot be started.
    public static func withServer<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (TestPostgresServer) async throws -> Value
    ) async throws -> Value {
        let server = try await self.start()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        _ = try? await Self.script(["stop", server.directory ?? ""])
        return try result.get()
    }

    /// Ends the server as a crash would, and starts it again; all connections break.
    public func restart() async throws {
        guard let directory else { throw TestPostgresError(message: "somebody else's server is not restarted") }
        _ = try await Self.script(["restart", directory])
    }

    /// Restarts the server so that it listens on a TCP port, because sessions on Unix sockets have no keepalives.
    ///
    /// - Parameter port: the port, which also replaces that of the Unix socket.
    /// - Returns: the server under its new URL.
    public func listening(on port: Int) async throws -> TestPostgresServer {
        for setting in ["listen_addresses = '127.0.0.1'", "port = \(port)"] {
            try await SQLSession.execute("ALTER SYSTEM SET \(setting)", at: self.url)
        }
        try await self.restart()
        return TestPostgresServer(
            url: "postgres://postgres@/postgres?host=127.0.0.1&port=\(port)",
            directory: self.directory
        )
    }

    /// Lets no file of the server's grow beyond so many bytes, or lets all of them grow again; Linux only.
    ///
    /// To the server that is a disk without room for these files, whoever's rights it has: what it cannot append fails, and
    /// where that is its log of changes, it stops. After a restart there is no limit.
    /// - Parameter size: how many bytes; `nil` for no limit.
    /// - Throws: ``TestPostgresError`` when the limit cannot be set.
    public func limitFiles(to size: Int?) async throws {
        guard let directory else { throw TestPostgresError(message: "somebody else's server is not limited") }
        _ = try await Self.script(["limit", directory, size.map { "\($0)" } ?? "unlimited"])
    }

    /// Starts a PgBouncer before the server, which ends with it.
    ///
    /// - Parameter mode: its `pool_mode`, such as `transaction`.
    /// - Returns: the URL of the server's first database through it.
    /// - Throws: ``TestPostgresError`` when it cannot be started.
    public func pool(_ mode: String) async throws -> String {
        guard let directory else { throw TestPostgresError(message: "somebody else's server gets no pooler") }
        return try await Self.script(["pool", directory, mode]).trimmingCharacters(in: .newlines)
    }

    private static func start() async throws -> TestPostgresServer {
        let lines = try await self.script(["start", "--until", "\(ProcessInfo.processInfo.processIdentifier)"])
            .split(separator: "\n").map(String.init)
        guard lines.count == 2 else { throw TestPostgresError(message: "dev/lib/postgres said: \(lines)") }
        return TestPostgresServer(url: lines[1], directory: lines[0])
    }

    /// Runs `dev/lib/postgres` of this source tree and answers what it prints.
    private static func script(_ arguments: [String]) async throws -> String {
        let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        let script = root.appendingPathComponent("dev/lib/postgres").path
        let (status, output) = try await SpawnedProcess.run(script, arguments)
        guard status == 0 else {
            throw TestPostgresError(
                message: "dev/lib/postgres \(arguments.joined(separator: " ")) failed. Run dev/test, which installs "
                    + "PostgreSQL and starts a server for the tests."
            )
        }
        return String(decoding: output, as: UTF8.self)
    }
}

/// Why a server for tests is not there.
public struct TestPostgresError: Error, CustomStringConvertible {
    /// What went wrong and how to fix it.
    public let message: String

    /// Tells what went wrong.
    package init(message: String) {
        self.message = message
    }

    /// The message.
    public var description: String { self.message }
}
