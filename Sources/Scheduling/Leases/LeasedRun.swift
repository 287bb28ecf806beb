// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushStore
import ServiceLifecycle

/// One claimed piece of work, which one process at a time carries out: under a lease, which others wait for.
///
/// What all such work has in common stands here: the lease is kept while something takes long, work is given back when the
/// process stops or the store cannot be reached, waits longer each time that it fails, and is given up in the end.
protocol LeasedRun: Sendable {
    associatedtype Context: LeaseContext
    associatedtype End: LeaseEnd

    /// What such work is called: `campaign`.
    static var noun: String { get }

    /// What it is carried out by.
    var context: Context { get }

    /// By what the log knows it.
    var names: Logger.Metadata { get }

    /// How often in a row it could not be carried out before it was claimed.
    var setbacks: Int { get }

    /// Carries it out, which ``underLease(_:)`` is for.
    ///
    /// The run has its place at first, and leaves it to others while it waits.
    /// - Returns: whether to look for more work then.
    func run(at place: RunPlace) async -> Bool

    /// Asks the store for more time.
    func extendLease() async throws

    func release(as end: End) async throws

    /// Counts what has gone wrong.
    func count(_ mishap: LeaseMishap)
}

/// Why a lease ends, and what is to become of the work.
protocol LeaseEnd: Sendable {
    /// Somebody may go on from that time on.
    static func until(_ time: Date) -> Self

    /// It could not be carried out, which is counted; it is tried again then.
    static func setBack(until: Date) -> Self

    /// It is given up, for that reason.
    static func failed(reason: String) -> Self
}

extension CampaignRelease: LeaseEnd {}
extension RolloutRelease: LeaseEnd {}

/// What may go wrong with leased work.
enum LeaseMishap: Hashable, Sendable {
    /// Somebody else has it now, or it was ended.
    case lost

    /// It could not be carried out, and is tried again.
    case setBack

    /// It could not be carried out time and again.
    case failed
}

extension LeasedRun {
    var configuration: SchedulingConfiguration { self.context.configuration }

    /// Carries the work out, and gives it back where that fails.
    ///
    /// `work` goes as far as it can for now, and gives the work back unless it is done. Its argument is the number of
    /// failures in a row, 0 from the first step that it has stored.
    func underLease(_ work: (inout Int) async throws -> Void) async {
        var setbacks = self.setbacks
        do {
            try await work(&setbacks)
        } catch let error as StoreError where error.code == .leaseLost {
            self.count(.lost)
            self.log(.info, "The lease of a \(Self.noun) was lost", error)
            // It may have been claimed again under the same name, at a place that this run does not know.
            await self.giveBack(.until(self.context.now()))
        } catch is CancellationError {
            await self.giveBack(.until(self.context.now()))
        } catch let error as StoreError where error.isTransient {
            self.log(.warning, "A \(Self.noun) has to wait for the store", error)
            await self.giveBack(.until(self.time(in: self.configuration.setbackDelay)))
        } catch {
            await self.setBack(error, after: setbacks)
        }
    }

    /// Reads what may take longer than the lease, which is extended meanwhile.
    func keepingLease<Value: Sendable>(_ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await read() }
            group.addTask {
                while true {
                    try await self.context.clock.sleep(for: self.configuration.leaseDuration / 3)
                    do {
                        try await self.extendLease()
                    } catch let error as StoreError where error.isTransient {
                        self.log(.warning, "The lease of a \(Self.noun) cannot be extended yet", error)
                    }
                }
            }
            guard let value = try await group.next() ?? nil else { throw CancellationError() }
            return value
        }
    }

    /// Takes a place to work at, unless the run has one; the lease is kept while others work at all of them.
    func take(_ place: RunPlace) async throws {
        guard !place.request() else { return }
        try await self.keepingLease { await place.granted() }
    }

    /// After how long a run that waits looks whether there is something to do: later the more runs there are, so that
    /// many that wait ask no more of the store together than those that may work at once.
    ///
    /// The interval is at most `longest`, unless the interval for few runs is longer.
    func interval(at place: RunPlace, longest: Duration) -> Duration {
        let interval = self.configuration.planInterval
        return max(interval, min(interval * place.load, longest))
    }

    /// Ends the lease; a failure leaves it to its own end.
    func giveBack(_ end: End) async {
        do {
            try await self.release(as: end)
        } catch {
            self.log(.warning, "A \(Self.noun) is left until its lease lapses", error)
        }
    }

    /// The work waits longer each time, and is given up in the end.
    private func setBack(_ error: any Error, after setbacks: Int) async {
        let isFinal = setbacks >= self.configuration.maximumSetbacks - 1
        self.count(isFinal ? .failed : .setBack)
        self.log(.error, "A \(Self.noun) could not be gone on with, after \(setbacks) failures before", error)
        let delay = self.configuration.delay(after: setbacks)
        await self.giveBack(isFinal ? .failed(reason: "\(error)") : .setBack(until: self.time(in: delay)))
    }

    private func time(in delay: Duration) -> Date { self.context.now().addingTimeInterval(delay / .seconds(1)) }

    private func log(_ level: Logger.Level, _ message: Logger.Message, _ error: any Error) {
        self.context.logger.log(
            level: level,
            message,
            metadata: self.names.merging(["error": "\(error)"]) { own, _ in own }
        )
    }
}
