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

/// The threads of bulk work, with a lower priority than the threads on which callers wait.
///
/// They exist as long as the process. If the process may not raise a priority again after lowering it, as for most
/// users on Linux (`RLIMIT_NICE`), they have the same priority as all others: a new thread inherits the priority of its
/// creator, and libdispatch creates threads for all work from any thread.
enum BulkThreads {
    /// The number of threads of each kind.
    static let count = max(2, System.coreCount)

    /// Their `nice` value, relative to others, so that other threads get the processor immediately.
    private static let niceness: CInt = 10

    /// The event loops of the connections for bulk work.
    static let eventLoopGroup: MultiThreadedEventLoopGroup = {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: Self.count)
        for eventLoop in group.makeIterator() { eventLoop.execute(Self.stepBack) }
        return group
    }()

    /// The threads for computations of bulk work.
    private static let pool: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: Self.count)
        pool.start()
        return pool
    }()

    /// Runs something on one of the threads.
    static func run(_ body: @escaping @Sendable () -> Void) {
        self.pool.submit { _ in
            // Once per thread is enough, but the thread of this call is unknown.
            self.stepBack()
            body()
        }
    }

    /// Lowers the priority of the calling thread permanently.
    private static func stepBack() {
        #if canImport(Darwin)
        pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
        #else
        if Self.mayComeBack { Self.setNiceness(Self.niceness) }
        #endif
    }

    #if !canImport(Darwin)
    /// Whether a thread may raise its lowered priority again, as tested on a temporary thread.
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
    /// - Returns: whether the system allowed it.
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

/// Runs bulk work on ``BulkThreads``, so that callers that wait never queue after it.
///
/// A task priority is not sufficient: a task that waits for another one raises its priority.
final class BulkExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        BulkThreads.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
