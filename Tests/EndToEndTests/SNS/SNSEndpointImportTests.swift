// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SNSProtocol
import StoreTesting
import Testing

@testable import apus

@Suite("Endpoints that are copied again", .timeLimit(.minutes(20)))
struct SNSEndpointImportTests {
    private static let app: AppID = "com.example.app"
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    /// An endpoint of the source.
    private struct Endpoint {
        var id: String
        var token: UInt8
        var isEnabled = true
        var userData = ""

        var xml: String {
            let values = [
                "Token": String(repeating: String(format: "%02x", Int(self.token)), count: 32),
                "Enabled": "\(self.isEnabled)", "CustomUserData": self.userData,
            ]
            let entries = values.map { "<entry><key>\($0)</key><value>\($1)</value></entry>" }.joined()
            let arn = "arn:aws:sns:eu-west-1:123456789012:endpoint/APNS/shop/\(self.id)"
            return "<member><EndpointArn>\(arn)</EndpointArn><Attributes>\(entries)</Attributes></member>"
        }
    }

    private static func token(_ number: UInt8) throws -> DeviceToken {
        try DeviceToken(bytes: Array(repeating: number, count: 32))
    }

    /// Runs a whole import of pages of endpoints.
    @discardableResult
    private static func copy(
        _ pages: [Endpoint]...,
        into store: any PushStore,
        isDryRun: Bool = false
    ) async throws -> SNSImport.Report {
        let container = EndpointContainer(app: Self.app, environment: .production)
        var work = EndpointImport(container, store: store, isDryRun: isDryRun)
        for page in pages {
            let members = page.map(\.xml).joined()
            try await work.copy(try #require(XMLElement("<Result><Endpoints>\(members)</Endpoints></Result>")))
        }
        try await work.noteGone()
        return work.report
    }

    private static func withStore(_ kind: TestStoreBackend, _ body: (any PushStore) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try await kind.withStore(in: URL(fileURLWithPath: directory)) { store in
                let app = App(id: Self.app, name: "Shop", defaultEnvironment: .production, createdAt: Self.now)
                try await store.createApp(app)
                try await body(store)
            }
        }
    }

    private static func change(
        _ id: DeviceID,
        in store: any PushStore,
        _ change: EndpointUpdate
    ) async throws {
        let changed = try await store.changeEndpoint(
            id,
            in: EndpointContainer(app: Self.app, environment: .production),
            by: change,
            now: Self.now
        )
        #expect(changed != nil)
    }

    @Test("bring what has changed at the source", arguments: TestStoreBackend.chosen)
    func source(kind: TestStoreBackend) async throws {
        try await Self.withStore(kind) { store in
            let first = [
                Endpoint(id: "a", token: 1), Endpoint(id: "b", token: 2, isEnabled: false, userData: "b"),
                Endpoint(id: "c", token: 3),
            ]
            #expect(try await Self.copy(first, into: store) == SNSImport.Report(endpoints: 3))
            #expect(try await Self.copy(first, into: store) == SNSImport.Report(endpoints: 3))
            let disabled = try #require(try await store.device("b", of: Self.app))
            #expect(!disabled.status.isEnabled)
            #expect(disabled.userData == "b")

            let second = [
                Endpoint(id: "a", token: 9), Endpoint(id: "b", token: 2, userData: "new"),
                Endpoint(id: "c", token: 3, isEnabled: false),
            ]
            for _ in 0..<2 {
                #expect(try await Self.copy(second, into: store) == SNSImport.Report(endpoints: 3))
                #expect(try await store.device("a", of: Self.app)?.token == Self.token(9))
                let enabled = try #require(try await store.device("b", of: Self.app))
                #expect(enabled.status.isEnabled)
                #expect(enabled.userData == "new")
                #expect(try await store.device("c", of: Self.app)?.status.isEnabled == false)
            }
        }
    }

