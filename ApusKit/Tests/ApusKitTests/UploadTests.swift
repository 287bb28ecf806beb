// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import ApusKit

@Suite("What waits for the server", .timeLimit(.minutes(20)))
struct UploadTests {
    private let now = Date(timeIntervalSince1970: 0)

    private func upload(_ slot: String, _ body: String = "{}") -> Upload {
        Upload(slot: slot, method: "PUT", path: "/\(slot)", body: Data(body.utf8))
    }

    @Test("the newest of a slot wins, also while an older one is under way, and the device comes first")
    func newestWins() throws {
        var book = UploadQueueState()
        _ = book.add(self.upload("activity a", "1"))
        _ = book.add(self.upload(Upload.device, "1"))
        let first = try #require(book.next(now: self.now))
        #expect(first.upload.slot == Upload.device)
        _ = book.add(self.upload(Upload.device, "2"))
        _ = book.settle(first.number, .taken, now: self.now, chance: 0)
        #expect(book.entries.map(\.upload.slot) == ["activity a", "device"])
        #expect(book.next(now: self.now)?.upload == self.upload(Upload.device, "2"))
    }

    @Test("pauses double up to a quarter of an hour, heed Retry-After, and end with a success")
    func pauses() throws {
        var book = UploadQueueState()
        _ = book.add(self.upload("a"))
        let number = try #require(book.next(now: self.now)).number
        var pauses: [TimeInterval] = []
        for _ in 1...12 {
            _ = book.settle(number, .unavailable(after: nil), now: self.now, chance: 1)
            pauses.append(try #require(book.pausedUntil).timeIntervalSince(self.now))
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
        _ = book.settle(number, .unavailable(after: nil), now: self.now, chance: 0)
        #expect(book.pausedUntil == self.now + 450)
        _ = book.settle(number, .unavailable(after: 2000), now: self.now, chance: 0)
        #expect(book.pausedUntil == self.now + 2000)
        #expect(book.next(now: self.now + 1999) == nil)
        #expect(book.next(now: self.now + 2000) != nil)
        _ = book.settle(number, .taken, now: self.now, chance: 0)
        #expect(book.pausedUntil == nil && book.failures == 0 && book.entries.isEmpty)
    }

    @Test("what the server fails with lets others pass, has pauses of its own, and is given up after two days")
    func failing() throws {
        var book = UploadQueueState()
        _ = book.add(self.upload(Upload.device))
        _ = book.add(self.upload("a"))
        let device = try #require(book.next(now: self.now)).number
        let isGivenUp = book.settle(device, .failed(after: nil), now: self.now, chance: 1)
        #expect(!isGivenUp && book.pausedUntil == nil && book.due == .distantPast)
        let other = try #require(book.next(now: self.now))
        #expect(other.upload.slot == "a")
        _ = book.settle(other.number, .taken, now: self.now, chance: 1)
        #expect(book.next(now: self.now) == nil && book.due == self.now + 1)
        var (now, tries) = (self.now, 1)
        while let due = book.due {
            #expect(due > now && due <= now + UploadQueueState.longestPause)
            now = due
            #expect(book.next(now: now)?.number == device)
            tries += 1
            if book.settle(device, .failed(after: nil), now: now, chance: 1) { break }
        }
        #expect(book.entries.isEmpty && now >= self.now + UploadQueueState.longestFailing)
        #expect(tries < 250)
    }

    @Test("of what is tried again, nothing stands in the way of the rest; the newest of a slot begins anew")
    func turns() throws {
        var book = UploadQueueState()
        for slot in ["a", "b"] { _ = book.add(self.upload(slot)) }
        var now = self.now
        for slot in ["a", "b", "a"] {
            let entry = try #require(book.next(now: now))
            #expect(entry.upload.slot == slot)
            _ = book.settle(entry.number, slot == "b" ? .keyRefused : .unavailable(after: nil), now: now, chance: 1)
            now = try #require(book.due)
        }
        _ = book.settle(try #require(book.next(now: now)).number, .failed(after: nil), now: now, chance: 1)
        #expect(book.entries.contains { $0.failures == 1 && $0.waitsUntil != nil })
        book.endPauses()
        #expect(book.entries.allSatisfy { $0.waitsUntil == nil } && book.next(now: now) != nil)
        _ = book.add(self.upload("b", "2"))
        #expect(book.next(now: now)?.upload == self.upload("b", "2"))
    }

    @Test(
        "a book on disk with an impossibly high number is corrupt",
        arguments: [
            #""entries":[],"nextNumber":\#(Int.max),"failures":0"#,
            #""entries":[],"nextNumber":1,"failures":\#(Int.max)"#,
            #""entries":[],"nextNumber":-1,"failures":0"#,
        ]
    )
    func damagedNumbers(members: String) throws {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(UploadQueueState.self, from: Data("{\(members)}".utf8))
        }
        var book = UploadQueueState()
        _ = book.add(self.upload("a"))
        _ = book.settle(1, .failed(after: nil), now: self.now, chance: 1)
        #expect(try JSONDecoder().decode(UploadQueueState.self, from: JSONEncoder().encode(book)) == book)
    }

    @Test(
        "a pause is as long as it says, and a century at most",
        arguments: [
            (2.5, 2_500_000_000), (0, 0), (-1, 0), (.nan, 0), (1e300, 3_155_760_000_000_000_000),
            (.infinity, 3_155_760_000_000_000_000),
        ] as [(TimeInterval, UInt64)]
    )
    func pause(seconds: TimeInterval, nanoseconds: UInt64) {
        #expect(ApusClock.nanoseconds(seconds) == nanoseconds)
    }

    @Test("a full book lets the oldest go, and never the device")
    func full() {
        var book = UploadQueueState()
        #expect(book.add(self.upload(Upload.device)) == nil)
        for number in 1..<UploadQueueState.limit { #expect(book.add(self.upload("\(number)")) == nil) }
        #expect(book.add(self.upload("last")) == "1")
        #expect(book.entries.count == UploadQueueState.limit)
        #expect(book.entries[0].upload.slot == Upload.device)
    }

    @Test(
        "every status has its verdict",
        arguments: [
            (200, UploadResult.taken), (204, .taken), (401, .keyRefused), (403, .keyRefused), (400, .refused),
            (404, .refused), (409, .refused), (422, .refused), (408, .unavailable(after: 7)),
            (429, .unavailable(after: 7)), (502, .unavailable(after: 7)), (503, .unavailable(after: 7)),
            (500, .failed(after: 7)), (501, .failed(after: 7)),
        ]
    )
    func verdicts(status: Int, verdict: UploadResult) {
        #expect(UploadResult(status: status, retryAfter: 7) == verdict)
    }

    @Test("Retry-After counts where it is a length of time", arguments: ["nan", "inf", "-inf", "-1"])
    func retryAfter(text: String) throws {
        let seconds = try #require(TimeInterval(text))
        let verdict = UploadResult(status: 503, retryAfter: seconds)
        #expect(verdict == .unavailable(after: nil))
        #expect(UploadResult(status: 500, retryAfter: seconds) == .failed(after: nil))
        #expect(UploadResult(status: 429, retryAfter: 0) == .unavailable(after: 0))
    }

    @Test("a day without a server loses nothing: the newest state is told when it is back, also by the next process")
    func offline() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.answer(Array(repeating: nil, count: 200))
            let first = Apus()
            first.start(server.configuration(in: directory))
            try first.setUser("ann")
            first.register(deviceToken: Data([1, 2]))
            try await server.wait("an attempt") { server.received.count == 1 }
            for hour in 1...24 {
                let count = server.received.count
                try first.setTag("hour", "\(hour)")
                try await server.wait("another attempt") {
                    server.advance(by: 3600)
                    return server.received.count > count
                }
            }
            await first.stop()
            #expect(server.log.contains { $0.contains("no answer; tried again later") })

            server.answer([])
            let second = Apus()
            let count = server.received.count
            second.start(server.configuration(in: directory))
            try await server.wait("the upload") {
                server.received.count > count && server.log.contains { $0.contains("has it") }
            }
            let last = try #require(server.received.last)
            #expect(last.body.contains(#""hour":"24""#) && last.body.contains(#""token":"0102""#))
            #expect(last.path.hasPrefix("/base/v1/apps/com.example.app/devices/"))
            #expect(last.authorization == "Bearer apus_key")
            await second.stop()
        }
    }

    @Test(
        "a server that fails with one upload is told the others, and that one until it is given up; then the newest counts"
    )
    func failingServer() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.answer(UploadResponse(status: 500, problem: "internal_error"), toPathsWith: "/devices/")
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            apus.register(deviceToken: Data([1]))
            try await server.wait("the failure") { server.log.contains { $0.contains("500, internal_error; tried") } }
            apus.tell(ActivityUpload(subject: .activity("ride"), token: "0a", issuedAt: Date()))
            try await server.wait("the other") {
                server.log.contains { $0.contains("activity ride: the server has it") }
            }
            try await server.wait("the end of patience") {
                server.advance(by: 900)
                return server.log.contains { $0.contains("device: given up after") && $0.contains("internal_error") }
            }
            server.answer(nil, toPathsWith: "/devices/")
            let count = server.received.count
            try apus.setTag("plan", "gold")
            try await server.wait("the newest") { server.log.last?.contains("device: the server has it") == true }
            #expect(server.received.count == count + 1)
            await apus.stop()
        }
    }

    @Test("a server without time is asked when it says, and told everything then", arguments: [429, 503])
    func busyServer(status: Int) async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.answer([UploadResponse(status: status, retryAfter: 120)])
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            apus.register(deviceToken: Data([1]))
            try await server.wait("the refusal") {
                server.log.contains { $0.contains("status \(status); tried again later") }
            }
            apus.tell(ActivityUpload(subject: .start(attributesType: "Ride"), token: "0a", issuedAt: Date()))
            try await server.wait("the pause") { server.alarms == [120] }
            #expect(server.received.count == 1)
            try await server.wait("both") {
                server.advance(by: 120)
                return server.log.filter { $0.contains("the server has it") }.count == 2
            }
            await apus.stop()
        }
    }

    @Test("what waits is told at once when the person opens the app, whatever its pause is")
    func opened() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.answer([UploadResponse(status: 503, retryAfter: 120)])
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            apus.register(deviceToken: Data([1]))
            try await server.wait("the pause") { server.alarms == [120] }
            // The clock stands still.
            apus.becameActive()
            try await server.wait("the upload") { server.log.contains { $0.contains("device: the server has it") } }
            await apus.stop()
        }
    }

    @Test("a revoked key is said once an hour, and what waits goes on waiting")
    func revoked() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.answer([UploadResponse(status: 401, problem: "revoked_api_key")])
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            apus.register(deviceToken: Data([1]))
            try await server.wait("the refusal") { server.log.contains { $0.contains("revoked_api_key") } }
            try await server.wait("the pause") { server.alarms == [3600] }
            #expect(server.received.count == 1)
            try await server.wait("the upload") {
                server.advance(by: 3600)
                return server.log.contains { $0.contains("has it") }
            }
            await apus.stop()
        }
    }

    @Test("what the server refuses for good is said and dropped; what comes after it is told")
    func refused() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.answer([UploadResponse(status: 400, problem: "invalid_request")])
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            apus.register(deviceToken: Data([1]))
            try await server.wait("the refusal") { server.log.contains { $0.contains("invalid_request") } }
            try apus.subscribe(to: "news")
            try await server.wait("the next") { server.log.contains { $0.contains("has it") } }
            #expect(server.received.count == 2)
            await apus.stop()
        }
    }

    @Test("storage that takes nothing is said once, and the token is told all the same")
    func storageFull() async throws {
        try await withDirectory { directory in
            // A file where the directory should be: nothing can be written there, whoever one is.
            try Data().write(to: directory)
            let server = ScriptedServer()
            let apus = Apus()
            apus.start(server.configuration(in: directory.appendingPathComponent("inner")))
            apus.register(deviceToken: Data([1]))
            try await server.wait("the upload") { server.log.contains { $0.contains("has it") } }
            #expect(server.log.filter { $0.contains("queue cannot be written") }.count == 1)
            await apus.stop()
        }
    }

    @Test("a file that cannot be read is tried again, and begins anew when the phone is unlocked; both are said once")
    func unreadable() async throws {
        try await withDirectory { directory in
            let file = directory.appendingPathComponent("uploads.json")
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
            let server = ScriptedServer()
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            apus.register(deviceToken: Data([1]))
            try await server.wait("the upload") { server.log.contains { $0.contains("has it") } }
            #expect(server.log.filter { $0.contains("the queue on disk cannot be read yet") }.count == 1)
            apus.becameActive()
            try await server.wait("the end of it") {
                server.log.contains { $0.contains("the queue on disk cannot be read and begins anew: ") }
            }
            try FileManager.default.removeItem(at: file)
            try apus.setTag("plan", "gold")
            try await server.wait("the next") { server.received.last?.body.contains("gold") == true }
            let book = try file.decoded(UploadQueueState.self)
            #expect(book != nil)
            await apus.stop()
        }
    }

    @Test("a corrupt file is replaced")
    func damaged() async throws {
        try await withDirectory { directory in
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            for name in ["uploads.json", "installation.json"] {
                try Data("{".utf8).write(to: directory.appendingPathComponent(name))
            }
            let server = ScriptedServer()
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            apus.register(deviceToken: Data([1]))
            try await server.wait("the upload") { server.log.contains { $0.contains("has it") } }
            await apus.stop()
        }
    }
}
