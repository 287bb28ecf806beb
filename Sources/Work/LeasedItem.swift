// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
package import Logging
package import PushModel
import PushStore
import ServiceLifecycle

/// A claimed item that one worker at a time processes.
package protocol LeasedItem: Sendable {
    /// The name of such an item in logs: `campaign`.
    static var kind: String { get }

    var logger: Logger { get }
    var logMetadata: Logger.Metadata { get }

    /// The number of consecutive failures before this claim.
    var failures: Int { get }

    func extendLease() async throws

    /// Ends the lease after processing failed: releases the item, delays it or fails it.
    ///
    /// If it throws, the item stays leased until the lease expires.
    func end(after failure: WorkFailure) async throws
}

extension LeasedItem {
    package var failures: Int { 0 }

    package func extendLease() async throws {}

    /// Leaves the item until the lease expires.
    package func end(after failure: WorkFailure) async throws {}

    /// Processes the item; if `body` throws, ends the lease by the kind of the error.
    ///
    /// `body` gets the number of consecutive failures, and sets it to 0 once it has stored progress.
    package func processing(_ body: (_ failures: inout Int) async throws -> Void) async {
        var failures = self.failures
        do {
            try await body(&failures)
        } catch {
            // The stored number may be corrupt.
            let failure = WorkFailure(error, failures: max(0, failures).addingClamping(1))
            switch failure {
            case .leaseLost: self.log(.info, "Lost the lease of \(Self.kind)", error)
            case .cancelled: break
            case .transient: self.log(.warning, "Failed to process \(Self.kind)", error)
            case .permanent: self.log(.error, "Failed to process \(Self.kind)", error)
            }
            do {
                try await self.end(after: failure)
            } catch {
                self.log(.warning, "Failed to release \(Self.kind); waiting until its lease expires", error)
            }
        }
    }

    /// Runs a body and extends the lease meanwhile, also while the task is cancelled and the body has not returned.
    ///
    /// `interval` is the time until the next extension. If the lease is lost, the body is cancelled and awaited, and
    /// that error is thrown. After other errors the next extension tries again.
    package func keepingLease<Value: Sendable>(
        clock: any Clock<Duration>,
        every interval: @escaping @Sendable () -> Duration,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (losses, loss) = AsyncStream.makeStream(of: StoreError.self, bufferingPolicy: .bufferingOldest(1))
        // Both tasks are unstructured, so that a cancellation of this one does not end them before the body has
        // returned.
        let keeper = Task {
            while (try? await clock.sleep(for: interval())) != nil {
                do {
                    try await self.extendLease()
                } catch let error as StoreError where error.code == .leaseLost {
                    // The body may wait long for responses. If this process claims the item again meanwhile, these
                    // extensions keep the new lease, because its expiry would count as an interruption.
                    loss.yield(error)
                } catch {
                    self.log(.warning, "Failed to extend the lease of \(Self.kind); trying again", error)
                }
            }
        }
        let firstLoss = Task { () -> StoreError? in
            for await error in losses { return error }
            return nil
        }
        defer { keeper.cancel() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            defer {
                loss.finish()
                group.cancelAll()
            }
            group.addTask { try await body() }
            group.addTask {
                if let error = await firstLoss.value { throw error }
                return nil
            }
            guard let value = try await group.next() ?? nil else { throw CancellationError() }
            return value
        }
    }

    /// Repeats an operation while the store fails transiently, unless it `isOver`.
    ///
    /// A shutdown cuts the delay short; then one more attempt is the last. `body` gets the number of the attempt, from
    /// 1.
    package func repeating<Value: Sendable>(
        after backoff: ExponentialBackoff,
        clock: any Clock<Duration>,
        _ message: Logger.Message,
        unless isOver: () -> Bool = { false },
        _ body: (_ attempt: Int) async throws -> Value
    ) async throws -> Value {
        var attempt = 0
        while true {
            attempt += 1
            do {
                return try await body(attempt)
            } catch let error as StoreError
                where error.isTransient && !isOver() && !Task.isShuttingDownGracefully && !Task.isCancelled
            {
                self.log(.warning, message, error)
                let delay = backoff.delay(after: attempt)
                try? await cancelWhenGracefulShutdown { try await clock.sleep(for: delay) }
            }
        }
    }

    package func log(_ level: Logger.Level, _ message: Logger.Message, _ error: any Error) {
        let metadata = self.logMetadata.merging(["error": "\(error)"]) { own, _ in own }
        self.logger.log(level: level, message, metadata: metadata)
    }
}

/// Why the processing of an item ended with an error.
package enum WorkFailure: Sendable {
    /// Another worker has the item, or it was removed: nothing is to be done.
    case leaseLost

    /// The task was cancelled: other workers can continue.
    case cancelled

    /// The store was locked, full or unreachable. The item itself may be sound.
    case transient(any Error)

    /// Repeating may not help: the item has to be delayed, and failed after a number of consecutive failures.
    case permanent(any Error, failures: Int)

    package init(_ error: any Error, failures: Int) {
        switch error {
        case let error as StoreError where error.code == .leaseLost: self = .leaseLost
        case is CancellationError: self = .cancelled
        case let error as StoreError where error.isTransient: self = .transient(error)
        default: self = .permanent(error, failures: failures)
        }
    }
}

/// Ends the process when a worker begins to process an item that a test names; does nothing in release builds.
///
/// The environment variable `APUS_DEBUG_TRAP` lists the items as `kind:id`, separated by commas. Kinds are those of
/// `WorkKind`, and IDs those of the API. A topic delivery is named by its subscription, and an endpoint event by its
/// device, because a test cannot know their own IDs before.
package enum DebugTrap {
    #if DEBUG
    private static let items: Set<Substring> = {
        let text = ProcessInfo.processInfo.environment["APUS_DEBUG_TRAP"] ?? ""
        return Set(text.split(separator: ","))
    }()
    #endif

    package static func check(_ kind: WorkKind, _ id: @autoclosure () -> String) {
        #if DEBUG
        guard !self.items.isEmpty else { return }
        let item = "\(kind.rawValue):\(id())"
        // Cannot trap: only a test sets the variable, for the sake of this trap.
        if self.items.contains(Substring(item)) { fatalError("APUS_DEBUG_TRAP names \(item).") }
        #endif
    }
}

/// An exponential delay with jitter between attempts.
package struct ExponentialBackoff: Hashable, Sendable {
    /// The delay after the first failure, before jitter.
    package var minimum: Duration

    /// The longest delay, before jitter.
    package var maximum: Duration

    /// The range of the random factor of each delay.
    package var jitter: ClosedRange<Double>

    package init(minimum: Duration, maximum: Duration, jitter: ClosedRange<Double> = 0.5...1) {
        self.minimum = minimum
        self.maximum = maximum
        self.jitter = jitter
    }

    /// The delay after a number of consecutive failures, at least 1: the minimum, doubled with each further failure.
    package func delay(after failures: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(max(0, failures - 1), 30)
        let full = min(self.maximum, self.minimum * (1 << doublings))
        return full * Double.random(in: self.jitter, using: &generator)
    }

    package func delay(after failures: Int) -> Duration {
        var generator = SystemRandomNumberGenerator()
        return self.delay(after: failures, using: &generator)
    }
}
