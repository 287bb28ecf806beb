// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Dispatch
import NIOPosix
import PushModel
import Synchronization
import Testing
import Webhooks

@Suite("Look-ups of hosts", .timeLimit(.minutes(20)))
struct HostLookUpsTests {
    /// Looks up hosts; those that are called silent are not answered for until they are released.
    private final class Names: Sendable {
        private let asked = Mutex<[String]>([])
        private let release = DispatchSemaphore(value: 0)
        private let isClosed = Atomic(false)

        /// The hosts that were looked up, in their order.
        var hosts: [String] { self.asked.withLock { $0 } }

        func lookUp(_ host: String) -> [NetworkAddress] {
            self.asked.withLock { $0.append(host) }
            if host.hasPrefix("silent") {
                self.release.wait()
                if self.isClosed.load(ordering: .acquiring) { self.release.signal() }
            }
            if host.hasSuffix(".dead") { return [] }
            return [NetworkAddress("192.0.2.1")].compactMap { $0 }
        }

        /// Has one silent look-up answered.
        func answer() { self.release.signal() }

        /// Has all silent look-ups answered, also those to come: a thread that waits would keep the pool from ending.
        func close() {
            self.isClosed.store(true, ordering: .releasing)
            self.release.signal()
        }
    }

    /// Look-ups on threads of their own.
    private static func with(threads: Int, _ body: (HostLookupPool, Names) async throws -> Void) async throws {
        try await self.with(HostLookupPool.Limits(threads: threads), body)
    }

    private static func with(
        _ limits: HostLookupPool.Limits,
        _ body: (HostLookupPool, Names) async throws -> Void
    ) async throws {
        let pool = NIOThreadPool(numberOfThreads: limits.threads)
        pool.start()
        let names = Names()
        let result: Result<Void, any Error>
        do {
            try await withTaskCancellationHandler {
                try await body(HostLookupPool(pool: pool, limits: limits) { names.lookUp($0) }, names)
            } onCancel: {
                names.close()
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        names.close()
        try await pool.shutdownGracefully()
        try result.get()
    }

    /// Waits until so many wait for an answer, and so many hosts are being looked up or were.
    private static func wait(_ lookUps: HostLookupPool, for waiting: Int, _ names: Names, begun: Int) async throws {
        try await waitUntil { lookUps.waiting == waiting && names.hosts.count == begun }
    }

    @Test("a host that is not answered for holds one thread, however many ask for it, and others are served")
    func silence() async throws {
        try await Self.with(threads: 2) { lookUps, names in
            let tasks = (0..<10).map { _ in Task { try await lookUps.addresses(of: "silent.example") } }
            try await Self.wait(lookUps, for: 10, names, begun: 1)
            for number in 0..<5 {
                #expect(try await lookUps.addresses(of: "\(number).example").map(\.text) == ["192.0.2.1"])
            }
            tasks[0].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[0].value }
            names.answer()
            for task in tasks.dropFirst() { #expect(try await task.value.map(\.text) == ["192.0.2.1"]) }
            #expect(names.hosts.filter { $0 == "silent.example" }.count == 1)
            // Nothing is kept: who asks now asks anew.
            names.answer()
            _ = try await lookUps.addresses(of: "silent.example")
            #expect(names.hosts.filter { $0 == "silent.example" }.count == 2)
        }
    }

    @Test("what nobody waits for any more when its turn comes is not looked up")
    func cancelled() async throws {
        try await Self.with(threads: 1) { lookUps, names in
            let silent = Task { try await lookUps.addresses(of: "silent.example") }
            try await Self.wait(lookUps, for: 1, names, begun: 1)
            let queued = (0..<3).map { _ in Task { try await lookUps.addresses(of: "queued.example") } }
            let last = Task { try await lookUps.addresses(of: "last.example") }
            try await Self.wait(lookUps, for: 5, names, begun: 1)
            for task in queued {
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            names.answer()
            for task in [silent, last] {
                let addresses = try await task.value
                #expect(addresses.count == 1)
            }
            #expect(names.hosts == ["silent.example", "last.example"])
        }
    }

    @Test("who is cancelled already is not served")
    func early() async throws {
        try await Self.with(threads: 1) { lookUps, names in
            let silent = Task { try await lookUps.addresses(of: "silent.example") }
            try await Self.wait(lookUps, for: 1, names, begun: 1)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await lookUps.addresses(of: "other.example")
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(lookUps.waiting == 1)
            names.answer()
            _ = try await silent.value
            #expect(names.hosts == ["silent.example"])
        }
    }

    @Test("however many hosts are not answered for, those that had an address before are looked up at once")
    func sound() async throws {
        try await Self.with(HostLookupPool.Limits(threads: 4, unproven: 3, failing: 1)) { lookUps, names in
            _ = try await lookUps.addresses(of: "sound.example")
            let silent = (0..<50).map { number in Task { try await lookUps.addresses(of: "silent-\(number).dead") } }
            try await Self.wait(lookUps, for: 50, names, begun: 4)
            for _ in 0..<5 {
                let found = try await lookUps.addresses(of: "sound.example")
                #expect(found.count == 1)
            }
            #expect(names.hosts.filter { $0.hasPrefix("silent") }.count == 3)
            for _ in silent { names.answer() }
            for task in silent {
                let found = try await task.value
                #expect(found == [])
            }
        }
    }

    @Test("those that had no address before hold few threads, so that new hosts are looked up as well")
    func failing() async throws {
        try await Self.with(HostLookupPool.Limits(threads: 4, unproven: 3, failing: 1)) { lookUps, names in
            for _ in 0..<10 { names.answer() }
            for number in 0..<10 { _ = try await lookUps.addresses(of: "silent-\(number).dead") }
            let again = (0..<10).map { number in Task { try await lookUps.addresses(of: "silent-\(number).dead") } }
            try await Self.wait(lookUps, for: 10, names, begun: 11)
            for number in 0..<5 {
                let found = try await lookUps.addresses(of: "new-\(number).example")
                #expect(found.count == 1)
            }
            #expect(names.hosts.count == 16)
            for _ in again { names.answer() }
            for task in again {
                let found = try await task.value
                #expect(found == [])
            }
        }
    }
}
