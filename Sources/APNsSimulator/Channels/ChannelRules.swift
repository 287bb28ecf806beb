// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The rules of broadcasts and of channel management, in the order in which they are applied.
///
/// Authentication comes first and the channel after it, as Apple says; the steps between are not documented.
struct ChannelRules: Sendable {
    /// How many bytes the text of a channel's identifier may have.
    private static let maximumID = 128

    let provider: ProviderRules

    private var switches: ChannelOptions { self.provider.switches.channels }

    /// Validates a request.
    ///
    /// - Returns: the requested operation.
    /// - Throws: ``RuleViolation`` with the reason of the first broken rule.
    func judge(
        _ request: RequestHead,
        service: ProviderService,
        trust: inout ConnectionAuthentication,
        world: inout SimulatorState,
        now: Double
    ) throws(RuleViolation) -> ChannelOperation {
        guard let text = request.value(.path) else { throw RuleViolation(.badPath) }
        if text.contains(UInt8(ascii: "?")) { throw RuleViolation(.badRequestParams) }
        guard let path = ChannelPath(text, service: service) else { throw RuleViolation(.badPath) }
        let method = try Self.method(request, path)
        if request.hasDuplicates { throw RuleViolation(.badRequestParams) }
        try self.provider.authenticate(request, trust: &trust, world: &world, now: now)
        try self.checkApp(path.bundleID, trust: trust, world: world)
        if Self.requestID(request) == .malformed { throw RuleViolation(.badMessageID) }
        switch path {
        case .allChannels(let bundleID): return .list(bundleID: bundleID)
        case .channels(let bundleID) where method == .create:
            return .create(bundleID: bundleID, policy: try Self.policy(request))
        case .channels(let bundleID):
            let channel = try self.channel(request, bundleID, world: world).key
            return method == .read ? .read(channel) : .delete(channel)
        case .broadcast(let bundleID):
            return try self.broadcast(request, bundleID, world: &world, now: now)
        }
    }

    /// `apns-request-id`, or `apns-id` in its place, as one of Apple's samples has it.
    static func requestID(_ request: RequestHead) -> ParsedRequestHeaders.Field<APNsID> {
        guard let text = request.value(.requestID) ?? request.value(.apnsID) else { return .absent }
        return APNsID(canonicalUTF8: text).map { .value($0) } ?? .malformed
    }

    private enum Method {
        case create, read, delete
    }

    private static func method(_ request: RequestHead, _ path: ChannelPath) throws(RuleViolation) -> Method {
        guard let method = request.value(.method) else { throw RuleViolation(.methodNotAllowed) }
        switch path {
        case .broadcast where method.equals("POST"), .channels where method.equals("POST"): return .create
        case .channels where method.equals("GET"), .allChannels where method.equals("GET"): return .read
        case .channels where method.equals("DELETE"): return .delete
        default: throw RuleViolation(.methodNotAllowed)
        }
    }

    /// The app has to be one, without a suffix; the credential's; and one with the broadcast capability.
    private func checkApp(
        _ bundleID: String,
        trust: ConnectionAuthentication,
        world: borrowing SimulatorState
    ) throws(RuleViolation) {
        let bytes = Array(bundleID.utf8)
        let isTopic = (try? Topic(bundleID)) != nil
        guard isTopic, PushTypeRules.bundleID(of: bundleID) == bundleID else { throw RuleViolation(.topicDisallowed) }
        if let certificate = trust.certificate {
            guard certificate.topics.contains(bytes) else { throw RuleViolation(.topicMismatch) }
        } else if let key = trust.token?.key {
            if case .topics(let topics) = key.scope, !topics.contains(bytes) { throw RuleViolation(.topicMismatch) }
            guard case .allowed = world.teams.standing(of: bytes, team: key.teamID, boundAt: trust.teamsRevision) else {
                throw RuleViolation(.topicMismatch)
            }
        }
        guard world.channels.isEnabled(bundleID, self.switches) else { throw RuleViolation(.featureNotEnabled) }
    }

    /// The channel that `apns-channel-id` names.
    private func channel(
        _ request: RequestHead,
        _ bundleID: String,
        world: borrowing SimulatorState
    ) throws(RuleViolation) -> ChannelRecord {
        guard let text = request.value(.channelID), !text.isEmpty else { throw RuleViolation(.missingChannelID) }
        let id = String(decoding: text, as: UTF8.self)
        guard text.count <= Self.maximumID, Data(base64Encoded: id) != nil else { throw RuleViolation(.badChannelID) }
        let key = ChannelKey(bundleID: bundleID, environment: self.provider.environment, id: id)
        guard let channel = world.channels[key], !channel.isDeleted else { throw RuleViolation(.channelNotRegistered) }
        return channel
    }

    // MARK: Broadcasts

