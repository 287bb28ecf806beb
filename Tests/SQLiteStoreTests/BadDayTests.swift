// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SQLStore
import SQLiteStore
import StoreTesting
import Testing

@Suite("SQLite failures", .timeLimit(.minutes(20)))
struct BadDayTests {
    private func configuration(_ path: String) -> SQLiteStoreConfiguration {
        var configuration = SQLiteStoreConfiguration(path: path)
        configuration.busyTimeout = .milliseconds(50)
        return configuration
    }

    @Test("a database that another process keeps locked answers 'locked', and works again afterwards")
    func locked() async throws {
        try await withTemporaryStore { store, path in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan()
            let intruder = try Intruder(path: path)
            let error = try await storeError {
                try await intruder.execute("BEGIN IMMEDIATE")
                try await store.accept(plan)
            }
            #expect(error?.code == .locked)
            #expect(error?.isTransient == true)
            #expect(error?.message.contains(path) == true)
            #expect(try await store.notification(plan.notification.id) == nil)
            try await intruder.execute("ROLLBACK")
            try await store.accept(plan)
            #expect(try await store.notification(plan.notification.id) != nil)
        }
    }

    @Test("a locked database cannot be opened, and says so")
    func lockedAtOpening() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("a.sqlite").path
            let intruder = try Intruder(path: path)
            try await intruder.execute("BEGIN EXCLUSIVE")
            let error = try await storeError {
                try SQLiteStore(configuration: self.configuration(path), logger: .silent)
            }
            #expect(error?.code == .locked)
            try await intruder.execute("ROLLBACK")
        }
    }

    @Test("a full disk stores nothing of what it refuses, and keeps what it acknowledged")
    func full() async throws {
        try await withTemporaryStore(maximumBytes: 2_000_000) { store, path in
            try await store.addSampleApp()
            var acknowledged: [NotificationID] = []
            var refused: [NotificationID] = []
            for number in 0..<8 {
                let plan = try StoreFixtures.plan(
                    targets: 10_000,
                    now: StoreFixtures.now.addingTimeInterval(Double(number))
                )
                let error = try await storeError { try await store.accept(plan) }
                if error == nil {
                    acknowledged.append(plan.notification.id)
                } else {
                    refused.append(plan.notification.id)
                }
                #expect(error == nil || error?.code == .full)
                #expect(error == nil || error?.message.contains(path) == true)
            }
            #expect(!acknowledged.isEmpty)
            #expect(!refused.isEmpty)
            for id in refused { #expect(try await store.notification(id) == nil) }
            let claimed = try await store.claim(limit: 1000, now: StoreFixtures.now.addingTimeInterval(100))
            #expect(claimed.map(\.batch.notification) == acknowledged)
            #expect(claimed.allSatisfy { $0.batch.targets.count == 10_000 })
        }
    }

    @Test("of changes made at once, a full disk refuses those that do not fit and no others")
    func fullGroup() async throws {
        try await withTemporaryStore(maximumBytes: 2_000_000) { store, _ in
            try await store.addSampleApp()
            let plans = try (0..<24).map { number in
                try StoreFixtures.plan(
                    targets: number.isMultiple(of: 2) ? 10_000 : 1,
                    now: StoreFixtures.now.addingTimeInterval(Double(number))
                )
            }
            let codes = try await withThrowingTaskGroup(of: (NotificationID, StoreError.Code?).self) { group in
                for plan in plans {
                    group.addTask {
                        (plan.notification.id, try await storeError { try await store.accept(plan) }?.code)
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = .some($1.1) }
            }
            #expect(Set(codes.values) == [nil, .full])
            for plan in plans {
                let isStored = try await store.notification(plan.notification.id) != nil
                #expect(isStored == (codes[plan.notification.id] == .some(nil)))
            }
        }
    }

    @Test("a store that is opened for reading only reads, and refuses changes")
    func readOnly() async throws {
        try await withTemporaryStore { store, path in
            try await store.addSampleApp()
            var configuration = self.configuration(path)
            configuration.isReadOnly = true
            try await withSQLiteStore(configuration: configuration, logger: .silent) { reader in
                #expect(try await reader.app(StoreFixtures.app) != nil)
                let error = try await storeError { try await reader.deleteApp(StoreFixtures.app) }
                #expect(error?.code == .readOnly)
                #expect(error?.message.contains("write access") == true)
            }
        }
    }

    @Test("a file that this user may not write is refused as read-only")
    func readOnlyFile() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("a.sqlite").path
            try await withSQLiteStore(configuration: self.configuration(path), logger: .silent) { store in
                try await store.addSampleApp()
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: directory.path)
            // In a process of its own, which gives up the rights of the superuser, whom no file refuses.
            await #expect(processExitsWith: .success) { [path = path as String] in
                if getuid() == 0 { try #require(setuid(65534) == 0) }
                let error = try await storeError {
                    try SQLiteStore(configuration: SQLiteStoreConfiguration(path: path), logger: .silent)
                }
                #expect(error?.code == .readOnly, "\(String(describing: error))")
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
        }
    }

    @Test("a file that is no database is refused as corrupt, and is not touched")
    func garbage() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("a.sqlite")
            let content = Data(repeating: 0x41, count: 8192)
            try content.write(to: file)
            let error = try await storeError {
                try SQLiteStore(configuration: self.configuration(file.path), logger: .silent)
            }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains(file.path) == true)
            #expect(try Data(contentsOf: file) == content)
        }
    }

    @Test("a corrupt database answers 'corrupt' where the corruption is met")
    func damaged() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("a.sqlite")
            try await withSQLiteStore(configuration: self.configuration(file.path), logger: .silent) { store in
                try await store.addSampleApp()
                _ = try await store.register(
                    (0..<2000).map { try StoreFixtures.registration($0) },
                    now: StoreFixtures.now
                )
            }
            var content = try Data(contentsOf: file)
            content.replaceSubrange(
                3 * 4096..<content.count,
                with: Data(repeating: 0xFF, count: content.count - 3 * 4096)
            )
            try content.write(to: file)
            let error = try await storeError {
                try await withSQLiteStore(configuration: self.configuration(file.path), logger: .silent) { store in
                    _ = try await store.devices(of: StoreFixtures.app, in: nil, after: nil, limit: 1000)
                }
            }
            #expect(error?.code == .corrupt)
        }
    }

    @Test("the database of another program is refused")
    func foreign() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("a.sqlite").path
            let other = try Intruder(path: path)
            try await other.execute("CREATE TABLE recipes (name TEXT)")
            let error = try await storeError {
                try SQLiteStore(configuration: self.configuration(path), logger: .silent)
            }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains("another program") == true)
        }
    }

    @Test("a database of a newer version is refused")
    func newer() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("a.sqlite").path
            try await withSQLiteStore(configuration: self.configuration(path), logger: .silent) { _ in }
            let other = try Intruder(path: path)
            try await other.execute("PRAGMA user_version = 999")
            let error = try await storeError {
                try SQLiteStore(configuration: self.configuration(path), logger: .silent)
            }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains("newer version") == true)
        }
    }

    @Test("a schema version that is none is refused as corrupt")
    func damagedVersion() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("a.sqlite").path
            try await withSQLiteStore(configuration: self.configuration(path), logger: .silent) { _ in }
            try await Intruder(path: path).execute("PRAGMA user_version = -1")
            let error = try await storeError {
                try SQLiteStore(configuration: self.configuration(path), logger: .silent)
            }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains("version is -1") == true)
        }
    }

    @Test("an app whose last device has the last number that there is takes no new one")
    func lastNumber() async throws {
        try await withTemporaryStore { store, path in
            try await store.addSampleApp()
            try await Intruder(path: path).execute("UPDATE apps SET numbered_through = 9223372036854775807")
            let error = try await storeError {
                try await store.register(StoreFixtures.registration(1), now: StoreFixtures.now)
            }
            #expect(error?.code == .corrupt)
        }
    }

    @Test("a directory that does not exist is named")
    func noDirectory() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("missing/a.sqlite").path
            let error = try await storeError {
                try SQLiteStore(configuration: self.configuration(path), logger: .silent)
            }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("directory") == true)
        }
    }

    @Test("a closed store refuses every call, and ends its subscriptions")
    func closed() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("a.sqlite").path
            let store = try SQLiteStore(configuration: self.configuration(path), logger: .silent)
            try await store.addSampleApp()
            var changes = store.changes().makeAsyncIterator()
            store.close()
            store.close()
            #expect(await changes.next() == nil)
            #expect(try await storeError { try await store.app(StoreFixtures.app) }?.code == .unavailable)
            #expect(try await storeError { try await store.deleteApp(StoreFixtures.app) }?.code == .unavailable)
        }
    }

    @Test("two stores on one file see each other's changes and claim no batch twice")
    func shared() async throws {
        try await withTemporaryStore { first, path in
            var configuration = self.configuration(path)
            configuration.busyTimeout = .seconds(10)
            try await withSQLiteStore(configuration: configuration, logger: .silent) { second in
                try await first.addSampleApp()
                let plan = try StoreFixtures.plan(targets: 20_000)
                try await second.accept(plan)
                let mine = try await first.claim(
                    lane: .urgent,
                    limit: 1,
                    worker: "a",
                    leaseDuration: .seconds(60),
                    now: StoreFixtures.now
                )
                let theirs = try await second.claim(limit: 1000)
                #expect((mine + theirs).map(\.batch) == plan.batches)
            }
        }
    }
}
