// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A channel as it is written.
struct ChannelBody: Encodable {
    let app: String
    let name: String
    let id: String?
    let environment: APNsEnvironment
    let messageStorage: String
    let state: String
    let createdAt: Date

    /// Whether APNs has it; `nil` when nobody has asked, or nobody knows its identifier.
    let isAtAPNs: Bool?

    init(_ channel: BroadcastChannel, isAtAPNs: Bool? = nil) {
        self.app = channel.app.rawValue
        self.name = channel.name.rawValue
        self.id = channel.channelID?.rawValue
        self.environment = channel.environment
        self.messageStorage = channel.policy.word
        switch channel.state {
        case .creating: self.state = "creating"
        case .active: self.state = "active"
        case .deleting: self.state = "deleting"
        }
        self.createdAt = channel.createdAt
        self.isAtAPNs = isAtAPNs
    }
}

/// The channels of an app in one environment as they are written.
struct ChannelListBody: Encodable {
    /// Why APNs could not be asked.
    struct Trouble: Encodable {
        let code: String
        let detail: String

        init(_ problem: Problem) {
            self.code = problem.code.rawValue
            self.detail = problem.detail
        }
    }

    let environment: APNsEnvironment
    let channels: [ChannelBody]

    /// What APNs has and nobody here knows; `nil` when APNs could not be asked.
    let unknown: [String]?

    /// Why APNs could not be asked; `nil` when it could.
    let trouble: Trouble?

    /// What is known here, beside what APNs has.
    init(_ channels: [BroadcastChannel], in environment: APNsEnvironment, atAPNs ids: [APNsChannelID]) {
        let known = Set(channels.compactMap(\.channelID))
        let found = Set(ids)
        self.environment = environment
        self.channels = channels.map { channel in
            ChannelBody(channel, isAtAPNs: channel.channelID.map { found.contains($0) })
        }
        self.unknown = ids.filter { !known.contains($0) }.map(\.rawValue)
        self.trouble = nil
    }

    /// What is known here, and why there is nothing beside it.
    init(_ channels: [BroadcastChannel], in environment: APNsEnvironment, but problem: Problem) {
        self.environment = environment
        self.channels = channels.map { ChannelBody($0) }
        self.unknown = nil
        self.trouble = Trouble(problem)
    }
}
