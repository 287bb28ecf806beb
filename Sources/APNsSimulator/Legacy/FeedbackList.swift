// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import DequeModule
import NIOCore
import NIOTLS

/// The next response of the feedback service: tokens of an app to which pushes failed because they are unregistered.
///
/// The latest 100,000 tokens of each app are kept.
struct FeedbackList: Sendable, Equatable {
    /// The maximum number of tokens per app.
    static let maximumEntries = 100_000

    /// A token that is unregistered.
    struct Entry: Sendable, Codable, Hashable {
        /// The time of the first failed push, in seconds since 1970.
        var seconds: UInt32
        var token: [UInt8]
    }

    /// The tokens of one topic, in the order in which they were added.
    private struct Topic: Sendable, Equatable {
        var entries: Deque<Entry> = []
        var tokens: Set<[UInt8]> = []

        mutating func add(_ entry: Entry) {
            guard self.tokens.insert(entry.token).inserted else { return }
            self.entries.append(entry)
            guard self.entries.count > FeedbackList.maximumEntries, let oldest = self.entries.popFirst() else { return }
            self.tokens.remove(oldest.token)
        }
    }

    private var topics: [String: Topic] = [:]

    init() {}

    /// Adds a token; a token that is already listed keeps its entry.
    mutating func add(_ token: [UInt8], topic: String, seconds: UInt32) {
        self.topics[topic, default: Topic()].add(Entry(seconds: seconds, token: token))
    }

    /// Hands over the list of a topic, which is empty from then on.
    mutating func take(topic: String) -> [Entry] {
        self.topics.removeValue(forKey: topic).map { Array($0.entries) } ?? []
    }

    /// The bytes of entries on the wire: `timestamp u32 | token length u16 | token`, big-endian.
    static func bytes(_ entries: [Entry]) -> [UInt8] {
        entries.flatMap { entry in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: entry.seconds >> $0) }
                + [8, 0].map { UInt8(truncatingIfNeeded: entry.token.count >> $0) } + entry.token
        }
    }
}

/// Written as the lists by their topics.
extension FeedbackList: Codable {
    init(from decoder: any Decoder) throws {
        let lists = try decoder.singleValueContainer().decode([String: [Entry]].self)
        for (topic, entries) in lists {
            for entry in entries { self.topics[topic, default: Topic()].add(entry) }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.topics.mapValues(\.entries))
    }
}

/// One connection to the feedback service: the list of the certificate's app, then the end.
final class FeedbackConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let core: SimulatorCore

    init(core: SimulatorCore) {
        self.core = core
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        if let certificate = LegacyServer.certificate(of: context), let topic = certificate.bundleID,
            certificate.environments.contains(self.core.configuration.environment)
        {
            let entries = self.core.withWorld { $0.feedback.take(topic: topic) }
            if !entries.isEmpty {
                context.writeAndFlush(
                    self.wrapOutboundOut(ByteBuffer(bytes: FeedbackList.bytes(entries))),
                    promise: nil
                )
            }
        }
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

/// It belongs to one event loop and never leaves it.
@available(*, unavailable)
extension FeedbackConnection: Sendable {}
