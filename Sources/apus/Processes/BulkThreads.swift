// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import NIOPosix

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The threads on which bulk work is done, of a lower priority than those on which somebody waits.
///
/// They live as long as the process.
enum BulkThreads {
    /// How many there are of each kind.
    static let count = max(2, System.coreCount)

    /// How much nicer than others they are (`nice`): what wakes up elsewhere has the processor at once.
    private static let niceness: CInt = 10

    /// Where the connections of bulk work live.
    static let eventLoopGroup: MultiThreadedEventLoopGroup = {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: Self.count)
        for eventLoop in group.makeIterator() { eventLoop.execute(Self.stepBack) }
        return group
    }()

    /// Where bulk work is computed, and read from the store.
    private static let pool: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: Self.count)
        pool.start()
        return pool
    }()

    /// Runs something on one of the threads.
    static func run(_ body: @escaping @Sendable () -> Void) {
        self.pool.submit { _ in
            // Once for each thread would do; but there is no telling on which one this is.
            self.stepBack()
            body()
        }
    }

    /// Lowers the priority of the calling thread, for good.
    private static func stepBack() {
        #if canImport(Darwin)
        pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
        #elseif canImport(Glibc)
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
        #else
        setpriority(PRIO_PROCESS, 0, Self.niceness)
        #endif
    }
}
