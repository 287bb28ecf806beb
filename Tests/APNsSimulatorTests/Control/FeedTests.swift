// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@Suite("Control API: the feeds", .timeLimit(.minutes(20)))
struct FeedTests {
    private static let app = Provider.app

    /// A simulator that keeps what it tells of.
    private static func withHistory(
        _ limit: Int = 100,
        buffer: Int = 10_000,
        _ body: (APNsSimulator, ControlClient) async throws -> Void
    ) async throws {
        var configuration = APNsSimulatorConfiguration(deliveryBuffer: buffer)
        configuration.feedHistory = limit
        let logger = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withAPNsSimulator(configuration, logger: logger) { try await body($0, ControlClient($0)) }
    }

    /// The lines of an answer that ends.
    private static func lines(_ control: ControlClient, _ path: String) async throws -> [[String: Any]] {
        let answer = try await control.send("GET", path)
        #expect(answer.status == 200, "\(path)")
        return try String(decoding: answer.body, as: UTF8.self).split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test("what is kept can be asked for afterwards, by device, by app and by number")
    func filters() async throws {
        try await Self.withHistory { simulator, control in
            let other = "com.example.other"
            let (first, second) = (
                try simulator.bootDevice(apps: [Self.app]), try simulator.bootDevice(apps: [Self.app, other])
            )
            let provider = try await Provider(simulator)
            try await provider.push(to: first)
            try await provider.push(to: second)
            try await provider.push(to: second, app: other)
            let path = "/v1/deliveries?follow=false"
            func sequences(_ query: String) async throws -> [Int] {
                try await Self.lines(control, path + query).compactMap { $0["sequence"] as? Int }
            }
            #expect(try await sequences("") == [1, 2, 3])
            #expect(try await sequences("&device=\(second.id)") == [2, 3])
            #expect(try await sequences("&device=\(first.id),\(second.id)") == [1, 2, 3])
            #expect(try await sequences("&bundleID=\(other)") == [3])
            #expect(try await sequences("&device=\(first.id)&bundleID=\(other)") == [])
            #expect(try await sequences("&since=2") == [3])
            await provider.client.close()
        }
    }

    @Test("a reader that comes back says what it saw last, and misses nothing", arguments: [true, false])
    func resumption(isEventStream: Bool) async throws {
        try await Self.withHistory { simulator, control in
            let device = try simulator.bootDevice(apps: [Self.app])
            let provider = try await Provider(simulator)
            for _ in 0..<3 { try await provider.push(to: device) }
            var request = HTTPClientRequest(url: control.base + "/v1/deliveries" + (isEventStream ? "" : "?since=1"))
            if isEventStream {
                request.headers.add(name: "accept", value: "text/event-stream")
                request.headers.add(name: "last-event-id", value: "1")
            }
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
            try await provider.push(to: device)
            var text = ""
            for try await buffer in response.body {
                text += String(buffer: buffer)
                if text.contains("\"sequence\":4") { break }
            }
            let seen = (1...4).filter { text.contains("\"sequence\":\($0)") }
            #expect(seen == [2, 3, 4])
            if isEventStream { #expect(text.contains("event: delivery\nid: 2\ndata: {")) }
            await provider.client.close()
        }
    }

    @Test("events tell what became of a notification, and can be narrowed down to a kind")
    func events() async throws {
        try await Self.withHistory { simulator, control in
            let device = try simulator.bootDevice(apps: [Self.app])
            let provider = try await Provider(simulator)
            let id = try #require(try await provider.push(to: device).headers["apns-id"])
            let all = try await Self.lines(control, "/v1/events?follow=false")
            let kinds = Set(all.compactMap { $0["kind"] as? String })
            #expect(kinds.contains("delivered"))
            let delivered = try await Self.lines(control, "/v1/events?follow=false&kind=delivered&device=\(device.id)")
            #expect(delivered.count == 1)
            #expect((delivered.first?["apnsID"] as? String)?.lowercased() == id.lowercased())
            #expect(delivered.first?["bundleID"] as? String == Self.app)
            #expect(try await Self.lines(control, "/v1/events?follow=false&kind=expired").isEmpty)
            await provider.client.close()
        }
    }

    @Test(
        "a question that makes no sense is a problem that names the parameter",
        arguments: [
            ("/v1/deliveries?kind=delivered", "kind"), ("/v1/deliveries?since=x", "since"),
            ("/v1/events?follow=maybe", "follow"), ("/v1/events?buffer=0", "buffer"),
            ("/v1/events?colour=red", "colour"),
        ]
    )
    func badQuestion(path: String, field: String) async throws {
        try await withTestSimulator { simulator in
            let answer = try await ControlClient(simulator).send("GET", path)
            #expect(answer.status == 400)
            #expect(answer.contentType == "application/problem+json")
            #expect(answer.string("field") == field)
        }
    }

    @Test("a reader that takes nothing, or is gone without a word, never holds up the provider side")
    func lostReaders() async throws {
        try await Self.withHistory(0, buffer: 4) { simulator, _ in
            var readers: [any Channel] = []
            for path in ["/v1/deliveries", "/v1/events"] {
                readers.append(try await Self.silentReader(simulator, path))
                let gone = try await Self.silentReader(simulator, path)
                try await gone.close()
            }
            let device = try simulator.bootDevice(apps: [Self.app])
            let provider = try await Provider(simulator)
            let body = Array("{\"aps\":{\"alert\":\"x\"},\"filler\":\"\(String(repeating: "f", count: 3900))\"}".utf8)
            for _ in 0..<1500 {
                let response = try await provider.push(to: device, body: body)
                #expect(response.status == "200")
            }
            #expect(simulator.statistics.delivered == 1500)
            #expect(simulator.statistics.missedDeliveries > 0)
            await provider.client.close()
            for reader in readers { try await reader.close() }
        }
    }

    /// Asks for a feed, hears the head of the answer, and then reads nothing more.
    private static func silentReader(_ simulator: APNsSimulator, _ path: String) async throws -> any Channel {
        let heard = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Void.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.socketOption(.so_rcvbuf), value: 4096)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FirstWordOnly(heard: heard))
                }
            }
            .connect(host: "127.0.0.1", port: simulator.controlPort).get()
        try await channel.writeAndFlush(ByteBuffer(string: "GET \(path) HTTP/1.1\r\nhost: localhost\r\n\r\n"))
        try await heard.futureResult.get()
        return channel
    }
}

/// Hears the first bytes, then stops reading.
private final class FirstWordOnly: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let heard: EventLoopPromise<Void>
    private var hasHeard = false

    init(heard: EventLoopPromise<Void>) {
        self.heard = heard
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.hasHeard = true
        self.heard.succeed()
    }

    func read(context: ChannelHandlerContext) {
        if !self.hasHeard { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.heard.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
