// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import PushModel
import Telemetry
import Testing

@testable import PushAPI

@Suite("Clients that are slow or many", .timeLimit(.minutes(20)))
struct ConnectionLimitTests {
    private static func setup(_ change: (inout ConnectionLimits) -> Void) -> TestSetup {
        var setup = TestSetup()
        setup.hasSocket = true
        change(&setup.configuration.connections)
        return setup
    }

    @Test("that begin requests and never end them do not keep others out")
    func slowHeads() async throws {
        try await withAPI(Self.setup { $0.maximum = 20 }) { api async throws in
            var slow: [RawClient] = []
            for _ in 0..<40 {
                let client = try await RawClient(api)
                try await client.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-")
                slow.append(client)
            }
            #expect(try await api.call(.get, "/healthz", key: "").status == 200)
            #expect(try await api.call(.get, "/v1/apps").status == 200)
            // The first ones were closed in favor of later ones.
            #expect(await slow[0].read(until: "never") == "")
            for client in slow { try? await client.channel.close() }
        }
    }

    @Test("keep their connections once they have shown a valid key")
    func proven() async throws {
        try await withAPI(Self.setup { $0.maximum = 20 }) { api async throws in
            let client = try await RawClient(api)
            let key = "Authorization: Bearer \(api.admin.text)"
            try await client.begin("GET /v1/apps", key)
            #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            var others: [RawClient] = []
            for _ in 0..<40 { others.append(try await RawClient(api)) }
            try await client.begin("GET /v1/apps", key)
            #expect(await client.read(until: "\r\n\r\n").contains("HTTP/1.1 200 "))
            for client in others + [client] { try? await client.channel.close() }
        }
    }

    @Test("are answered 408 when a body does not come, which is counted and logged, and the connection is closed")
    func slowBody() async throws {
        var setup = Self.setup {
            $0.slowBody = .milliseconds(200)
            $0.bodyBytesPerSecond = 1 << 20
        }
        let registry = MetricsRegistry()
        setup.metrics = registry
        let (logs, recorder) = AsyncStream.makeStream(of: LogRecorder.self)
        try await withAPI(setup) { api async throws in
            recorder.yield(api.logs)
            let client = try await RawClient(api)
            try await client.begin("POST /v1/apps", "Authorization: Bearer \(api.admin.text)", "Content-Length: 1000")
            try await client.write("{")
            let answer = await client.read(until: "never")
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
            #expect(answer.contains(#""code":"request_timeout""#))
        }
        // The server has stopped, so it has counted what it answered.
        let counted = #"apus_http_requests_total{method="POST",route="/v1/apps",status="408"} 1"#
        #expect(registry.text().contains(counted), "\(registry.text())")
        let entries = try #require(await logs.first { _ in true }).entries
        let logged = try #require(entries.first { $0.metadata["problem.code"] == "request_timeout" })
        #expect(logged.metadata["http.route"] == "/v1/apps")
    }

    @Test("are closed when a stream stays idle, and when no request comes", arguments: [true, false])
    func idle(isStream: Bool) async throws {
        let setup = Self.setup {
            $0.idle = .milliseconds(300)
            $0.idleStream = .milliseconds(300)
        }
        try await withAPI(setup) { api async throws in
            let client = isStream ? try await RawClient.stream(api, query: "") : try await RawClient(api)
            #expect(await client.read(until: "never").contains("200 OK") == isStream)
        }
    }

