// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@Suite("Control API: paths, queries and connections", .timeLimit(.minutes(20)))
struct ControlRouteTests {
    private static let app = "com.example.app"

    @Test(
        "segments of a path are decoded",
        arguments: [("ride%207", "ride 7"), ("a%2Fb", "a/b"), ("50%25", "50%"), ("x%2By", "x+y"), ("x+y", "x+y")]
    )
    func segments(segment: String, name: String) async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let path = "/v1/apps/\(Self.app)/activity-types/\(segment)"
            let shape = #"{"contentState":{"type":"object","properties":{}}}"#
            let registered = try await control.send("PUT", path, shape)
            #expect(registered.string("name") == name)
            #expect(simulator.activityTypes(of: Self.app).map(\.name) == [name])
            let removed = try await control.send("DELETE", path)
            #expect(removed.status == 204)
        }
    }

    @Test("in a query a plus sign is a space", arguments: [("a+b", "a b"), ("a%20b", "a b"), ("a%2Bb", "a+b")])
    func query(value: String, identifier: String) async throws {
        try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            let client = try await ProviderTestClient(simulator)
            let token = try #require(device.token(Self.app)).hex
            let fields = try PushRequest.fields(simulator, token: token, others: [("apns-collapse-id", identifier)])
            #expect(try await client.send(fields, body: PushRequest.body).status == "200")
            await client.close()
            let path = "/v1/devices/\(device.id)/shown?identifier=\(value)"
            #expect(try await ControlClient(simulator).send("DELETE", path).json["removed"] as? Int == 1)
        }
    }

    @Test("a parameter that is misspelt clears nothing")
    func misspelt() async throws {
        try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            let provider = try await Provider(simulator)
            try await provider.push(to: device)
            await provider.client.close()
            let path = "/v1/devices/\(device.id)/shown?identifer=zzz"
            #expect(try await ControlClient(simulator).send("DELETE", path).status == 400)
            #expect(simulator.device(device.id)?.shown.count == 1)
        }
    }

    @Test("another method is answered with those that there are, and HEAD is as GET without a body")
    func methods() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let refused = try await control.send("PUT", "/v1/clock", "{}")
            #expect(refused.status == 405)
            #expect(refused.headers["allow"] == "GET, HEAD, PATCH")
            let head = try await control.send("HEAD", "/healthz")
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(try await control.send("HEAD", "/v1/info?x=1").status == 400)
        }
    }

    @Test("what happened to one device has no number of the feed")
    func deviceEvents() async throws {
        try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            try simulator.setOnline(false, device.id)
            let path = "/v1/devices/\(device.id)/events"
            let events = try await ControlClient(simulator).send("GET", path).objects("events")
            #expect(!events.isEmpty)
            #expect(events.allSatisfy { $0["sequence"] == nil && $0["kind"] is String })
        }
    }

    @Test(
        "a connection on which no whole request comes is closed, and that is no error of the simulator's",
        arguments: [
            "", "GET /healthz HTT", "GET /healthz HTTP/1.1\r\nhost: localhost\r\n",
            "POST /v1/devices HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
                + "content-length: 99\r\n\r\n{",
        ]
    )
    func halfOpen(text: String) async throws {
        let log = RecordedLog()
        var configuration = APNsSimulatorConfiguration()
        configuration.controlIdleTimeout = .milliseconds(100)
        try await withAPNsSimulator(configuration, logger: Logger(label: "test") { _ in log }) { simulator in
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: simulator.controlPort).get()
            // On a busy machine it may be closed by now.
            try? await channel.writeAndFlush(ByteBuffer(string: text))
            try await channel.closeFuture.get()
        }
        #expect(log.errors.isEmpty)
    }
}

/// Keeps what is logged as an error.
private final class RecordedLog: LogHandler {
    private let messages = Mutex<[String]>([])

    var errors: [String] { self.messages.withLock { $0 } }

    func log(event: LogEvent) {
        if event.level >= .error { self.messages.withLock { $0.append("\(event.message)") } }
    }

    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    var logLevel: Logger.Level {
        get { .debug }
        set {}
    }
}
