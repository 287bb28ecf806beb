// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@testable import Delivery

@Suite("The course of a batch's chunks")
struct SliceCourseTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func course(targets: Int, cursor: Int = 0, due: [Deferral] = []) throws -> BatchProgress {
        let plan = try BatchedNotification(
            app: "com.example.app",
            lane: .bulk,
            headers: NotificationHeaders(topic: Topic("com.example.app")),
            payload: APNsPayload(json: "{}"),
            targets: (0..<targets).map { Target(token: try DeviceToken(bytes: [UInt8($0)]), environment: .sandbox) },
            now: self.now
        )
        let batch = plan.batches[0]
        return BatchProgress(
            ClaimedBatch(batch: batch, cursor: cursor, due: due, worker: "worker", leasedUntil: self.now)
        )
    }

    /// Asks for a chunk and begins it.
    private func begin(_ course: inout BatchProgress, of size: Int, asProbe isProbe: Bool = false) throws -> Chunk {
        let wanted = course.ask(for: size, asProbe: isProbe)
        let chunk = course.begin(try #require(wanted))
        return try #require(chunk)
    }

    @Test("the window is asked for one part at a time, as long as there are targets")
    func asking() throws {
        var course = try self.course(targets: 5)
        #expect(course.ask(for: 3, asProbe: false) == 3)
        #expect(!course.mayAsk)
        #expect(course.isUnderWay)
        #expect(course.ask(for: 3, asProbe: false) == nil)
        // The window may grant less than was asked for.
        #expect(course.begin(2) == Chunk(part: .fresh(0..<2)))
        #expect(course.ask(for: 3, asProbe: false) == 3)
        #expect(course.begin(3) == Chunk(part: .fresh(2..<5)))
        #expect(course.mayAsk)
        #expect(course.ask(for: 3, asProbe: false) == nil)
        #expect(course.isUnderWay)
    }

    @Test("a probe is small, and nothing goes beside it")
    func probes() throws {
        var course = try self.course(targets: 30)
        let probe = try self.begin(&course, of: 20, asProbe: true)
        #expect(probe == Chunk(part: .fresh(0..<10)))
        #expect(course.ask(for: 20, asProbe: true) == nil)
        _ = course.settle(ChunkResult(chunk: probe))
        // The line serves by now.
        #expect(try self.begin(&course, of: 20) == Chunk(part: .fresh(10..<30)))
        var small = try self.course(targets: 30)
        #expect(small.ask(for: 4, asProbe: true) == 4)
    }

    @Test("the first reason to stop counts; nothing is begun after it, and what is on its way is waited for")
    func stopping() throws {
        var course = try self.course(targets: 9)
        let chunk = try self.begin(&course, of: 3)
        #expect(course.ask(for: 3, asProbe: false) == 3)
        course.stop(for: .paused)
        course.stop(for: .expired)
        #expect(course.isStopping)
        #expect(course.begin(3) == nil)
        #expect(!course.mayAsk)
        #expect(course.ask(for: 3, asProbe: false) == nil)
        #expect(course.isUnderWay)
        let settlement = course.settle(ChunkResult(chunk: chunk))
        #expect(settlement.range == 0..<3)
        #expect(!course.isUnderWay)
        #expect(course.end == .stopped(.paused))
    }

    @Test("a window that grants nothing says that nobody waits any more, unless there was a reason before")
    func nothingGranted() throws {
        for reason in [BatchProgress.Stop.halted, nil] {
            var course = try self.course(targets: 3)
            #expect(course.ask(for: 3, asProbe: false) == 3)
            if let reason { course.stop(for: reason) }
            #expect(course.begin(0) == nil)
            #expect(!course.isUnderWay)
            #expect(course.end == .stopped(reason ?? .cancelled))
        }
    }

    @Test("it ends settled when the store has every outcome, whatever was to stop it, and else with something left")
    func ends() throws {
        var course = try self.course(targets: 2)
        let chunk = try self.begin(&course, of: 2)
        var result = ChunkResult(chunk: chunk)
        result.deferrals = [Deferral(index: 1, attempts: 1, notBefore: self.now)]
        #expect(course.settle(result).deferrals.map(\.index) == [1])
        #expect(course.end == .left)
        course.stop(for: .shutdown)
        #expect(course.end == .stopped(.shutdown))
        course.isSettled = true
        #expect(course.end == .settled)
    }

    @Test("what is due again goes before the rest")
    func due() throws {
        let due = [Deferral(index: 0, attempts: 1, notBefore: self.now)]
        var course = try self.course(targets: 4, cursor: 1, due: due)
        #expect(try self.begin(&course, of: 3) == Chunk(part: .due(due)))
        #expect(try self.begin(&course, of: 3) == Chunk(part: .fresh(1..<4)))
    }
}