    @Test("are not closed while the server works on their request")
    func busy() async throws {
        var setup = Self.setup { $0.idle = .milliseconds(200) }
        setup.configuration.maximumWait = .seconds(1)
        try await withAPI(setup) { api async throws in
            let path = "/v1/apps/\(TestAPI.app)/notifications?wait=true"
            let answer = try await api.call(.post, path, #"{"targets":{"tokens":["ab"]},"payload":{}}"#)
            #expect(answer.status == 202)
        }
    }

    @Test("whose request is refused early have their connection closed, and get the answer all the same")
    func earlyRefusal() async throws {
        try await withAPI(Self.setup { _ in }) { api async throws in
            let client = try await RawClient(api)
            try await client.begin("POST /v1/apps", "Content-Length: 1000000000")
            for _ in 0..<8 { try? await client.write(String(repeating: " ", count: 64 << 10)) }
            let answer = await client.read(until: "never")
            #expect(answer.hasPrefix("HTTP/1.1 401 "))
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test("whose refused request has little left keep their connection")
    func smallRefusal() async throws {
        try await withAPI(Self.setup { _ in }) { api async throws in
            let client = try await RawClient(api)
            try await client.begin("POST /v1/apps", "Content-Length: 2")
            #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 401 "))
            try await client.write("{}")
            try await client.begin("GET /healthz")
            #expect(await client.read(until: "ok").contains("HTTP/1.1 200 "))
            try await client.channel.close()
        }
    }

    @Test("may send several requests at once, which are answered in turn")
    func pipelined() async throws {
        try await withAPI(Self.setup { _ in }) { api async throws in
            let client = try await RawClient(api)
            try await client.write(
                String(repeating: "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 3)
                    + "POST /v1/apps HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n"
            )
            var answers = await client.read(until: "401")
            #expect(answers.split(separator: "HTTP/1.1 200").count == 3)
            try await client.write("{}GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answers = await client.read(until: "application/yaml")
            #expect(answers.contains("HTTP/1.1 200"))
            try await client.channel.close()
        }
    }

    @Test("of one address get half of all connections, and those of this machine as many as they want")
    func addresses() throws {
        var limits = ConnectionLimits()
        limits.maximum = 20
        let connections = ClientConnections(limits, logger: Logger(label: "test"))
        func open(_ text: String) throws -> ClientConnections.Connection? {
            connections.opened(EmbeddedChannel(), from: ClientAddress(try SocketAddress(ipAddress: text, port: 1)))
        }
        func isAccepted(_ text: String) throws -> Bool { try open(text) != nil }
        let first = try #require(try open("2001:db8::1"))
        for number in 2...10 { #expect(try isAccepted("2001:db8::\(number)")) }
        #expect(try !isAccepted("2001:db8::11"))
        #expect(try isAccepted("2001:db8:0:1::1"))
        #expect(try isAccepted("192.0.2.1"))
        #expect(
            ClientAddress(try SocketAddress(ipAddress: "::ffff:192.0.2.1", port: 1))
                == ClientAddress(try SocketAddress(ipAddress: "192.0.2.1", port: 2))
        )
        connections.closed(first)
        #expect(try isAccepted("2001:db8::1"))
        for _ in 0..<30 { #expect(try isAccepted("127.0.0.1")) }
    }

    @Test("take memory for all of their bodies, of which a quarter is for small ones, and give it back")
    func memory() {
        let memory = BodyMemory(limit: 1 << 20)
        func take(_ count: Int) -> Bool { BodyMemory.Share(of: memory).take(count) }
        do {
            let large = BodyMemory.Share(of: memory)
            let small = (0..<4).map { _ in BodyMemory.Share(of: memory) }
            withExtendedLifetime((large, small)) {
                #expect(large.take(3 << 18))
                #expect(!take(BodyMemory.small + 1))
                #expect(small.allSatisfy { $0.take(BodyMemory.small) })
                #expect(!take(1))
            }
        }
        #expect(take(3 << 18))
    }

    @Test("of one key take up half of the memory for bodies, and give it back")
    func memoryOfKey() {
        let memory = BodyMemory(limit: 1 << 20)
        let first = BodyMemory.Share(of: memory, key: "a")
        #expect(first.take(BodyMemory.small + 1 << 19))
        #expect(!first.take(1))
        first.giveBack(1)
        #expect(!BodyMemory.Share(of: memory, key: "a").take(BodyMemory.small + 1))
        #expect(BodyMemory.Share(of: memory, key: "b").take(BodyMemory.small + 1))
        first.giveBack(BodyMemory.small + 1 << 19)
        #expect(memory.takenBytes == 0)
        #expect(BodyMemory.Share(of: memory, key: "a").take(1 << 19))
    }

    @Test("are answered 503 when bodies take up all memory that they may")
    func noMemory() async throws {
        try await withAPI(Self.setup { $0.bodyBytes = 100_000 }) { api async throws in
            let large = ByteBuffer(repeating: UInt8(ascii: " "), count: 200_000)
            let answer = try await api.call(.post, "/v1/apps/\(TestAPI.app)/notifications", bytes: large)
            #expect(answer.status == 503)
            #expect(answer.code == "server_busy")
            #expect(try await api.call(.get, "/v1/apps").status == 200)
        }
    }

    @Test("that name keys that do not exist are throttled by address, and all together")
    func strangers() throws {
        let failures = AuthenticationFailures(metrics: MetricsRegistry())
        let now = ContinuousClock.now
        func address(_ text: String) throws -> ClientAddress {
            try #require(ClientAddress(try SocketAddress(ipAddress: text, port: 1)))
        }
        let (first, local) = (try address("192.0.2.1"), try address("127.0.0.1"))
        let (next, last) = (try address("203.0.113.1"), try address("203.0.113.2"))
        #expect((0..<1000).count { _ in failures.admits(first, now: now) } == AuthenticationFailures.burst)
        #expect(failures.admits(local, now: now), "another address has its own burst")
        #expect((0..<1000).count { _ in failures.admits(first, now: now + .seconds(1)) } == 20)
        let others = try (0..<200).map { try address("198.51.100.\($0)") }
        let admitted = others.count { failures.admits($0, now: now + .seconds(10)) }
        #expect(admitted == AuthenticationFailures.totalBurst)
        #expect(!failures.admits(next, now: now + .seconds(10)))
        #expect(failures.admits(last, now: now + .seconds(11)))
    }

    @Test("without a valid key are counted and logged, also at the SNS endpoint")
    func counted() async throws {
        var setup = Self.setup { _ in }
        let registry = MetricsRegistry()
        setup.metrics = registry
        try await withAPI(setup) { api async throws in
            #expect(try await api.call(.get, "/v1/apps", key: APIKeySecret.generate().text).code == "invalid_api_key")
            var caller = try await SNSClient(api)
            caller.secret = "wrong"
            #expect(try await caller.call("ListTopics").status == 403)
            let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let body = ByteBuffer(string: "Action=ListTopics")
            #expect(try await api.client.answer(to: .post, "/", headers: form, body: body).status == 403)
            for (reason, count) in [("invalid_api_key", 2), ("missing_api_key", 1)] {
                let series = #"apus_http_authentication_failures_total{reason="\#(reason)"} \#(count)"#
                #expect(registry.text().contains(series), "\(registry.text())")
            }
            let logged = try #require(api.logs.entries.first { $0.message.contains("without a valid key") })
            #expect(logged.metadata["address"] == "127.0.0.1")
        }
    }

    @Test("without a key give way only beyond an eighth of all connections")
    func reserve() throws {
        var limits = ConnectionLimits()
        limits.maximum = 40
        let connections = ClientConnections(limits, logger: Logger(label: "test"))
        let id = APIKeySecret.generate().id
        let key = APIKey(id: id, name: "", scopes: [.send], secretHash: [], createdAt: TestTime.start)
        func open() -> EmbeddedChannel {
            let channel = EmbeddedChannel()
            try? channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            _ = connections.opened(channel, from: nil)
            return channel
        }
        for _ in 0..<34 { connections.proved(open(), by: key) }
        let strangers = (0..<5).map { _ in open() }
        #expect(strangers.allSatisfy { $0.isActive })
        let last = open()
        #expect(!strangers[0].isActive)
        #expect(last.isActive)
    }

    @Test("that leave their answers unread are disconnected")
    func unread() async throws {
        let setup = Self.setup {
            $0.unreadAnswer = .milliseconds(300)
            $0.idle = .seconds(60)
            $0.slowBody = .milliseconds(300)
        }
        try await withAPI(setup) { api async throws in
            let client = try await RawClient(api)
            try await client.channel.setOption(.autoRead, value: false).get()
            // Far more answers than the buffers of both systems hold, and then as many requests as the server takes. A write
            // waits while the server reads nothing, and fails once the server has closed the connection.
            let requests = String(repeating: "GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 400)
            while (try? await client.write(requests)) != nil {}
            try? await client.channel.close()
        }
    }

    @Test("that ask with HEAD get no body")
    func head() async throws {
        try await withAPI(Self.setup { _ in }) { api async throws in
            let client = try await RawClient(api)
            try await client.begin("HEAD /healthz")
            try await client.begin("GET /healthz")
            let answers = await client.read(until: #"{"status":"ok"}"#)
            #expect(answers.hasPrefix("HTTP/1.1 405"))
            #expect(answers.components(separatedBy: "\r\n\r\n").count == 3, "\(answers)")
            #expect(answers.contains("\r\n\r\nHTTP/1.1 200"), "\(answers)")
            try await client.channel.close()
        }
    }

    @Test("of a path that ends like a stream have a deadline all the same")
    func falseStream() async throws {
        try await withAPI(Self.setup { $0.slowBody = .milliseconds(200) }) { api async throws in
            let client = try await RawClient(api)
            try await client.begin("POST /nothing:stream", "Content-Length: 1000000000")
            #expect(await client.read(until: "never").lowercased().contains("connection: close"))
        }
    }

    @Test("are counted, by route, method and status")
    func metrics() async throws {
        var setup = TestSetup()
        let registry = MetricsRegistry()
        setup.metrics = registry
        try await withAPI(setup) { api async throws in
            try await api.call(.get, "/v1/apps/\(TestAPI.app)")
            try await api.call(.get, "/v1/apps/\(TestAPI.app)", key: "")
            _ = try await api.client.answer(to: .get, "/no/such/path", headers: [:], body: nil)
            let text = registry.text()
            for labels in [
                #"{method="GET",route="/v1/apps/{app}",status="200"} 1"#,
                #"{method="GET",route="/v1/apps/{app}",status="401"} 1"#,
                #"{method="none",route="none",status="404"} 1"#,
            ] {
                #expect(text.contains("apus_http_requests_total\(labels)"), "\(text)")
            }
            #expect(
                text.contains(#"apus_http_request_duration_seconds_count{method="GET",route="/v1/apps/{app}"} 2"#),
                "\(text)"
            )
        }
    }
}
