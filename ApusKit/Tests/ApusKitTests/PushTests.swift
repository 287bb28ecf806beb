// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import ApusKit

@Suite("A push", .timeLimit(.minutes(20)))
struct PushTests {
    private struct Refresh: Decodable, Sendable {
        let date: String
    }

    private func router(_ server: ScriptedServer) -> PushRouter {
        let router = PushRouter()
        router.configure(server.configuration(in: FileManager.default.temporaryDirectory))
        return router
    }

    private func push(_ payload: [String: Any], _ arrival: PushContext = .foreground) throws -> Push {
        try Push(
            userInfo: Dictionary(uniqueKeysWithValues: payload.map { (AnyHashable($0.key), $0.value) }),
            arrival: arrival
        )
    }

    @Test("goes to the handler of its action, decoded")
    func typed() async throws {
        let router = self.router(ScriptedServer())
        router.on(PushAction("refresh", Refresh.self)) { body, push in
            body.date == "2025-10-13" && push.arrival == .tapped && push.title == "T" && push.badge == 1
                ? .newData : .failed
        }
        let aps: [String: Any] = ["alert": ["title": "T"], "badge": 1]
        let push = try self.push(["aps": aps, "action": "refresh", "date": "2025-10-13"], .tapped)
        #expect(await router.handle(push) == .newData)
    }

    @Test("that is malformed, or that nobody handles, is said, and harms nothing")
    func bad() async throws {
        let server = ScriptedServer()
        let router = self.router(server)
        router.on(PushAction("refresh", Refresh.self)) { _, _ in .newData }
        #expect(await router.handle(try self.push(["action": "refresh", "date": 7])) == .failed)
        #expect(await router.handle(try self.push(["action": "other"])) == .noData)
        #expect(await router.handle(userInfo: [AnyHashable(1): "x"], arrival: .background).value == .failed)
        #expect(server.log.count == 3)
        #expect(server.log[0].contains("date is no String"))
        #expect(server.log[1].contains("nobody handles a push with the action \"other\""))
        #expect(server.log[2].contains("no JSON object"))
    }

    @Test("whose handler throws has failed")
    func throwing() async throws {
        let server = ScriptedServer()
        let router = self.router(server)
        router.on("a") { _ in throw CancellationError() }
        #expect(await router.handle(try self.push(["action": "a"])) == .failed)
        #expect(server.log[0].contains("failed"))
    }

    @Test("whose handler takes too long has failed by the deadline, and the handler is cancelled")
    func deadline() async throws {
        let server = ScriptedServer()
        let router = self.router(server)
        let (cancellation, cancelled) = AsyncStream.makeStream(of: Void.self)
        router.on("slow") { _ in
            await withTaskCancellationHandler {
                let never = AsyncStream<Void> { _ in }
                for await _ in never {}
            } onCancel: {
                cancelled.finish()
            }
            return .newData
        }
        async let result = router.handle(try self.push(["action": "slow"]))
        try await server.wait("the deadline") { server.sleepers == 1 }
        server.advance(by: 24)
        #expect(server.sleepers == 1)
        server.advance(by: 1)
        #expect(try await result == .failed)
        for await _ in cancellation {}
        #expect(server.log[0].contains("more than 25 seconds"))
    }

    @Test("does not wait for another one")
    func together() async throws {
        let router = self.router(ScriptedServer())
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        router.on("first") { _ in
            for await _ in gate { break }
            return .newData
        }
        router.on("second") { _ in
            open.yield()
            return .noData
        }
        async let first = router.handle(try self.push(["action": "first"]))
        async let second = router.handle(try self.push(["action": "second"]))
        let results = [try await first, try await second]
        #expect(results == [.newData, .noData])
    }

    @Test("that is an alert and for the background is handled once by an app on the screen")
    func twice() async throws {
        let router = self.router(ScriptedServer())
        let count = Locked(0)
        router.on("a") { _ in
            count.withLock { $0 += 1 }
            return .newData
        }
        let aps: [String: Any] = ["alert": "A", "content-available": 1]
        for _ in 1...2 { _ = await router.handle(try self.push(["aps": aps, "action": "a"])) }
        #expect(count.withLock { $0 } == 1)
        // Alerts alone that are alike are two.
        for _ in 1...2 { _ = await router.handle(try self.push(["aps": ["alert": "A"], "action": "a"])) }
        #expect(count.withLock { $0 } == 3)
    }

    @Test("reaches who watches for it")
    func watched() async throws {
        let router = self.router(ScriptedServer())
        var pushes = router.pushes(of: "a").makeAsyncIterator()
        #expect(await router.handle(try self.push(["action": "b"])) == .noData)
        #expect(await router.handle(try self.push(["action": "a", "n": 1])) == .newData)
        #expect(await pushes.next()?.action == "a")
    }

    @Test("that does not fit is said by the type's names, and by no key of a dictionary")
    func places() throws {
        struct Body: Decodable {
            struct Inner: Decodable { let count: Int }
            let people: [String: [Inner]]
        }
        let push = try self.push(["people": ["ann": [["count": "many"]]]])
        #expect(throws: PushError.malformed("people.*.*.count is no Int")) { _ = try push.decode(Body.self) }
        let other = try self.push(["people": ["ann": [["n": 1]]]])
        #expect(throws: PushError.malformed("people.*.*.count is missing")) { _ = try other.decode(Body.self) }
    }

    @Test("that opens the app reaches the view that is shown a moment later, once")
    func opening() async throws {
        let server = ScriptedServer()
        let router = self.router(server)
        #expect(await router.handle(try self.push(["action": "a", "n": 1], .tapped)) == .noData)
        #expect(server.log[0].contains("nobody handles a push with the action \"a\"; it is kept for a view"))
        let others = router.pushes(of: "b")
        var first = router.pushes(of: "a").makeAsyncIterator()
        var second = router.pushes().makeAsyncIterator()
        #expect(await first.next()?.arrival == .tapped)
        // What came while the app was on the screen, or more than a minute ago, opens nothing.
        #expect(await router.handle(try self.push(["action": "c"])) == .newData)
        #expect(await second.next()?.action == "c")
        #expect(await router.handle(try self.push(["action": "d"], .tapped)) == .newData)
        #expect(await second.next()?.action == "d")
        router.on("e") { _ in .newData }
        withExtendedLifetime((others, first, second)) {}
    }

    @Test("that opened the app more than a minute ago opens nothing any more")
    func opened() async throws {
        let server = ScriptedServer()
        let router = self.router(server)
        router.on("a") { _ in .newData }
        #expect(await router.handle(try self.push(["action": "a"], .tapped)) == .newData)
        server.advance(by: 60)
        var pushes = router.pushes(of: "a").makeAsyncIterator()
        #expect(await router.handle(try self.push(["action": "a"])) == .newData)
        #expect(await pushes.next()?.arrival == .foreground)
    }

    @Test("is shown as the app decides, with everything unless it does")
    func presentation() throws {
        let router = self.router(ScriptedServer())
        let push = try self.push(["action": "chat"])
        #expect(router.presentation(of: push) == .all)
        router.present { $0.action == "chat" ? [.list, .sound] : [] }
        #expect(router.presentation(of: push) == [.list, .sound])
        #expect(router.presentation(of: try self.push(["action": "other"])) == [])
    }
}
