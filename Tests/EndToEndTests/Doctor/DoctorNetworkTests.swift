// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import PushModel
import PushStore
import Testing

@testable import APNsSimulator
@testable import apus

@Suite("apus doctor, credentials and network", .timeLimit(.minutes(20)))
struct DoctorNetworkTests {
    // MARK: Credentials

    @Test("finds a push certificate that expired, and warns of one that expires soon")
    func expiredCertificate() async throws {
        try await DoctorPlace.with { place in
            try await place.addCertificate(lifetime: .seconds(-3600))
            let expired = try await place.examine()
            try expired.expectProblem("credentials", says: ["expired on", "com.example.app"], fix: "Create another")
        }
        try await DoctorPlace.with { place in
            try await place.addCertificate(lifetime: .seconds(7 * 86_400))
            let soon = try await place.examine()
            try soon.expectProblem("credentials", .warning, says: ["expires on"], fix: "Create another")
        }
    }

    @Test("finds a push certificate of another app")
    func foreignCertificate() async throws {
        try await DoctorPlace.with { place in
            try await place.addCertificate(bundleID: "com.example.other", lifetime: .seconds(365 * 86_400))
            let run = try await place.examine()
            try run.expectProblem(
                "credentials",
                says: ["com.example.other", "another app"],
                fix: "Add the certificate"
            )
        }
    }

    @Test("finds a malformed key, and a key file that other users can read")
    func malformedKey() async throws {
        try await DoctorPlace.with { place in
            try await place.addKey("no key")
            let run = try await place.examine()
            try run.expectProblem("credentials", says: ["not a P-256 private key"], fix: "apps credential add")
        }
        try await DoctorPlace.with { place in
            let path = try await place.addKeyFile(mode: 0o644)
            let run = try await place.examine()
            try run.expectProblem("credentials", .warning, says: [path, "0644"], fix: "chmod 600 \(path)")
        }
    }

    @Test("finds a key that APNs rejects only when it asks APNs")
    func foreignKey() async throws {
        try await DoctorPlace.with { place in
            // The demo key is trusted in both environments. This one has its ID, and is another key.
            let other = try place.simulator.issueCertificate(PushCertificateRequest(bundleID: "com.example.app"))
            let key = place.simulator.demoKey
            try place.simulator.trust(pem: other.privateKeyPEM, keyID: key.keyID, teamID: key.teamID)
            #expect(try await place.examine().status == 0)
            let run = try await place.examine(["--ask-apns"])
            #expect(run.status == 1)
            let text = run.lines.last ?? ""
            for word in ["InvalidProviderToken", "sandbox", "production", "team ID"] {
                #expect(text.contains(word), "\(word): \(text)")
            }
        }
    }

    @Test("warns of an app without a credential")
    func noCredential() async throws {
        try await DoctorPlace.with { place in
            try await place.withStore { try await $0.createApp(App(id: "com.example.new", createdAt: Date())) }
            let run = try await place.examine()
            try run.expectProblem("credentials", .warning, says: ["com.example.new", "production"], fix: "--p8")
        }
    }

    // MARK: Network

    @Test("finds a name of APNs that does not resolve")
    func unresolved() async throws {
        try await DoctorPlace.with { place in
            let run = try await place.examine(["--apns-sandbox-host", "no-such-host.invalid"])
            let words = ["no-such-host.invalid does not resolve"]
            try run.expectProblem("APNs sandbox", says: words, fix: "apns.sandbox.host")
        }
    }

    @Test("finds a port of APNs that refuses connections")
    func refused() async throws {
        try await DoctorPlace.with { place in
            let port = try ReservedPort()
            let run = try await place.examine(
                ["--apns-production-port", "\(port.number)"],
                environment: ["https_proxy": "http://proxy.example:3128"]
            )
            let words = ["No TCP connection", "localhost:\(port.number)"]
            try run.expectProblem("APNs production", says: words, fix: "https_proxy is set")
        }
    }

