// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import NIOCore
import PushAPI
import PushModel
import PushStore
import Testing

@Suite("A stream on a socket", .timeLimit(.minutes(20)))
struct LiveStreamTests {
    private static var live: TestSetup {
        var setup = TestSetup()
        setup.hasSocket = true
        return setup
    }

    @Test("is answered while the request is still sent, and the connection serves another request after it")
    func duplex() async throws {
        try await withAPI(Self.live) { api async throws in
            let delivery = FakeDelivery(store: api.store)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await delivery.settleAll() }
                let client = try await RawClient.stream(api, query: "?stream=a")
                #expect(await client.read(until: "resumed").contains("200 OK"))
                for line in 1...3 {
                    try await client.send(streamLine(line) + "\n")
                    #expect(await client.read(until: "delivered").contains(#""line":\#(line),"#))
                }
                try await client.write("0\r\n\r\n")
                #expect(await client.read(until: "\r\n0\r\n\r\n").contains(#""reason":"completed""#))
                try await client.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(await client.read(until: #""status":"ok""#).contains("200 OK"))
                try await client.channel.close()
                group.cancelAll()
            }
        }
    }

    @Test("that is cut within a line has only its acknowledged lines sent, and can be gone on with")
    func cut() async throws {
        try await withAPI(Self.live) { api async throws in
            let client = try await RawClient.stream(api, query: "?stream=a")
            try await client.send(streamLine(1) + "\n")
            _ = await client.read(until: "acceptedThrough")
            try await client.write("100\r\n" + streamLine(2).dropLast(5))
            try await client.channel.close()
            let answers = try await api.stream(
                [streamLine(2), streamLine(3)],
                query: "?stream=a&from=2&outcomesAfter=0"
            )
            #expect(answers.lines.first == ["type": "resumed", "accepted": 1])
            #expect(answers.outcomes == [1: "delivered", 2: "delivered", 3: "delivered"])
        }
    }

    @Test("that the server ends is closed although the client never ends its request")
    func ended() async throws {
        var setup = Self.live
        setup.configuration.stream.closingTime = .milliseconds(1)
        setup.maximumStoreBytes = 600 << 10
        try await withAPI(setup) { api async throws in
            let client = try await RawClient.stream(api, query: "")
            let line = #"{"token":"ab","payload":{"x":"\#(String(repeating: "x", count: 4000))"}}"# + "\n"
            let sending = Task { while true { try await client.send(line) } }
            #expect(await client.read(until: #""type":"end""#).contains("store_full"))
            for await _ in client.received {}
            sending.cancel()
            _ = await sending.result
        }
    }
}