    @Test("leave what was changed here as it is", arguments: TestStoreBackend.chosen)
    func here(kind: TestStoreBackend) async throws {
        try await Self.withStore(kind) { store in
            var endpoints = [
                Endpoint(id: "disabled", token: 1), Endpoint(id: "enabled", token: 2, isEnabled: false),
                Endpoint(id: "data", token: 3, userData: "x"), Endpoint(id: "token", token: 4),
                Endpoint(id: "registered", token: 5), Endpoint(id: "same", token: 6),
            ]
            try await Self.copy(endpoints, into: store)
            try await Self.change("disabled", in: store, EndpointUpdate(isEnabled: false))
            try await Self.change("enabled", in: store, EndpointUpdate(isEnabled: true))
            try await Self.change("data", in: store, EndpointUpdate(userData: "mine"))
            try await Self.change("token", in: store, EndpointUpdate(token: try Self.token(14)))
            let registration = DeviceRegistration(
                app: Self.app,
                installation: "registered",
                token: try Self.token(15),
                environment: .production
            )
            try await store.register(registration, now: Self.now)
            for index in endpoints.indices.dropLast() { endpoints[index].userData += " of the source" }
            for isDryRun in [true, false, false] {
                let report = try await Self.copy(endpoints, into: store, isDryRun: isDryRun)
                #expect(report == SNSImport.Report(endpoints: 1, newerEndpoints: 2, changedEndpoints: 3))
            }
            #expect(try await store.device("disabled", of: Self.app)?.status.isEnabled == false)
            #expect(try await store.device("enabled", of: Self.app)?.status.isEnabled == true)
            #expect(try await store.device("data", of: Self.app)?.userData == "mine")
            #expect(try await store.device("token", of: Self.app)?.token == Self.token(14))
            #expect(try await store.device("registered", of: Self.app)?.token == Self.token(15))
        }
    }

    @Test("go on where a copy was broken off", arguments: TestStoreBackend.chosen)
    func brokenOff(kind: TestStoreBackend) async throws {
        try await Self.withStore(kind) { store in
            let registration = DeviceRegistration(
                app: Self.app,
                installation: "a",
                token: try Self.token(1),
                environment: .production,
                registeredAt: EndpointSnapshot(token: try Self.token(1)).mark
            )
            #expect(try await store.register([registration], now: Self.now) == 1)
            let endpoint = Endpoint(id: "a", token: 1, isEnabled: false, userData: "x")
            #expect(try await Self.copy([endpoint], into: store) == SNSImport.Report(endpoints: 1))
            let device = try #require(try await store.device("a", of: Self.app))
            #expect(!device.status.isEnabled)
            #expect(device.userData == "x")
        }
    }

    @Test("give a token that several have to the last, on one page and on two", arguments: TestStoreBackend.chosen)
    func tokens(kind: TestStoreBackend) async throws {
        try await Self.withStore(kind) { store in
            let (first, last) = (Endpoint(id: "a", token: 1), Endpoint(id: "b", token: 1))
            for _ in 0..<2 {
                try await Self.copy([first, last], into: store)
                #expect(try await store.device("a", of: Self.app) == nil)
                #expect(try await store.device("b", of: Self.app) != nil)
            }
            for _ in 0..<2 {
                try await Self.copy([last], [first], into: store)
                #expect(try await store.device("a", of: Self.app) != nil)
                #expect(try await store.device("b", of: Self.app) == nil)
            }
        }
    }

    @Test("endpoints that the source no longer has are reported and kept", arguments: TestStoreBackend.chosen)
    func gone(kind: TestStoreBackend) async throws {
        try await Self.withStore(kind) { store in
            let own = DeviceRegistration(
                app: Self.app,
                installation: "own",
                token: try Self.token(7),
                environment: .production
            )
            try await store.register(own, now: Self.now)
            try await Self.copy([Endpoint(id: "a", token: 1), Endpoint(id: "b", token: 2)], into: store)
            let report = try await Self.copy([Endpoint(id: "b", token: 2)], into: store)
            #expect(report.endpoints == 1)
            #expect(report.goneEndpoints == 1)
            #expect(
                report.notes == ["com.example.app: the endpoint a no longer exists at the source, and is kept here"]
            )
            #expect(try await store.device("a", of: Self.app) != nil)
        }
    }
}
