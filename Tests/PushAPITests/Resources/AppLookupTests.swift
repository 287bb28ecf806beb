// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import StoreTesting
import Synchronization
import Testing

@testable import PushAPI

@Suite("The app of a request", .timeLimit(.minutes(20)))
struct AppLookupTests {
    private static let path = "/v1/apps/\(TestAPI.app)"

    @Test("is read from the store once a second at most")
    func reads() async throws {
        let reads = Mutex(0)
        var setup = TestSetup()
        setup.wrap = { ProbedStore($0, StoreProbe(before: { if $0 == "app(_:)" { reads.withLock { $0 += 1 } } })) }
        let time = setup.time
        try await withAPI(setup) { api async throws in
            for number in 0..<5 {
                #expect(try await api.call(.get, Self.path).status == 200)
                try await api.register("phone-\(number)", token: UInt8(number))
            }
            #expect(reads.withLock { $0 } == 1)
            time.advance(by: 1)
            #expect(try await api.call(.get, Self.path).status == 200)
            #expect(reads.withLock { $0 } == 2)
        }
    }

    @Test("is gone at once when it was deleted here, and within a second when another process deleted it")
    func deletion() async throws {
        let setup = TestSetup()
        try await withAPI(setup) { api async throws in
            #expect(try await api.call(.get, Self.path).status == 200)
            #expect(try await api.call(.delete, Self.path).status == 204)
            #expect(try await api.call(.get, Self.path).code == "app_not_found")
            #expect(try await api.call(.post, "/v1/apps", #"{"id":"\#(TestAPI.app)"}"#).status == 201)
            let known = try await api.call(.get, Self.path)
            #expect(known.json["defaultEnvironment"]?.text == "production")
            #expect(try await api.store.deleteApp(TestAPI.app))
            // The store itself refuses to write for an app that it does not have.
            let body = #"{"token":"\#(TestToken.hex(1))"}"#
            #expect(try await api.call(.put, "\(Self.path)/devices/a", body).code == "app_not_found")
            setup.time.advance(by: 1)
            #expect(try await api.call(.get, Self.path).code == "app_not_found")
        }
    }

    @Test("is not kept if it was forgotten while it was read")
    func overtaken() async throws {
        let reads = Mutex(0)
        let lookup = Mutex<AppLookup?>(nil)
        let app = App(id: TestAPI.app, createdAt: TestTime.start)
        let apps = AppLookup(lifetime: .seconds(1), now: { TestTime.start }) { id in
            reads.withLock { $0 += 1 }
            lookup.withLock { $0?.forget(id) }
            return app
        }
        lookup.withLock { $0 = apps }
        for _ in 0..<2 { #expect(try await apps.record(app.id) == app) }
        #expect(reads.withLock { $0 } == 2)
        lookup.withLock { $0 = nil }
        for _ in 0..<2 { #expect(try await apps.record(app.id) == app) }
        #expect(reads.withLock { $0 } == 3)
    }

    @Test("is looked for again if there was none")
    func unknown() async throws {
        let reads = Mutex(0)
        let apps = AppLookup(lifetime: .seconds(1), now: { TestTime.start }) { _ in
            reads.withLock { $0 += 1 }
            return nil
        }
        for _ in 0..<3 { #expect(try await apps.record(TestAPI.app) == nil) }
        #expect(reads.withLock { $0 } == 3)
    }
}