    @Test("warns of a server for broadcast channels that refuses connections")
    func refusedChannels() async throws {
        try await DoctorPlace.with { place in
            let port = try ReservedPort()
            let run = try await place.examine(["--apns-production-channel-port", "\(port.number)"])
            let words = ["No TCP connection", "localhost:\(port.number)"]
            try run.expectProblem("APNs production channels", .warning, says: words, fix: "outgoing TCP connections")
        }
    }

    @Test("finds a proxy that intercepts TLS, and names the issuer of its certificate")
    func intercepted() async throws {
        try await DoctorPlace.with { place in
            let other = try place.write(try CertificateAuthority(now: Date()).certificatePEM, to: "other.pem")
            let run = try await place.examine(["--apns-sandbox-ca", other])
            let words = ["not trusted", "CN=localhost", "issued by CN=Apus APNs Simulator CA"]
            // The servers of an environment share the certificate authority.
            let others = ["APNs sandbox channels"]
            try run.expectProblem("APNs sandbox", says: words, fix: "TLS interception", besides: others)
        }
    }

    @Test("a trusted certificate for Apple's host that Apple did not issue shows a proxy")
    func trustedProxy() throws {
        let chain = [try CertificateAuthority(now: Date()).certificate]
        #expect(ServerProbe.isIntercepted("api.push.apple.com", chain))
        #expect(!ServerProbe.isIntercepted("localhost", chain))
        #expect(!ServerProbe.isIntercepted("api.push.apple.com", []))
    }

    @Test("finds a server certificate that is not valid at this time")
    func expiredServer() async throws {
        try await DoctorPlace.with { place in
            let past = Date() - 2 * 365 * 86_400
            try await self.withServer(issuedAt: past) { port, authority in
                let file = try place.write(authority, to: "past.pem")
                let run = try await place.examine(["--apns-sandbox-ca", file, "--apns-sandbox-port", "\(port)"])
                try run.expectProblem(
                    "APNs sandbox",
                    says: ["is valid from", "the clock shows"],
                    fix: "Set the clock",
                    besides: ["APNs sandbox channels"]
                )
            }
        }
    }

    @Test("finds a server that does not negotiate HTTP/2")
    func noHTTP2() async throws {
        try await DoctorPlace.with { place in
            try await self.withServer(issuedAt: Date()) { port, authority in
                let file = try place.write(authority, to: "plain.pem")
                let run = try await place.examine(["--apns-sandbox-ca", file, "--apns-sandbox-port", "\(port)"])
                try run.expectProblem(
                    "APNs sandbox",
                    says: ["no application protocol", "'h2'"],
                    fix: "apns.sandbox.port",
                    besides: ["APNs sandbox channels"]
                )
            }
        }
    }

    @Test("finds a server that does not speak TLS")
    func noTLS() async throws {
        try await DoctorPlace.with { place in
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    channel.eventLoop.execute { channel.close(promise: nil) }
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let port = server.localAddress?.port ?? 0
            let run = try await place.examine(["--apns-sandbox-host", "127.0.0.1", "--apns-sandbox-port", "\(port)"])
            try run.expectProblem("APNs sandbox", says: ["TLS handshake fails"], fix: "without inspection")
            try await server.close()
        }
    }

    /// Runs a test with a TLS server on `localhost` that negotiates no application protocol.
    private func withServer(
        issuedAt date: Date,
        _ body: (_ port: Int, _ authority: String) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority(now: date)
        let issued = try authority.issueServer(now: date)
        let context = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(issued.certificatePEM.utf8))
                    .map { .certificate($0) },
                privateKey: .privateKey(
                    try NIOSSLPrivateKey(bytes: Array(issued.privateKeyPEM.utf8), format: .pem)
                )
            )
        )
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try await body(server.localAddress?.port ?? 0, try authority.certificatePEM)
        try await server.close()
    }
}
