// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel

/// Updates of rides through the API, until the last outcome is settled.
struct MeasuredUpdates: Sendable {
    /// How many calls are under way at a time: the next is read while one is stored.
    private static let callsAtOnce = 2

    /// How many updates a call has: what an earlier call sent is settled between two of these, while with as many as a call
    /// may have most of it would wait until the last one is stored.
    private static let updatesAtOnce = 1000

    let seconds: Double

    /// How many updates were sent, and how many waited for something else first.
    let sent: Int
    let waiting: Int

    private struct Answer: Decodable {
        struct Result: Decodable {
            struct Receipt: Decodable {
                let sent: Int
                let waiting: Int
                let notification: String?
            }

            let receipt: Receipt?
        }

        let results: [Result]
    }

    private struct Progress: Decodable {
        let remaining: Int
    }

    /// Makes the bodies of the calls that update every ride once.
    static func bodies(rides: Int, update: Int) -> [Data] {
        stride(from: 0, to: rides, by: self.updatesAtOnce).map { start in
            let changes = (start..<min(start + self.updatesAtOnce, rides)).map { number in
                let state = #"{"fee":\#(100 + update),"meters":\#(number % 10_000),"seconds":\#(60 * update)}"#
                return #"{"activity":"\#(ActivityPopulation.name(number))","contentState":\#(state)}"#
            }
            return Data(#"{"changes":[\#(changes.joined(separator: ","))]}"#.utf8)
        }
    }

    /// Sends calls, and waits until everything that they sent is settled.
    ///
    /// - Parameters:
    ///   - bodies: the calls.
    ///   - updates: how many updates they have in all.
    ///   - api: the server.
    /// - Returns: what it took.
    /// - Throws: ``CommandFailure`` `.bad_run` when an update was refused.
    static func run(_ bodies: [Data], updates: Int, on api: APIClient) async throws -> MeasuredUpdates {
        let path = "/v1/apps/\(ActivityPopulation.app)/activities:change"
        let start = ContinuousClock.now
        let answers = try await withThrowingTaskGroup(of: APIAnswer.self) { group in
            var answers: [APIAnswer] = []
            for (place, body) in bodies.enumerated() {
                if place >= self.callsAtOnce, let answer = try await group.next() { answers.append(answer) }
                group.addTask { try await api.call(.post, path, body: body) }
            }
            for try await answer in group { answers.append(answer) }
            return answers
        }
        for id in Set(answers.compactMap { Self.notification(in: $0.body) }) {
            let path = "/v1/apps/\(ActivityPopulation.app)/notifications/\(id)"
            while true {
                let progress: Progress = try await api.call(.get, path).decoded()
                if progress.remaining == 0 { break }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let receipts = try answers.flatMap { try $0.decoded(as: Answer.self).results }
        guard receipts.count == updates, receipts.allSatisfy({ $0.receipt != nil }) else {
            throw CommandFailure("bad_run", "Of \(updates) updates \(receipts.count { $0.receipt != nil }) were taken.")
        }
        return MeasuredUpdates(
            seconds: seconds,
            sent: receipts.reduce(0) { $0 + ($1.receipt?.sent ?? 0) },
            waiting: receipts.reduce(0) { $0 + ($1.receipt?.waiting ?? 0) }
        )
    }

    /// The notification that a call has made, one for all of its updates.
    ///
    /// Reading the whole answer would take the time of what is measured.
    private static func notification(in answer: Data) -> String? {
        guard let name = answer.range(of: Data(#""notification":""#.utf8)) else { return nil }
        return String(decoding: answer[name.upperBound...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
}
