// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import ApusTesting
import Synchronization
import Testing

@Suite("Answers that do not come whole", .timeLimit(.minutes(20)))
struct PartialAnswerTests {
    private static let body = Array(#"{"reason":"BadDeviceToken"}"#.utf8)

    @Test(
        "say nothing without their reason, so that the request is sent again; a success, or a reason, is an answer",
        arguments: [false, true]
    )
    func cutOff(withConnection: Bool) async throws {
        let requests = Mutex(0)
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 4) }
            guard let stream = event.stream else { return }
            requests.withLock { $0 += 1 }
            if puppet.number > 1 || stream > 7 { return puppet.answer(stream, status: "200", body: "") }
            guard stream == 7 else { return }
            puppet.peer.send(
                .headers(1, .response("400"), endStream: false),
                .headers(3, .response("403"), endStream: false),
                .data(3, Array(Self.body.dropLast(4))),
                .headers(5, .response("400"), endStream: false),
                .data(5, Self.body),
                .headers(7, .response(), endStream: false)
            )
            if withConnection { return puppet.close() }
            puppet.peer.send(.reset(1), .reset(3), .reset(5), .reset(7))
        } _: { server in
            let outcomes = try await RunningClient.with { running in
                try await running.client.send(.sample(count: 4), to: server.destination)
            }
            #expect(outcomes == [.accepted, .accepted, .rejected(Rejection(.badDeviceToken)), .accepted])
            #expect(server.connections == (withConnection ? 2 : 1))
        }
        #expect(requests.withLock { $0 } == 6)
    }

    @Test("are lost requests in the end, never rejections that nobody knows the reason of")
    func always() async throws {
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 1) }
            guard let stream = event.stream else { return }
            puppet.peer.send(.headers(stream, .response("400"), endStream: false), .reset(stream))
        } _: { server in
            let outcomes = try await RunningClient.with { running in
                try await running.client.send(.sample(count: 1), to: server.destination)
            }
            #expect(outcomes.map(\.failure) == [.streamReset])
        }
    }

    @Test("are answers where they are whole, though nobody knows the reason")
    func unknown() async throws {
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 2) }
            switch event.stream {
            case 1: puppet.answer(1, status: "400", body: "")
            case 3: puppet.peer.send(.headers(3, .response("403")))
            default: break
            }
        } _: { server in
            let outcomes = try await RunningClient.with { running in
                try await running.client.send(.sample(count: 2), to: server.destination)
            }
            let expected = [400, 403].map { SendOutcome.rejected(Rejection(status: $0, reason: .unknown)) }
            #expect(outcomes == expected)
        }
    }
}
