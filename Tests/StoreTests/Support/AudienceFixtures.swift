// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import StoreTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Random devices, and random audiences that may hold for some of them.
///
/// The words are few, so that conditions meet, and some are hard to write down: quotes, wildcards, other scripts.
struct AudienceFixtures {
    private static let words = [
        "a", "A", "news", "city", "%", "_", "\"", "\\", "a\"b", "寿司", "e\u{301}", "é", "x,\"city", ":",
    ]
    private static let locales = ["de", "de-AT", "de_at", "DE", "den", "d", "fr-CA", "zh-Hans-CN", "%", "_e"]
    private static let zones = ["UTC", "Europe/Vienna", "europe/vienna", "Asia/Tokyo"]
    private static let versions = ["1", "2.9", "2.10", "2.10.1", "10.0", "beta", "2.0-rc"]
    private static let users: [UserID] = ["anna", "ben", "Anna", "a\"b"]

    private var generator = SystemRandomNumberGenerator()

    /// A time within a few seconds.
    mutating func time() -> Date { StoreFixtures.after(Double(Int.random(in: 0..<6, using: &self.generator))) }

    /// A device of which anything may be missing.
    mutating func registration(_ number: Int, app: AppID) throws -> DeviceRegistration {
        var profile = DeviceProfile()
        if self.chance() { profile.platform = self.chance() ? .iOS : .macOS }
        if self.chance() { profile.appVersion = self.pick(Self.versions) }
        if self.chance() { profile.locale = self.pick(Self.locales) }
        if self.chance() { profile.timeZone = self.pick(Self.zones) }
        if self.chance() { profile.userID = self.pick(Self.users) }
        for _ in 0..<Int.random(in: 0...3, using: &self.generator) {
            profile.tags[self.pick(Self.words)] = self.pick(Self.words) + (self.chance() ? "" : self.pick(Self.words))
            profile.topics.insert(self.pick(Self.words))
        }
        return try StoreFixtures.registration(
            DeviceID(unchecked: "device-\(number)"),
            token: number,
            app: app,
            environment: number == 3 || self.chance() ? .production : .sandbox,
            profile: profile
        )
    }

    /// An audience that nests so deep at most.
    mutating func audience(depth: Int) -> Audience {
        let kinds = depth > 0 ? 14 : 11
        switch Int.random(in: 0..<kinds, using: &self.generator) {
        case 0: return .all
        case 1: return .topic(self.pick(Self.words))
        case 2: return .tag(TagCondition(name: self.pick(Self.words)))
        case 3:
            let text = self.pick(Self.words)
            return .tag(
                TagCondition(name: self.pick(Self.words), match: self.chance() ? .equals(text) : .contains(text))
            )
        case 4: return .locale(LocaleRange(self.pick(Self.locales)))
        case 5: return .timeZone(self.pick(Self.zones))
        case 6: return .platform(self.chance() ? .iOS : .tvOS)
        case 7:
            let atLeast = self.chance() ? AppVersion(self.pick(Self.versions)) : nil
            return .appVersion(AppVersionRange(atLeast: atLeast, below: AppVersion(self.pick(Self.versions))))
        case 8: return .users((0..<3).map { _ in self.pick(Self.users) })
        case 9: return .environment(self.chance() ? .sandbox : .production)
        case 10:
            let span = DateRange(after: self.time(), before: self.chance() ? self.time() : nil)
            return self.chance() ? .seen(span) : .registered(span)
        case 11:
            return .and(
                (0..<Int.random(in: 1...3, using: &self.generator)).map { _ in self.audience(depth: depth - 1) }
            )
        case 12:
            return .or((0..<Int.random(in: 1...3, using: &self.generator)).map { _ in self.audience(depth: depth - 1) })
        default: return .not(self.audience(depth: depth - 1))
        }
    }

    private mutating func chance() -> Bool { Bool.random(using: &self.generator) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self.generator)]
    }
}