    private func broadcast(
        _ request: RequestHead,
        _ bundleID: String,
        world: inout SimulatorState,
        now: Double
    ) throws(RuleViolation) -> ChannelOperation {
        let channel = try self.channel(request, bundleID, world: world)
        guard let pushType = request.value(.pushType), !pushType.isEmpty else { throw RuleViolation(.missingPushType) }
        guard String(decoding: pushType, as: UTF8.self).lowercased() == PushType.liveactivity.rawValue else {
            throw RuleViolation(.invalidPushType)
        }
        let facts = ParsedRequestHeaders(request, switches: self.provider.switches)
        guard let expiration = facts.expiration.value else { throw RuleViolation(.badExpirationDate) }
        if expiration != 0, channel.policy == .noMessageStored { throw RuleViolation(.badExpirationDate) }
        guard let priority = facts.priority.value else { throw RuleViolation(.badPriority) }
        if priority == Priority.neverWake.rawValue, self.switches.lowestPriority == .reject {
            throw RuleViolation(.badPriority)
        }
        try Self.checkBody(request)
        guard JSONValidator.isObject(request.body) else { throw RuleViolation(.badRequestPayload) }
        let limit =
            channel.policy == .noMessageStored
            ? self.switches.unstoredHourlyBudget : self.switches.storedHourlyBudget
        guard world.channels.change(channel.key, { $0.admit(hourly: limit, now: now) }) ?? false else {
            throw RuleViolation(.tooManyRequests)
        }
        return .broadcast(channel.key, priority: priority, expiration: expiration)
    }

    private static func checkBody(_ request: RequestHead) throws(RuleViolation) {
        guard request.bodyCount > 0 else { throw RuleViolation(.payloadEmpty) }
        guard request.bodyCount <= PayloadLimit.broadcast else { throw RuleViolation(.payloadTooLarge) }
    }

    // MARK: Channels

    /// The storage policy that the body of a create request names.
    private static func policy(_ request: RequestHead) throws(RuleViolation) -> ChannelStoragePolicy {
        try self.checkBody(request)
        guard case .object(var members)? = try? JSONValue(json: Array(request.body)) else {
            throw RuleViolation(.badRequestPayload)
        }
        let pushType = members.removeValue(forKey: "push-type")
        guard case .integer(let number)? = members.removeValue(forKey: "message-storage-policy"),
            let policy = ChannelStoragePolicy(rawValue: Int(number)), members.isEmpty
        else { throw RuleViolation(.badRequestParams) }
        switch pushType {
        case nil: throw RuleViolation(.missingPushType)
        case .string(let name)? where name.lowercased() == PushType.liveactivity.rawValue: return policy
        default: throw RuleViolation(.invalidPushType)
        }
    }
}

/// The operation of a valid broadcast or channel management request.
enum ChannelOperation: Equatable, Sendable {
    case create(bundleID: String, policy: ChannelStoragePolicy)
    case read(ChannelKey)
    case delete(ChannelKey)
    case list(bundleID: String)
    /// `expiration` in seconds since 1970; 0 is one attempt.
    case broadcast(ChannelKey, priority: Int, expiration: Int64)
}

/// The parsed `:path` of a broadcast or channel management request.
enum ChannelPath: Equatable {
    /// `/4/broadcasts/apps/<bundle id>`, on the provider port.
    case broadcast(bundleID: String)
    /// `/1/apps/<bundle id>/channels`, on the port of channel management.
    case channels(bundleID: String)
    /// `/1/apps/<bundle id>/all-channels`, on the port of channel management.
    case allChannels(bundleID: String)

    private static let broadcastPrefix: StaticString = "/4/broadcasts/apps/"

    /// Whether a path on the provider port is one for broadcasts: one look for all others.
    static func isBroadcast(_ path: UnsafeBufferPointer<UInt8>?) -> Bool {
        guard let path, path.count > 1, path[1] == UInt8(ascii: "4") else { return false }
        return path.hasPrefix(Self.broadcastPrefix)
    }

    /// Reads a path of either port; `nil` for one that is served at none.
    init?(_ path: UnsafeBufferPointer<UInt8>) {
        for service in [ProviderService.pushes, .channelManagement] {
            guard let read = ChannelPath(path, service: service) else { continue }
            self = read
            return
        }
        return nil
    }

    /// Reads a path of one of the two ports; `nil` for one that is not served there.
    init?(_ path: UnsafeBufferPointer<UInt8>, service: ProviderService) {
        let parts = String(decoding: path, as: UTF8.self).split(separator: "/", omittingEmptySubsequences: false)
        switch service {
        case .pushes:
            guard parts.count == 5, parts[0].isEmpty, parts[1...3] == ["4", "broadcasts", "apps"] else { return nil }
            self = .broadcast(bundleID: String(parts[4]))
        case .channelManagement:
            guard parts.count == 5, parts[0].isEmpty, parts[1...2] == ["1", "apps"] else { return nil }
            switch parts[4] {
            case "channels": self = .channels(bundleID: String(parts[3]))
            case "all-channels": self = .allChannels(bundleID: String(parts[3]))
            default: return nil
            }
        }
    }

    var bundleID: String {
        switch self {
        case .broadcast(let bundleID), .channels(let bundleID), .allChannels(let bundleID): bundleID
        }
    }
}
