// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import ServiceLifecycle

extension BatchRun {
    /// Something that the sending of slices waits for.
    private enum Event: Sendable {
        case granted(Int)
        case answered(SliceResult)
        case stopped(SliceCourse.Stop)
    }

    /// Sends slices as the window has room for them, and settles each when it has its result.
    func sendSlices(along routes: BatchRoutes) async throws -> SliceCourse.End {
        let holder = WindowShares.Holder(lane: self.claimed.batch.lane, kind: self.claimed.batch.kind)
        let part = WindowPart(of: self.context.window, for: holder)
        // When something throws, what is in flight is still awaited before.
        defer { part.giveBackAll() }
        let halts = self.context.halts.begin(self.claimed.batch)
        defer { self.context.halts.end(self.claimed.batch.id) }
        let sender = SliceSender(claimed: self.claimed, routes: routes, rule: self.rule, context: self.context)
        let main = routes.lines.count > 1 ? self.claimed.batch.targets.mainEnvironment : nil
        return try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            group.addTask { (try? await gracefulShutdown()) == nil ? .stopped(.cancelled) : .stopped(.shutdown) }
            group.addTask {
                for await reason in halts { return .stopped(reason) }
                return .stopped(.cancelled)
            }
            var course = SliceCourse(self.claimed)
            while true {
                // What the client has in flight is answered, what it has not sent comes back.
                if course.isStopping { group.cancelAll() }
                if course.mayAsk, let wanted = self.ask(&course, routes) {
                    group.addTask { .granted(await part.take(wanted)) }
                }
                guard course.isUnderWay, let event = try await group.next() else { return course.end }
                if let obstacle = self.obstacle { course.stop(for: obstacle) }
                switch event {
                case .stopped(let reason): course.stop(for: reason)
                case .granted(let count):
                    let ahead = course.environmentsAhead
                    guard let slice = course.begin(count) else { continue }
                    let now = self.context.now()
                    let postponed = self.context.breakers.postponed(routes, in: ahead, main: main, now: now)
                    group.addTask { .answered(await sender.send(slice, leaving: postponed)) }
                case .answered(let result):
                    let settlement = course.settle(result)
                    course.isSettled = try await self.announceAndSettle(settlement)
                    part.giveBack(result.slice.count)
                    if self.context.breakers.arePaused(routes, now: self.context.now()) { course.stop(for: .paused) }
                }
            }
        }
    }

    /// Why no slice may be begun now, if that is so.
    ///
    /// What stops a batch is also waited for as an event; but where both come, an answer must not let the next one out first.
    private var obstacle: SliceCourse.Stop? {
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

    /// How much of the window is asked for now, if anything.
    private func ask(_ course: inout SliceCourse, _ routes: BatchRoutes) -> Int? {
        let isProbe = self.context.breakers.areUnproven(
            routes,
            in: course.environmentsAhead,
            now: self.context.now()
        )
        return course.ask(for: self.context.configuration.sliceTargets, asProbe: isProbe)
    }

    private func announceAndSettle(_ settlement: Settlement) async throws -> Bool {
        try await self.context.announcements.announcing(settlement, of: self.claimed.batch) {
            try await self.settle(settlement)
        }
    }
}

extension TargetList {
    /// The environment of most targets.
    fileprivate var mainEnvironment: APNsEnvironment {
        let production = self.indices.count { self.environment(at: $0) == .production }
        return 2 * production >= self.count ? .production : .sandbox
    }
}
