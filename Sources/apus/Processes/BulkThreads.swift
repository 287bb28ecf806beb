// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Dispatch
import Foundation
import NIOCore
import NIOPosix
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The threads on which bulk work is done, of a lower priority than those on which somebody waits.
///
/// They live as long as the process. Where a process may not raise a priority again that it has lowered, as most users on
/// Linux may not (`RLIMIT_NICE`), they have the same priority as all others: a thread takes over the priority of the one
/// that has made it, and libdispatch makes threads for everybody from any.
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

    /// Where bulk work is computed.
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
        #else
        if Self.mayComeBack { Self.setNiceness(Self.niceness) }
        #endif
    }

    #if !canImport(Darwin)
    /// Whether a thread that has stepped back may come back, as tried on a thread that ends at once.
    static let mayComeBack: Bool = {
        let answer = Mutex(false)
        let isTried = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let wasLowered = Self.setNiceness(Self.niceness)
            let isBack = Self.setNiceness(0)
            answer.withLock { $0 = wasLowered && isBack }
            isTried.signal()
        }
        isTried.wait()
        return answer.withLock { $0 }
    }()

    /// Changes the priority of the calling thread.
    ///
    /// - Returns: whether that was allowed.
    @discardableResult
    private static func setNiceness(_ niceness: CInt) -> Bool {
        #if canImport(Glibc)
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) == 0
        #else
        setpriority(PRIO_PROCESS, 0, niceness) == 0
        #endif
    }
    #endif
}

/// Runs bulk work on ``BulkThreads``, so that what somebody waits for never queues behind it.
///
/// A priority of tasks does not do that: whoever waits for a task raises its priority to their own.
final class BulkExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        BulkThreads.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
