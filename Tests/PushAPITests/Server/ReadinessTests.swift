// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Logging
import PushAPI
import PushModel
import PushStore
import SQLiteStore
import Synchronization
import Testing

@Suite("Readiness", .timeLimit(.minutes(20)))
struct ReadinessTests {
    /// A setup whose store asks `check` instead of writing.
    private static func checking(_ check: @escaping @Sendable () async throws -> Void) -> TestSetup {
        var setup = TestSetup()
        setup.wrap = { SilentStore(base: $0, check: check) }
        return setup
    }

    @Test("a store that can be read and not written is not ready")
    func readOnly() async throws {
        try await withTemporaryStore { store, path in
            _ = store
            var configuration = SQLiteStoreConfiguration(path: path)
            configuration.isReadOnly = true
            try await withSQLiteStore(configuration: configuration, logger: Logger(label: "test")) { reader in
                var setup = TestSetup()
                setup.wrap = { _ in reader }
                try await withAPI(setup) { api async throws in
                    let answer = try await api.call(.get, "/readyz")
                    #expect(answer.status == 503)
                    #expect(answer.code == "store_read_only")
                }
            }
        }
    }

    @Test("a store that takes changes is ready, and its content stays as it is")
    func writable() async throws {
        try await withAPI { api async throws in
            for _ in 0..<3 { try await api.store.checkWritable() }
            #expect(try await api.call(.get, "/readyz").json == ["status": "ready"])
            #expect(try await api.store.apps(after: nil, limit: 10).elements.map(\.id) == [TestAPI.app])
        }
    }

    @Test("the store is asked at most once a second, whatever it answers", arguments: [false, true])
    func cached(fails: Bool) async throws {
        let (asked, counter) = AsyncStream.makeStream(of: Void.self)
        let setup = Self.checking {
            counter.yield()
            if fails { throw StoreError(code: .full, message: "no room") }
        }
        try await withAPI(setup) { api async throws in
            let expected = fails ? 507 : 200
            for _ in 0..<2 {
                for _ in 0..<5 { #expect(try await api.call(.get, "/readyz").status == expected) }
                setup.time.advance(by: 1)
            }
        }
        counter.finish()
        #expect(await asked.reduce(into: 0) { count, _ in count += 1 } == 2)
    }

    @Test("while the store is asked others get its last answer; one that does not answer is unavailable")
    func hanging() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let isFirst = Mutex(true)
        let setup = Self.checking {
            let passes = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            guard !passes else { return }
            asking.yield()
            for await _ in answers { return }
        }
        try await withAPI(setup) { api async throws in
            #expect(try await api.call(.get, "/readyz").status == 200)
            setup.time.advance(by: 1)
            async let slow = api.call(.get, "/readyz")
            // Ends the question also when the test fails before it is answered.
            defer { answer.finish() }
            for await _ in asked { break }
            setup.time.advance(by: 9)
            #expect(try await api.call(.get, "/readyz").status == 200)
            setup.time.advance(by: 1)
            let late = try await api.call(.get, "/readyz")
            #expect(late.status == 503)
            #expect(late.code == "store_unavailable")
            answer.yield()
            #expect(try await slow.status == 200)
            #expect(try await api.call(.get, "/readyz").status == 200)
        }
    }
}
