// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Dispatch
import Foundation
import NIOPosix
import PushModel
import SNSProtocol
import StoreTesting
import Synchronization
import Testing
import Topics
import Webhooks

@Suite("Hosts of URLs that make trouble", .timeLimit(.minutes(20)))
struct HostTroubleTests {
    private static let raw = ["RawMessageDelivery": "true"]

    /// Answers for `sound` hosts at once, and for all others not before it is closed.
    private final class Names: Sendable {
        private let isClosed = DispatchSemaphore(value: 0)
        private let asked = Mutex<Set<String>>([])

        var silentHosts: Int { self.asked.withLock { $0.count } }

        func lookUp(_ host: String) -> [NetworkAddress] {
            guard !host.hasPrefix("sound") else { return [NetworkAddress("127.0.0.1")].compactMap(\.self) }
            self.asked.withLock { _ = $0.insert(host) }
            self.isClosed.wait()
            self.isClosed.signal()
            return []
        }

        func close() { self.isClosed.signal() }
    }

    @Test("are not waited for by others, however many of them have name servers that do not answer")
    func silentNames() async throws {
        let limits = HostLookupPool.Limits(threads: 6, unproven: 4, failing: 2)
        let pool = NIOThreadPool(numberOfThreads: limits.threads)
        pool.start()
        let names = Names()
        let result: Result<Void, any Error>
        do {
            try await HookReceiver.run { receiver in
                try await TopicStage.open(on: .sqlite) { stage in
                    stage.resolver = HostLookupPool(pool: pool, limits: limits) { names.lookUp($0) }
                    try await stage.subscribe("http://sound.example.com:\(receiver.port)/sns", attributes: Self.raw)
                    try await stage.post { [stage] in
                        // What is on its way is let finish in the end.
                        defer { names.close() }
                        try await stage.publish("a")
                        #expect(Self.text(try await receiver.next()) == "a")
                        for number in 0..<40 {
                            try await stage.subscribe("http://silent-\(number).example.com/", attributes: Self.raw)
                        }
                        try await stage.publish("b")
                        #expect(Self.text(try await receiver.next()) == "b")
                        // Now all threads that are not kept for others wait.
                        try await waitUntil { names.silentHosts >= limits.unproven }
                        for text in ["c", "d", "e"] {
                            try await stage.publish(text)
                            #expect(Self.text(try await receiver.next()) == text)
                        }
                    }
                }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try await pool.shutdownGracefully()
        try result.get()
    }

    @Test("are connected to at the address that was checked alone, whatever their names lead to next")
    func rebinding() async throws {
        try await HookReceiver.run { receiver in
            // The first address is public and nobody's; the next ones are this machine's.
            let resolver = Rebinding(first: "3fff:ffff::1")
            var configuration = WebhookConfiguration()
            configuration.deadline = .seconds(1)
            let sender = WebhookSender(masterKey: nil, configuration: configuration, resolver: resolver)
            let url = try WebhookURL(validating: "http://hooks.example.com:\(receiver.port)/sns")
            let stolen = HTTPPostRequest(fields: [], body: Array("stolen".utf8))
            let line = WebhookHTTPClient(to: url, by: sender)
            for _ in 0..<2 {
                let answer = await line.post { stolen }
                #expect(answer.status == nil)
            }
            #expect(resolver.count == 1)
            await line.close()
            for _ in 0..<2 {
                let again = WebhookHTTPClient(to: url, by: sender)
                let answer = await again.post { stolen }
                #expect(answer.failure == .privateAddress)
                await again.close()
            }
            configuration.allowsPrivateNetworks = true
            // This receiver responds, however late on a loaded machine.
            configuration.deadline = .seconds(60)
            let allowed = WebhookSender(masterKey: nil, configuration: configuration, resolver: resolver)
            let last = WebhookHTTPClient(to: url, by: allowed)
            let answer = await last.post { HTTPPostRequest(fields: [], body: Array("allowed".utf8)) }
            #expect(answer.status == 204)
            await last.close()
            #expect(Self.text(try await receiver.next()) == "allowed")
        }
    }

    private static func text(_ request: HookReceiver.Request) -> String {
        String(decoding: request.body, as: UTF8.self)
    }
}

/// Leads to a public address first, and to this machine from then on.
private final class Rebinding: HostResolver {
    private let first: String
    private let asked = Mutex(0)

    init(first: String) { self.first = first }

    var count: Int { self.asked.withLock { $0 } }

    func addresses(of host: String) async throws -> [NetworkAddress] {
        let number = self.asked.withLock { asked in
            asked += 1
            return asked
        }
        return [NetworkAddress(number == 1 ? self.first : "127.0.0.1")].compactMap(\.self)
    }
}
