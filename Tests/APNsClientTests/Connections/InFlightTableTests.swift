// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import Testing

@testable import APNsClient

@Suite("The requests on the wire")
struct InFlightTableTests {
    @Test("are taken out once each, with what came of their answers, and their slots are free again")
    func take() async throws {
        try await JobSamples.with([3]) { jobs in
            var table = InFlightRequests()
            table.add(InFlightRequest(job: jobs[0], index: 1, sentAt: .uptimeNanoseconds(5)), in: 2)
            table.add(InFlightRequest(job: jobs[0], index: 2, sentAt: .uptimeNanoseconds(6)), in: 0)
            #expect(table.count == 2)
            #expect(table.slots == 0..<3)
            for piece in ["ab", "c"] { Array(piece.utf8).withUnsafeBytes { table.received($0, in: 2) } }
            table.received(status: 410, in: 2)
            let taken = table.take(2)
            #expect(taken?.request.index == 1)
            #expect(taken?.request.status == 410)
            #expect(taken?.body == Array("abc".utf8))
            #expect(table.take(2) == nil)
            #expect(table.take(1) == nil)
            #expect(table.take(9) == nil)
            #expect(table.count == 1)

            table.add(InFlightRequest(job: jobs[0], index: 0, sentAt: .uptimeNanoseconds(7)), in: 2)
            let next = table.take(2)
            #expect(next?.request.status == 0)
            #expect(next?.body == [])
        }
    }

    @Test("keep no body of a success, and nothing of what comes for a slot that is free")
    func noBody() async throws {
        try await JobSamples.with([1]) { jobs in
            var table = InFlightRequests()
            table.add(InFlightRequest(job: jobs[0], index: 0, sentAt: .uptimeNanoseconds(5)), in: 0)
            table.received(status: 200, in: 0)
            let body = Array("{}".utf8)
            body.withUnsafeBytes { table.received($0, in: 0) }
            #expect(table.take(0)?.body == [])
            table.received(status: 400, in: 0)
            body.withUnsafeBytes { table.received($0, in: 0) }
            #expect(table.take(0) == nil)
            #expect(table.count == 0)
            table.add(InFlightRequest(job: jobs[0], index: 0, sentAt: .uptimeNanoseconds(6)), in: 0)
            #expect(table.take(0)?.body == [])
        }
    }

    @Test("whose deadlines have passed are told once, and stay on the wire until their streams are closed")
    func expire() async throws {
        let deadline = NIODeadline.uptimeNanoseconds(1000)
        try await JobSamples.with([2], deadline: deadline) { late in
            try await JobSamples.with([1], deadline: deadline + .nanoseconds(1)) { jobs in
                var table = InFlightRequests()
                #expect(table.expire(now: deadline).oldest == nil)
                table.add(InFlightRequest(job: late[0], index: 0, sentAt: .uptimeNanoseconds(7)), in: 0)
                table.add(InFlightRequest(job: jobs[0], index: 0, sentAt: .uptimeNanoseconds(5)), in: 1)
                table.add(InFlightRequest(job: late[0], index: 1, sentAt: .uptimeNanoseconds(6)), in: 2)
                #expect(table.expire(now: deadline - .nanoseconds(1)).late.isEmpty)
                let expired = table.expire(now: deadline)
                #expect(expired.late.map(\.slot) == [0, 2])
                #expect(expired.late.map(\.request.index) == [0, 1])
                #expect(expired.oldest == .uptimeNanoseconds(5))
                #expect(table.expire(now: deadline).late.isEmpty)
                #expect(table.count == 3)
                #expect(table.take(0)?.request.isExpired == true)
                #expect(table.expire(now: deadline + .nanoseconds(1)).late.map(\.slot) == [1])
            }
        }
    }
}
