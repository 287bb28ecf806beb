// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A channel that is to be made, or taken in.
struct ChannelRequest: Sendable {
    static let members = ["name", "environment", "messageStorage", "id"]

    var name: ChannelName
    var environment: APNsEnvironment?
    var policy: MessageStoragePolicy?

    /// APNs' identifier of one that is there already.
    var id: APNsChannelID?

    /// Reads the body of a request.
    init(_ body: [UInt8]) throws(Problem) {
        var name: ChannelName?
        var environment: APNsEnvironment?
        var policy: MessageStoragePolicy?
        var id: APNsChannelID?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "name": name = try reader.value(path, ChannelName.init(validating:))
            case "environment": environment = try reader.oneOf(APNsEnvironment.self, path)
            case "messageStorage": policy = try reader.oneOf(MessageStorageWord.self, path)?.policy
            default: id = try reader.value(path, APNsChannelID.init(_:))
            }
        } finish: { reader in
            reader.require(name, "name").map {
                ChannelRequest(name: $0, environment: environment, policy: policy, id: id)
            }
        }
    }

    private init(name: ChannelName, environment: APNsEnvironment?, policy: MessageStoragePolicy?, id: APNsChannelID?) {
        self.name = name
        self.environment = environment
        self.policy = policy
        self.id = id
    }
}

/// What a channel keeps for phones that are offline, as it is written.
enum MessageStorageWord: String, CaseIterable {
    /// Nothing.
    case none

    /// The most recent message.
    case newest

    var policy: MessageStoragePolicy {
        switch self {
        case .none: .noMessage
        case .newest: .newestMessage
        }
    }
}

extension MessageStoragePolicy {
    /// How it is written.
    var word: String {
        switch self {
        case .noMessage: MessageStorageWord.none.rawValue
        case .newestMessage: MessageStorageWord.newest.rawValue
        }
    }
}
