// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server of raw HTTP/2 over TLS whose every word comes from a script: for what no simulator may do.
final class PuppetServer: Sendable {
    /// Called for every event of every connection, on the connection's event loop.
    typealias Script = @Sendable (inout Puppet, PuppetEvent) -> Void
    /// What happened on which connection.
    typealias Record = (connection: Int, event: PuppetEvent)

    /// How a server is set up.
    struct Configuration: Sendable {
        var authority: PuppetAuthority
        /// What ALPN offers; `nil` serves without TLS.
        var protocols: [String]? = ["h2"]
        /// Whether clients have to show a certificate of the authority.
        var asksForCertificate = false
        var port = 0

        init() throws {
            self.authority = try PuppetAuthority()
        }
    }

    /// Everything that happens, in order.
    let records: AsyncStream<Record>
    let destination: APNsDestination
    private let accepted: Accepted

    private init(records: AsyncStream<Record>, destination: APNsDestination, accepted: Accepted) {
        self.records = records
        self.destination = destination
        self.accepted = accepted
    }

    /// The connections that were accepted.
    private final class Accepted: Sendable {
        private let state = Mutex<[NIOLoopBound<PuppetHandler>]>([])

        var handlers: [NIOLoopBound<PuppetHandler>] { self.state.withLock { $0 } }

        /// Adds a connection.
        ///
        /// Answers its number.
        func add(_ handler: NIOLoopBound<PuppetHandler>) -> Int {
            self.state.withLock { handlers in
                handlers.append(handler)
                return handlers.count
            }
        }
    }

    /// How many connections were accepted.
    var connections: Int { self.accepted.handlers.count }

    /// Does something with every puppet outside of its script.
    func act(_ body: @escaping @Sendable (inout Puppet) -> Void) {
        for handler in self.accepted.handlers {
            handler.eventLoop.execute { handler.value.act(body) }
        }
    }

    /// Waits until something has happened.
    func wait(for condition: (Record) -> Bool) async {
        for await record in self.records where condition(record) { return }
    }

    /// Serves for as long as `body` takes.
    static func with<Value: Sendable>(
        _ configuration: Configuration? = nil,
        credential: APNsCredential? = nil,
        script: @escaping Script,
        _ body: (PuppetServer) async throws -> Value
    ) async throws -> Value {
        let configuration = try configuration ?? Configuration()
        let (records, continuation) = AsyncStream.makeStream(of: Record.self)
        let tls = try configuration.protocols.map { protocols in
            try configuration.authority.server(
                offering: protocols,
                asksForCertificate: configuration.asksForCertificate
            )
        }
        let accepted = Accepted()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = PuppetHandler { puppet, event in
                        script(&puppet, event)
                        continuation.yield((puppet.number, event))
                    }
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(handler)
                    handler.number = accepted.add(NIOLoopBound(handler, eventLoop: channel.eventLoop))
                }
            }
            .bind(host: "127.0.0.1", port: configuration.port)
            .get()
        let endpoint = APNsEndpoint(
            host: "127.0.0.1",
            port: listener.localAddress?.port ?? 0,
            trust: .certificateAuthority(pem: configuration.authority.pem)
        )
        let credential = try credential ?? configuration.authority.certificate()
        let server = PuppetServer(
            records: records,
            destination: APNsDestination(endpoint: endpoint, credential: credential),
            accepted: accepted
        )
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        try await listener.close()
        server.act { $0.close() }
        return try result.get()
    }
}
