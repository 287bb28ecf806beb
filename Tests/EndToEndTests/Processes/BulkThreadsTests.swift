// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(Glibc)
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import apus

@Suite("The threads of bulk work", .timeLimit(.minutes(20)))
struct BulkThreadsTests {
    private static var niceness: CInt {
        getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    }

    @Test("are nicer than others where they may come back from that, and leave all others as they are")
    func priority() async throws {
        let before = Self.niceness
        let expected: CInt = BulkThreads.mayComeBack ? 10 : before
        let computing = await withCheckedContinuation { continuation in
            BulkThreads.run { continuation.resume(returning: Self.niceness) }
        }
        #expect(computing == expected)
        for eventLoop in BulkThreads.eventLoopGroup.makeIterator() {
            #expect(try await eventLoop.submit { Self.niceness }.get() == expected)
        }
        // Nobody who waits for bulk work goes on with its priority.
        let after = await Task.detached { Self.niceness }.value
        #expect(after < 10)
    }
}
#endif
