// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Metrics
import PushModel

/// The messages of a chunk by app, their results, and the responses to those that are requests.
struct ProxyChunkResult {
    /// The messages of one app.
    struct Group {
        let app: App
        fileprivate(set) var batches: ItemBatcher
        fileprivate(set) var count = 0

        /// The peers that wait for a response, and where their messages are.
        fileprivate(set) var waiting: [(peer: [UInt8], place: ItemBatcher.Place)] = []
    }

    private let chunk: ProxyChunk
    private var sorted: [Group] = []
    private(set) var replies: [ProxyListener.Reply] = []

    /// How many messages were stored, and how many were only checked.
    private(set) var stored = 0
    private(set) var tests = 0

    /// The number of messages with a fault of each kind, and the first fault.
    private(set) var faults: [ProxyFault.Kind: (count: Int, first: ProxyFault)] = [:]

    init(_ chunk: ProxyChunk) {
        self.chunk = chunk
    }

    /// The messages to store; each group is passed to ``succeed(_:_:)`` or ``fail(_:_:)``.
    var groups: [Group] { self.sorted.filter { $0.count > 0 } }

    /// Reads all messages.
    ///
    /// - Throws: the error of the store, if it cannot be asked for an app.
    mutating func sort(by directory: ProxyDirectory, now: Date) async throws {
        // The position of a group in `sorted`; `nil` for an unknown app.
        var positions: [String: Int?] = [:]
        for index in 0..<self.chunk.count {
            // Others need this thread too.
            if index % 500 == 499 { await Task.yield() }
            let peer = self.chunk.peers[index]
            let message: ProxyMessage
            do {
                message = try ProxyMessage(self.chunk.bytes, in: self.chunk.range(of: index), now: now)
            } catch {
                self.refuse(error, peer: peer)
                continue
            }
            if positions[message.application] == nil {
                let app = try await directory.app(of: message.application)
                positions[message.application] = .some(app.map { _ in self.sorted.count })
                if let app { self.sorted.append(Group(app: app, batches: ItemBatcher(app: app))) }
            }
            if case .some(.some(let position)) = positions[message.application] {
                self.add(message, to: position, peer: peer)
            } else {
                self.refuse(.unknownApp, peer: peer)
            }
        }
    }

    private mutating func add(_ message: ProxyMessage, to position: Int, peer: [UInt8]?) {
        if let fault = message.sizeFault { return self.refuse(fault, peer: peer) }
        if message.isTest {
            self.tests += 1
            self.reply("OK", to: peer)
            return
        }
        let place = self.sorted[position].batches.add(
            token: self.chunk.bytes[message.token],
            headers: message.headers,
            payload: message.payload[...]
        )
        guard let place else {
            let fault = ProxyFault(.invalid, "token: expected \(ProxyMessage.tokenDigits) hexadecimal digits")
            return self.refuse(fault, peer: peer)
        }
        self.sorted[position].count += 1
        if let peer { self.sorted[position].waiting.append((peer, place)) }
    }

    /// The messages of a group are stored as `plan`.
    mutating func succeed(_ group: Group, _ plan: BatchedNotification) {
        self.stored += group.count
        for (peer, place) in group.waiting {
            self.reply("OK \(plan.batches[place.ordinal].id.apnsID(at: place.index))", to: peer)
        }
    }

    /// The messages of a group could not be stored.
    mutating func fail(_ group: Group, _ error: any Error) {
        let fault = ProxyFault(error)
        self.count(fault, times: group.count)
        for (peer, _) in group.waiting { self.replies.append(.init(peer: peer, body: fault.response)) }
    }

    /// No message could be read.
    mutating func failAll(_ error: any Error) {
        let fault = ProxyFault(error)
        for index in 0..<self.chunk.count { self.refuse(fault, peer: self.chunk.peers[index]) }
    }

    private mutating func refuse(_ fault: ProxyFault, peer: [UInt8]?) {
        self.count(fault, times: 1)
        if let peer { self.replies.append(.init(peer: peer, body: fault.response)) }
    }

    private mutating func count(_ fault: ProxyFault, times: Int) {
        self.faults[fault.kind, default: (0, fault)].count += times
    }

    private mutating func reply(_ text: String, to peer: [UInt8]?) {
        if let peer { self.replies.append(.init(peer: peer, body: Array(text.utf8))) }
    }
}

/// Counts messages by result.
struct ProxyMetrics: Sendable {
    private let stored: Counter
    private let tests: Counter
    private let faults: [ProxyFault.Kind: Counter]

    init(_ factory: any MetricsFactory) {
        func counter(_ result: String) -> Counter {
            Counter(label: "apus_proxy_messages_total", dimensions: [("result", result)], factory: factory)
        }
        self.stored = counter("stored")
        self.tests = counter("test")
        let kinds = ProxyFault.Kind.allCases.map { ($0, counter($0.rawValue)) }
        self.faults = Dictionary(uniqueKeysWithValues: kinds)
    }

    func count(_ result: ProxyChunkResult) {
        if result.stored > 0 { self.stored.increment(by: result.stored) }
        if result.tests > 0 { self.tests.increment(by: result.tests) }
        for (kind, fault) in result.faults { self.faults[kind]?.increment(by: fault.count) }
    }
}
