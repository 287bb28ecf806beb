// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation

@testable import apus

extension ActivityStage {
    /// What a call has sent.
    struct Receipt: Decodable {
        let version: Int
        let state: String
        let sent: Int
        let pending: Int
        let notStartable: [String]?
    }

    /// An activity as the server tells it.
    struct Told: Decodable {
        let state: String
        let version: Int
        let rollouts: [RolloutResponse]?
    }

    /// A phone of an activity as the server tells it.
    struct Participant: Decodable {
        let device: String
        let state: String
        let reason: String?
        let lastSentVersion: Int
    }

    /// What happened to an activity, and why.
    struct Entry: Decodable {
        let type: String
        let detail: String?
        let pending: Int
    }

    /// The path of an activity.
    static func path(_ name: String) -> String { "/v1/apps/\(ServerInTest.app)/activities/\(name)" }

    /// Makes an activity that the app starts, or a push where phones are named.
    @discardableResult
    func create(_ name: String, _ members: String = "") async throws -> Receipt {
        let body = #"{"id":"\#(name)","attributesType":"\#(Self.type)","contentState":{"status":"active"}\#(members)}"#
        let path = "/v1/apps/\(ServerInTest.app)/activities"
        return try await self.backend.call(.post, path, body: Data(body.utf8)).decoded()
    }

    /// Changes an activity.
    @discardableResult
    func change(_ name: String, _ body: String) async throws -> Receipt {
        try await self.backend.call(.patch, Self.path(name), body: Data(body.utf8)).decoded()
    }

    /// Plans a change ahead.
    func plan(_ name: String, _ key: String, _ body: String) async throws {
        _ = try await self.backend.call(.put, "\(Self.path(name))/transitions/\(key)", body: Data(body.utf8))
    }

    /// What the server says of an activity.
    func told(_ name: String) async throws -> Told { try await self.backend.call(.get, Self.path(name)).decoded() }

    /// The phones of an activity.
    func participants(_ name: String) async throws -> [Participant] {
        struct Page: Decodable { let participants: [Participant] }
        let page: Page = try await self.backend.call(.get, "\(Self.path(name))/participants").decoded()
        return page.participants
    }

    /// What happened to an activity.
    func timeline(_ name: String) async throws -> [Entry] {
        struct Page: Decodable { let entries: [Entry] }
        let page: Page = try await self.backend.call(.get, "\(Self.path(name))/timeline?limit=1000").decoded()
        return page.entries
    }

    /// Asks until the server says of an activity what it should.
    func settled<Value>(_ look: () async throws -> Value, _ condition: (Value) -> Bool) async throws -> Value {
        while true {
            let value = try await look()
            if condition(value) { return value }
        }
    }

    /// A time from now on as requests have it.
    func time(_ seconds: Double) -> String {
        self.simulator.now.addingTimeInterval(seconds).ISO8601Format()
    }
}
