// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import Crypto
import Foundation
import PushModel
import PushStore

/// Devices that exist in the simulator by computation, and are registered in a store.
struct BenchPopulation: Sendable {
    /// The number of registrations in one transaction.
    private static let registrationsAtOnce = 5000

    /// Of how many devices those with neighbouring tokens are registered together.
    ///
    /// Tokens are random: in the order of their numbers each of 10,000,000 would change another page of every index.
    private static let sortedAtOnce = 1_000_000

    let configuration: PopulationConfiguration

    /// Creates `count` devices; 1 % by default have an invalid token, half of them unregistered, half unknown to APNs.
    init(count: Int, badRate: Double = 0.01) throws {
        self.configuration = try PopulationConfiguration(
            count: count,
            invalidRate: badRate / 2,
            unregisteredRate: badRate / 2,
            app: BenchNotification.topic
        )
    }

    var tokens: PopulationTokens { PopulationTokens(self.configuration) }

    /// The arguments of the simulator for the same devices.
    var simulatorArguments: [String] {
        [
            "--population", "\(self.configuration.count)", "--population-app", self.configuration.app,
            "--invalid-rate", "\(self.configuration.invalidRate)",
            "--unregistered-rate", "\(self.configuration.unregisteredRate)",
        ]
    }

    /// The installation ID of the device with this number: in the order of the tokens, so that both indexes grow alike.
    func installation(_ number: Int) throws -> DeviceID {
        try DeviceID(validating: "installation-\(Self.digits(of: self.tokens[number]))")
    }

    /// The prefix that identifies a token.
    private static func digits(of token: String) -> Substring { token.prefix(16) }

    /// How many tokens are no good.
    var badCount: Int { self.tokens.indices.count { self.tokens.standing($0) != .valid } }

    /// Registers all devices, with profiles that vary as those of users.
    func register(in store: any AppStore & DeviceStore) async throws {
        let app = try AppID(validating: self.configuration.app)
        let now = Date()
        try await store.createApp(App(id: app, name: "bench", defaultEnvironment: .sandbox, createdAt: now))
        let tokens = self.tokens
        for start in stride(from: 0, to: tokens.count, by: Self.sortedAtOnce) {
            let sorted = tokens[start..<min(start + Self.sortedAtOnce, tokens.count)].enumerated()
                .map { (number: start + $0.offset, token: $0.element) }
                .sorted { $0.token < $1.token }
            for part in stride(from: 0, to: sorted.count, by: Self.registrationsAtOnce) {
                let registrations = try sorted[part..<min(part + Self.registrationsAtOnce, sorted.count)].map {
                    try self.registration($0.number, token: $0.token, app: app)
                }
                try await store.register(registrations, now: now)
            }
        }
    }

    /// Registers devices again, one in `spacing`, with a topic.
    func register(topic: String, every spacing: Int, in store: any PushStore) async throws {
        let registrations = try stride(from: 0, to: self.configuration.count, by: spacing).map { number in
            var registration = try self.registration(number)
            registration.profile.topics = [topic]
            return registration
        }
        try await store.register(registrations, now: Date())
    }

    /// The user of the device of that number, who has no other device.
    func user(_ number: Int) throws -> UserID { try Self.user(of: self.tokens[number]) }

    private static func user(of token: String) throws -> UserID {
        try UserID(validating: "user-\(self.digits(of: token))")
    }

    /// The registration of the device of that number.
    func registration(_ number: Int) throws -> DeviceRegistration {
        let app = try AppID(validating: self.configuration.app)
        return try self.registration(number, token: self.tokens[number], app: app)
    }

    private func registration(_ number: Int, token: String, app: AppID) throws -> DeviceRegistration {
        DeviceRegistration(
            app: app,
            installation: try self.installation(number),
            token: try DeviceToken(hex: token),
            environment: self.configuration.environment,
            profile: DeviceProfile(
                platform: number.isMultiple(of: 8) ? .iPadOS : .iOS,
                appVersion: "\(1 + number % 3).\(number % 12).0",
                locale: Self.locales[number % Self.locales.count],
                timeZone: Self.timeZones[number % Self.timeZones.count],
                userID: try Self.user(of: token),
                tags: [
                    "plan": number.isMultiple(of: 10) ? "pro" : "free", "city": Self.cities[number % Self.cities.count],
                ]
            )
        )
    }

    private static let locales = ["en-US", "en-GB", "ja-JP", "de-DE", "fr-FR"]
    private static let timeZones = ["America/New_York", "Europe/London", "Asia/Tokyo", "Europe/Berlin"]
    private static let cities = ["Boston", "Leeds", "Osaka", "Bremen", "Lyon", "Kyoto", "Jena"]
}

extension DeviceStore {
    /// Calls `body` with each device of an app.
    func eachDevice(of app: AppID, _ body: (Device) -> Void) async throws {
        var cursor: Int64?
        repeat {
            let page = try await self.devices(of: app, in: nil, after: cursor, limit: 1000)
            for device in page.elements { body(device) }
            cursor = page.next
        } while cursor != nil
    }
}

/// The notification of all measurements: 230 bytes of payload and the headers of an ordinary alert.
enum BenchNotification {
    static let payloadSize = 230
    static let topic = "com.example.app"

    static var payload: String {
        let head = #"{"aps":{"alert":{"title":"Apus","body":""#
        let tail = #""}}}"#
        return head + String(repeating: "n", count: Self.payloadSize - head.utf8.count - tail.utf8.count) + tail
    }

    /// The body of a call that sends it to tokens.
    static func body(to tokens: [String]) -> Data {
        let list = tokens.map { "\"\($0)\"" }.joined(separator: ",")
        return Data(#"{"targets":{"environment":"sandbox","tokens":[\#(list)]},"payload":\#(self.payload)}"#.utf8)
    }

    /// Distinct tokens of 32 bytes, the same in every run.
    static func tokens(_ count: Int) -> [String] {
        (0..<count).map { Hex.text(SHA256.hash(data: Array("token \($0)".utf8))) }
    }
}
