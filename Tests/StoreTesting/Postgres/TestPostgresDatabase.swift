// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// A database of a test's own.
public struct TestPostgresDatabase: Sendable {
    /// Its URL.
    public let url: String

    /// Its name.
    public let name: String

    /// Makes a database, hands it to `body`, and removes it.
    ///
    /// - Parameters:
    ///   - server: where to make it; ``TestPostgresServer/shared`` if not said.
    ///   - template: the database of which it is a copy; empty if not said.
    ///   - isolation: where the body runs; the caller's by default.
    ///   - body: what to do with the database.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or ``TestPostgresError``.
    public static func withDatabase<Value>(
        on server: TestPostgresServer? = nil,
        template: String? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (TestPostgresDatabase) async throws -> Value
    ) async throws -> Value {
        let place: TestPostgresServer
        if let server { place = server } else { place = try await .shared }
        let database = try await self.make(on: place, template: template)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(database))
        } catch {
            result = .failure(error)
        }
        try await SQLSession.execute("DROP DATABASE IF EXISTS \(database.name) WITH (FORCE)", at: place.url)
        return try result.get()
    }

    /// Makes a database that stays as long as its server.
    ///
    /// - Parameters:
    ///   - server: where to make it.
    ///   - template: the database of which it is a copy; an empty one if not said.
    /// - Returns: the database.
    /// - Throws: ``TestPostgresError``.
    public static func make(on server: TestPostgresServer, template: String? = nil) async throws -> TestPostgresDatabase
    {
        let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        try await SQLSession.execute("CREATE DATABASE \(name) TEMPLATE \(template ?? "template0")", at: server.url)
        return TestPostgresDatabase(url: server.url.replacing("/postgres?", with: "/\(name)?"), name: name)
    }

    /// Runs statements on a connection of their own, as somebody else would.
    ///
    /// - Parameter sql: statements with a semicolon between them.
    /// - Returns: the first column of the rows of the last one, as text.
    /// - Throws: ``TestPostgresError`` with what the server says.
    @discardableResult
    public func execute(_ sql: String) async throws -> [String] {
        // Tests ask again until something is the case.
        try Task.checkCancellation()
        return try await SQLSession.execute(sql, at: self.url)
    }
}
