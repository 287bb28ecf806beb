// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import Testing

@testable import SQLiteStore

@Suite("Lock files of workers")
struct WorkerLockFileTests {
    @Test("a file has one lock at a time, which ends with its object")
    func exclusive() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("a.lock").path
            #expect(try WorkerLockFile.lock(path, creates: false) == nil)
            do {
                let lock = try #require(try WorkerLockFile.lock(path, creates: true))
                #expect(try WorkerLockFile.lock(path, creates: false) == nil)
                #expect(try WorkerLockFile.lock(path, creates: true) == nil)
                withExtendedLifetime(lock) {}
            }
            #expect(try WorkerLockFile.lock(path, creates: false) != nil)
        }
    }

    @Test("a worker that starts while its new file is removed creates another one")
    func removed() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("a.lock").path
            let finder = try #require(try WorkerLockFile.lock(path, creates: true))
            finder.remove()
            let lock = try #require(try WorkerLockFile.lock(path, creates: true))
            #expect(try WorkerLockFile.lock(path, creates: false) == nil)
            withExtendedLifetime((finder, lock)) {}
        }
    }

    @Test("the ID of a worker is the name of its file, whatever characters it has")
    func names() async throws {
        try await withTemporaryDirectory { directory in
            let locks = WorkerLockDirectory(database: directory.appendingPathComponent("store.sqlite").path)
            #expect(locks.workers() == [])
            try locks.prepare()
            let workers: [WorkerID] = ["host/1/a", "../host.lock", "寿司/%2F"]
            for worker in workers { _ = try locks.lock(worker, creates: true) }
            #expect(Set(locks.workers()) == Set(workers))
            let path = directory.appendingPathComponent("store.sqlite-workers").path
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 3)
        }
    }

    @Test("a directory that cannot be created is an error that names it")
    func unwritable() async throws {
        try await withTemporaryDirectory { directory in
            let database = directory.appendingPathComponent("store.sqlite").path
            try Data().write(to: URL(fileURLWithPath: "\(database)-workers"))
            let error = #expect(throws: StoreError.self) {
                try WorkerLockDirectory(database: database).prepare()
            }
            #expect(error?.message.contains("\(database)-workers") == true)
        }
    }
}
