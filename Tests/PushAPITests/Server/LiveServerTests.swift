// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Logging
import NIOCore
import PushAPI
import PushModel
import PushStore
import Testing

@Suite("The server on a socket", .timeLimit(.minutes(20)))
struct LiveServerTests {
    private static var live: TestSetup {
        var setup = TestSetup()
        setup.hasSocket = true
        return setup
    }

    @Test("refuses a body over the limit and goes on with the next request on the connection")
    func largeBody() async throws {
        try await withAPI(Self.live) { api async throws in
            let body = ByteBuffer(repeating: UInt8(ascii: " "), count: 1 << 20)
            let answer = try await api.call(.post, "/v1/apps", bytes: body)
            #expect(answer.status == 413)
            #expect(try await api.call(.get, "/v1/apps").status == 200)
        }
    }

    @Test("wakes those who wait for outcomes")
    func wait() async throws {
        var setup = Self.live
        setup.clock = SelectiveClock(passing: .zero)
        try await withAPI(setup) { api async throws in
            let delivery = FakeDelivery(store: api.store)
            async let batch = delivery.settleNext()
            let path = "/v1/apps/\(TestAPI.app)/notifications?wait=true"
            let answer = try await api.call(.post, path, #"{"targets":{"tokens":["ab"]},"payload":{}}"#)
            #expect(answer.status == 200)
            #expect(try await batch != nil)
        }
    }

    @Test(
        "does not start, and says why, if the SNS endpoint has a path of the API",
        arguments: ["/healthz", "/v1/apps/", "/v1//keys"]
    )
    func takenPath(_ path: String) async throws {
        try await withTemporaryStore { store in
            var configuration = PushAPIConfiguration()
            configuration.port = 0
            configuration.sns.path = path
            let api = PushAPI(
                store: store,
                inspector: TestInspector(),
                masterKey: .generate(),
                configuration: configuration,
                logger: Logger(label: "test")
            )
            let error = await #expect(throws: PushAPIError.self) { try await api.run() }
            #expect(error?.code == .pathTaken)
            #expect(error?.message.contains("'\(path)'") == true)
        }
    }

    @Test("says on which port it listens, and says why it cannot listen on one that is taken")
    func ports() async throws {
        try await withTemporaryStore { store in
            var configuration = PushAPIConfiguration()
            configuration.port = 0
            let (ports, told) = AsyncStream.makeStream(of: Int.self)
            let first = PushAPI(
                store: store,
                inspector: TestInspector(),
                configuration: configuration,
                logger: Logger(label: "test"),
                onListening: { told.yield($0) }
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await first.run() }
                let port = try #require(await ports.first { _ in true })
                #expect(port > 0)
                configuration.port = port
                let second = PushAPI(
                    store: store,
                    inspector: TestInspector(),
                    configuration: configuration,
                    logger: Logger(label: "test")
                )
                let error = await #expect(throws: PushAPIError.self) { try await second.run() }
                #expect(error?.code == .addressInUse)
                #expect(error?.message.contains("127.0.0.1:\(port)") == true)
                group.cancelAll()
            }
        }
    }
}
