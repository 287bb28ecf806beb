// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends slices of one batch, again where that may help, and says what became of each target.
struct SliceSender: Sendable {
    let batch: Batch
    let routes: BatchRoutes

    /// The time from which nothing is sent again.
    let expiry: Date

    let context: DeliveryContext

    /// Sends a slice, one environment after the other.
    func send(_ range: Range<Int>) async -> SliceResult {
        var result = SliceResult(range: range)
        for leg in self.routes.legs {
            let indices = range.filter { self.batch.targets[$0].environment == leg.environment }
            guard !indices.isEmpty else { continue }
            if let obstacle = result.obstacle {
                result.leaveOpen(indices, because: obstacle)
                continue
            }
            switch leg.route {
            case .nowhere(let code): result.fail(indices, .failed(code))
            case .destination(let destination): await self.send(indices, to: destination, into: &result)
            }
        }
        return result
    }

    /// Sends targets until each has an outcome, the attempts are used up, or nothing more can be sent.
    private func send(_ indices: [Int], to destination: APNsDestination, into result: inout SliceResult) async {
        let backoff = self.context.configuration.retryBackoff
        var pending = indices
        for attempt in 1... {
            let answers = await self.attempt(pending, to: destination)
            if answers.contains(where: \.isAnswer) {
                await self.context.release(self.context.outages.recovered(destination))
            }
            let again = self.judge(answers, of: pending, to: destination, into: &result)
            guard !again.isEmpty else { return }
            if let obstacle = result.obstacle {
                result.leaveOpen(again.map(\.index), because: obstacle)
                return
            }
            let isLast = attempt >= max(1, self.context.configuration.maximumAttempts)
            guard !isLast, self.context.now() < self.expiry else {
                for target in again { result.fail(CollectionOfOne(target.index), target.outcome) }
                return
            }
            let floor = again.map(\.floor).max() ?? .zero
            do {
                try await self.context.clock.sleep(for: max(floor, backoff.delay(after: attempt)))
            } catch {
                result.leaveOpen(again.map(\.index), because: .cancelled)
                return
            }
            pending = again.map(\.index)
        }
    }

    /// Books what is final, and answers what may be sent again.
    private func judge(
        _ answers: [SendOutcome],
        of indices: [Int],
        to destination: APNsDestination,
        into result: inout SliceResult
    ) -> [(index: Int, outcome: Outcome, floor: Duration)] {
        var again: [(index: Int, outcome: Outcome, floor: Duration)] = []
        let patience = self.context.configuration.retryBackoff.maximum
        for (index, answer) in zip(indices, answers) {
            switch SendVerdict(answer, patience: patience) {
            case .delivered: continue
            case .final(let outcome): result.fail(CollectionOfOne(index), outcome)
            case .again(let outcome, let floor): again.append((index, outcome, floor))
            case .unreachable(let message):
                result.leaveOpen(CollectionOfOne(index), because: .unreachable(destination, message))
            case .cancelled: result.leaveOpen(CollectionOfOne(index), because: .cancelled)
            }
        }
        return again
    }

    /// Sends targets once.
    ///
    /// - Returns: an answer for each, in the same order.
    private func attempt(_ indices: [Int], to destination: APNsDestination) async -> [SendOutcome] {
        let runs = Self.runs(of: indices)
        guard runs.count > 1 else {
            guard let run = runs.first else { return [] }
            return await self.send(run, to: destination)
        }
        // Ids count up within one call to the client, so that targets with gaps between them need several.
        return await withTaskGroup(of: (Int, [SendOutcome]).self) { group in
            for (place, run) in runs.enumerated() {
                group.addTask { (place, await self.send(run, to: destination)) }
            }
            var answers: [[SendOutcome]] = Array(repeating: [], count: runs.count)
            for await (place, part) in group { answers[place] = part }
            return answers.flatMap(\.self)
        }
    }

    private func send(_ run: Range<Int>, to destination: APNsDestination) async -> [SendOutcome] {
        var tokens = TokenList()
        tokens.reserveCapacity(run.count)
        for index in run { tokens.append(self.batch.targets[index].token) }
        let send = SendBatch(
            headers: self.batch.headers,
            payload: self.batch.payload,
            tokens: tokens,
            firstID: self.batch.id.apnsID(at: run.lowerBound)
        )
        return await self.context.client.send(
            send,
            to: destination,
            lane: self.batch.lane == .urgent ? .urgent : .bulk,
            deadline: self.context.configuration.sendDeadline
        )
    }

    /// Ascending indices as ranges without gaps.
    static func runs(of indices: [Int]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for index in indices {
            if let last = runs.last, last.upperBound == index {
                runs[runs.count - 1] = last.lowerBound..<index + 1
            } else {
                runs.append(index..<index + 1)
            }
        }
        return runs
    }
}

extension SendOutcome {
    /// Whether APNs said it: then it can be reached.
    fileprivate var isAnswer: Bool {
        switch self {
        case .accepted, .rejected: true
        case .failed: false
        }
    }
}
