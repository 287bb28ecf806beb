// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension Audience {
    /// Whether a device belongs to an audience in which there is no publication.
    public func matches(_ device: Device) -> Bool { self.matches(device) { _ in false } }

    /// Whether a device belongs to the audience.
    ///
    /// This is what every store's translation has to agree with.
    /// - Parameters:
    ///   - device: the device.
    ///   - isSubscribed: whether the device gets a publication, which is not known from the device alone.
    /// - Returns: whether it does.
    public func matches(_ device: Device, isSubscribed: (SubscriberRule) -> Bool) -> Bool {
        let profile = device.profile
        return switch self {
        case .all: true
        case .topic(let topic): profile.topics.contains { $0.hasSameBytes(as: topic) }
        case .tag(let rule): rule.holds(for: profile.tags)
        case .locale(let range): profile.locale.map(range.contains) ?? false
        case .timeZone(let name): profile.timeZone?.hasSameBytes(as: name) ?? false
        case .platform(let platform): profile.platform?.rawValue.hasSameBytes(as: platform.rawValue) ?? false
        case .appVersion(let range): profile.appVersion.flatMap { AppVersion($0) }.map(range.contains) ?? false
        case .users(let users): users.contains { $0.rawValue.hasSameBytes(as: profile.userID?.rawValue ?? "") }
        case .environment(let environment): device.environment == environment
        case .seen(let span): span.contains(device.seenAt)
        case .registered(let span): span.contains(device.registeredAt)
        case .subscribers(let rule): isSubscribed(rule)
        case .and(let parts): parts.allSatisfy { $0.matches(device, isSubscribed: isSubscribed) }
        case .or(let parts): parts.contains { $0.matches(device, isSubscribed: isSubscribed) }
        case .not(let part): !part.matches(device, isSubscribed: isSubscribed)
        }
    }
}
