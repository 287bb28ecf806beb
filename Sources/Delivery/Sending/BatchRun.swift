// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Logging
import PushModel
import PushStore
import ServiceLifecycle

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One claimed batch on its way: its slices are sent, and settled as soon as they are contiguous.
struct BatchRun: Sendable {
    let claimed: ClaimedBatch
    let context: DeliveryContext

    /// Something that the run waits for.
    private enum Event: Sendable {
        case slice(SliceResult)
        case shutdown
        case cancelled
    }

    /// Why nothing more of a batch is sent.
    private enum Stop {
        case done
        case expired
        case shutdown
        case obstacle(SliceResult.Obstacle)
    }

    /// The time from which nothing more of the batch is sent.
    var expiry: Date {
        let maximumAge = self.context.configuration.maximumAge / .seconds(1)
        return self.claimed.batch.expiresAt ?? self.claimed.batch.createdAt.addingTimeInterval(maximumAge)
    }

    /// Sends the batch from its cursor on, until nothing more of it can be sent.
    ///
    /// - Returns: how that ended; see ``conclude(_:)``.
    func send() async -> BatchEnd {
        self.context.outages.unpark(self.claimed.batch.id)
        if Task.isShuttingDownGracefully || Task.isCancelled { return .stopped }
        do {
            if self.isExpired { return try await self.expire(from: self.claimed.cursor) }
            switch try await self.routes() {
            case .known(let routes): return try await self.send(along: routes)
            case .blocked(let destination): return .outage(destination, message: nil)
            }
        } catch let error as StoreError where error.code == .leaseLost {
            self.log(.info, "The lease of a batch was lost", error)
            return .leaseLost
        } catch {
            self.log(.error, "A batch is left until its lease lapses", error)
            return .abandoned
        }
    }

    private func send(along routes: BatchRoutes) async throws -> BatchEnd {
        let sender = SliceSender(
            batch: self.claimed.batch,
            routes: routes,
            expiry: self.expiry,
            context: self.context
        )
        let (cursor, stop) = try await self.sendSlices(with: sender)
        switch stop {
        case .done: return .settled
        case .expired: return try await self.expire(from: cursor)
        case .shutdown, .obstacle(.cancelled): return .stopped
        case .obstacle(.unreachable(let destination, let message)):
            self.context.outages.failed(
                destination,
                isProbe: routes.probes.contains(destination),
                now: self.context.now(),
                backoff: self.context.configuration.outageBackoff
            )
            return .outage(destination, message: message)
        }
    }

    // MARK: Slices

    private func sendSlices(with sender: SliceSender) async throws -> (cursor: Int, stop: Stop) {
        let configuration = self.context.configuration
        var window = SliceWindow(
            cursor: self.claimed.cursor,
            end: self.claimed.batch.targets.count,
            size: configuration.sliceTargets,
            // What is sent beyond a destination that turns out to be out still is sent twice: one slice finds out.
            limit: sender.routes.probes.isEmpty ? configuration.slicesInFlight : 1
        )
        let stop = try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await self.keepLease() }
            group.addTask { (try? await gracefulShutdown()) == nil ? .cancelled : .shutdown }
            var stop: Stop?
            while !window.isDone {
                if stop == nil, self.isExpired { stop = .expired }
                while stop == nil, let range = window.takeSlice() {
                    group.addTask { .slice(await sender.send(range)) }
                }
                // Nothing is on its way and nothing more is sent: what could be settled is.
                guard window.inFlight > 0, let event = try await group.next() else { break }
                switch event {
                case .cancelled: continue
                case .shutdown:
                    // What the client has in flight is answered, what it has not sent comes back.
                    stop = .shutdown
                    group.cancelAll()
                case .slice(let result):
                    window.finish(result)
                    if let obstacle = result.obstacle {
                        if stop == nil { stop = .obstacle(obstacle) }
                        group.cancelAll()
                    } else {
                        window.resize(to: configuration.slicesInFlight)
                    }
                    if let part = window.takeSettleable() { try await self.settle(part.range, part.failures) }
                }
            }
            return window.isDone ? .done : stop ?? .shutdown
        }
        return (window.cursor, stop)
    }

    /// Extends the lease until cancelled; throws when it is lost.
    private func keepLease() async throws -> Event {
        let duration = self.context.configuration.leaseDuration
        while true {
            do {
                try await self.context.clock.sleep(for: duration / 3)
            } catch {
                return .cancelled
            }
            do {
                try await self.extendLease(by: duration)
            } catch let error as StoreError where error.code != .leaseLost {
                self.log(.warning, "A lease could not be extended", error)
            }
        }
    }

    private func extendLease(by duration: Duration) async throws {
        try await self.context.store.extendLease(
            of: self.claimed.batch.id,
            worker: self.claimed.worker,
            leaseDuration: duration,
            now: self.context.now()
        )
    }

    private var isExpired: Bool { self.expiry <= self.context.now() }
}

// MARK: - The end of a run

extension BatchRun {
    /// Gives the batch back as its end asks for.
    func conclude(_ end: BatchEnd) async {
        self.context.metrics.count(end)
        switch end {
        case .settled, .leaseLost, .abandoned: break
        case .stopped: await self.context.release(CollectionOfOne(self.claimed.batch.id))
        case .outage(let destination, let message): await self.park(for: destination, message: message)
        }
    }

    /// Keeps the batch leased, and so from everybody, until its destination is to be tried again.
    private func park(for destination: APNsDestination, message: String?) async {
        guard let until = self.context.outages.park(self.claimed.batch.id, for: destination) else {
            return await self.context.release(CollectionOfOne(self.claimed.batch.id))
        }
        let wait = max(0.001, min(until, self.expiry).timeIntervalSince(self.context.now()))
        do {
            try await self.extendLease(by: .seconds(wait))
        } catch let error as StoreError where error.code == .leaseLost {
            // Released meanwhile, since the destination answered another batch; or called off.
        } catch {
            self.log(.warning, "A batch that waits for APNs is left until its lease lapses", error)
        }
        guard let message else { return }
        self.context.logger.warning(
            "APNs cannot be reached; what was not sent is kept",
            metadata: [
                "batch.id": "\(self.claimed.batch.id)", "apns.host": "\(destination.endpoint.host)",
                "error": "\(message)",
            ]
        )
    }

    func log(_ level: Logger.Level, _ message: Logger.Message, _ error: any Error) {
        self.context.logger.log(
            level: level,
            message,
            metadata: ["batch.id": "\(self.claimed.batch.id)", "error": "\(error)"]
        )
    }
}
