// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import ServiceLifecycle

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension BatchRun {
    /// How many targets make up a slice to a line of which nobody knows whether it serves.
    static let probeTargets = 10

    /// What became of the targets that the claim is for.
    enum Sending {
        /// Every target of the batch has its outcome.
        case settled

        /// Some are deferred.
        case left

        /// Not all were sent to.
        case stopped(Stop)
    }

    /// Why nothing more of a batch is sent.
    enum Stop: Sendable {
        case expired
        case shutdown
        case paused
        case halted
    }

    /// Something that the sending of slices waits for.
    private enum Event: Sendable {
        case granted(Int)
        case slice(SliceResult)
        case shutdown
        case stopped(Stop)
        case cancelled
    }

    /// Sends slices as the window has room for them, and settles each when it has its result.
    func sendSlices(along routes: BatchRoutes) async throws -> Sending {
        let holder = WindowShares.Holder(lane: self.claimed.batch.lane, kind: self.claimed.batch.kind)
        let part = WindowPart(of: self.context.window, for: holder)
        // When something throws, what is in flight is still awaited before.
        defer { part.giveBackAll() }
        let halts = self.context.halts.begin(self.claimed.batch)
        defer { self.context.halts.end(self.claimed.batch.id) }
        let sender = SliceSender(claimed: self.claimed, routes: routes, rule: self.rule, context: self.context)
        return try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            group.addTask { (try? await gracefulShutdown()) == nil ? .cancelled : .shutdown }
            group.addTask {
                for await stop in halts { return .stopped(stop) }
                return .cancelled
            }
            var progress = BatchProgress(self.claimed)
            let main = routes.lines.count > 1 ? self.claimed.batch.targets.mainEnvironment : nil
            var isAsking = false
            var isSettled = false
            var stop: Stop?
            while true {
                stop = stop ?? self.obstacle
                // What the client has in flight is answered, what it has not sent comes back.
                if stop != nil { group.cancelAll() }
                let wanted = isAsking || stop != nil ? 0 : self.wanted(progress, routes)
                if wanted > 0 {
                    isAsking = true
                    group.addTask { .granted(await part.take(wanted)) }
                }
                guard isAsking || progress.inFlight > 0, let event = try await group.next() else { break }
                switch event {
                case .cancelled: continue
                case .shutdown: stop = stop ?? .shutdown
                case .stopped(let reason): stop = stop ?? reason
                case .granted(0):
                    isAsking = false
                    stop = stop ?? .shutdown
                case .granted(let count):
                    isAsking = false
                    guard stop == nil, self.obstacle == nil else { continue }
                    let postponed = self.context.breakers.postponed(
                        routes,
                        in: progress.environmentsAhead,
                        main: main,
                        now: self.context.now()
                    )
                    let slice = progress.take(count)
                    group.addTask { .slice(await sender.send(slice, leaving: postponed)) }
                case .slice(let result):
                    let settlement = progress.settle(result)
                    isSettled = try await self.context.announcements.announcing(settlement, of: self.claimed.batch) {
                        try await self.settle(settlement)
                    }
                    part.giveBack(result.slice.count)
                    if self.context.breakers.arePaused(routes, now: self.context.now()) { stop = stop ?? .paused }
                }
            }
            if isSettled { return .settled }
            return stop.map { .stopped($0) } ?? .left
        }
    }

    /// Why no slice may be begun now, if that is so.
    ///
    /// What stops a batch is also waited for as an event; but where both come, an answer must not let the next one out first.
    private var obstacle: Stop? {
        if self.isExpired { return .expired }
        if Task.isShuttingDownGracefully { return .shutdown }
        return self.context.halts.stop(of: self.claimed.batch.id)
    }

    private var rule: ResendRule {
        let configuration = self.context.configuration
        return ResendRule(
            maximumAttempts: configuration.maximumAttempts,
            backoff: configuration.retryBackoff,
            maximumDelay: configuration.maximumDelay,
            expiry: self.expiry,
            isOnce: self.claimed.isTriedOnce
        )
    }

    /// How many targets the next slice should have; 0 when there is to be none now.
    private func wanted(_ progress: BatchProgress, _ routes: BatchRoutes) -> Int {
        let ahead = progress.environmentsAhead
        guard self.context.breakers.areUnproven(routes, in: ahead, now: self.context.now()) else {
            return progress.available(self.context.configuration.sliceTargets)
        }
        // One small slice finds out whether the line serves.
        guard progress.inFlight == 0 else { return 0 }
        return progress.available(min(Self.probeTargets, self.context.configuration.sliceTargets))
    }
}

extension TargetList {
    /// The environment of most targets.
    fileprivate var mainEnvironment: APNsEnvironment {
        let production = self.indices.count { self.environment(at: $0) == .production }
        return 2 * production >= self.count ? .production : .sandbox
    }
}
