// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Crypto
import Foundation
import NIOCore
import Testing

@testable import APNsClient

@Suite("Servers that cannot be reached", .timeLimit(.minutes(20)))
struct UnreachableTests {
    /// Sends one notification with a short deadline and expects it to be unreachable for one reason. On a busy machine,
    /// another limit may be reached first (the connect timeout before the handshake, the deadline before either), so it
    /// repeats with longer limits until the message names the reason.
    ///
    /// - Parameters:
    ///   - destination: a server that does not accept it.
    ///   - configuration: its connect timeout grows with the deadline.
    ///   - reason: a part of the expected message.
    private static func expectUnreachable(
        _ destination: APNsDestination,
        configuration: APNsClientConfiguration = .quick,
        metrics: any APNsClientMetrics = NoOpMetrics(),
        because reason: String
    ) async throws {
        let outcome = try await send(to: destination, configuration: configuration, metrics: metrics) {
            $0.message.contains(reason)
        }
        #expect(outcome.failure == .unreachable)
        #expect(outcome.message.contains(reason), "\(outcome.message)")
    }

    /// Sends one notification with a short deadline; repeats with longer limits until the outcome is the one under test.
    private static func send(
        to destination: APNsDestination,
        configuration: APNsClientConfiguration = .quick,
        deadline: Duration = .seconds(1),
        metrics: any APNsClientMetrics = NoOpMetrics(),
        until isFarEnough: (SendOutcome) -> Bool
    ) async throws -> SendOutcome {
        var (configuration, deadline) = (configuration, deadline)
        while true {
            let outcome = try await RunningClient.with(configuration, metrics: metrics) { [deadline] running in
                await running.client.send(
                    try .sample(),
                    payload: try .sample(),
                    token: try .sample(1),
                    to: destination,
                    deadline: deadline
                )
            }
            if isFarEnough(outcome) || deadline > .seconds(60) { return outcome }
            deadline *= 4
            configuration.connectTimeout *= 4
        }
    }

    @Test("nobody listens: the caller is told that the connection was refused, at the deadline")
    func refused() async throws {
        let port = try ReservedPort()
        let endpoint = APNsEndpoint(host: "127.0.0.1", port: port.number)
        let destination = APNsDestination(endpoint: endpoint, credential: try PuppetAuthority().certificate())
        let metrics = RecordingMetrics()
        try await Self.expectUnreachable(destination, metrics: metrics, because: "Connection refused")
        #expect(metrics.counts.failed >= 1)
        withExtendedLifetime(port) {}
    }

    @Test("a server whose authority is not trusted is named as such")
    func wrongAuthority() async throws {
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 10) }
        } _: { server in
            var destination = server.destination
            destination.endpoint.trust = .certificateAuthority(pem: try PuppetAuthority().pem)
            try await Self.expectUnreachable(destination, because: "CERTIFICATE_VERIFY_FAILED")
        }
    }

    @Test("a client certificate that is refused in the handshake is told from a server that is not there")
    func refusedCertificate() async throws {
        var configuration = try PuppetServer.Configuration()
        configuration.asksForCertificate = true
        let credential = try configuration.authority.certificate(at: Date(timeIntervalSince1970: 1_000_000_000))
        try await PuppetServer.with(configuration, credential: credential) { puppet, event in
            if event == .connected { puppet.hello(streams: 10) }
        } _: { server in
            // The server may end the connection before its alert was read: then the next one tells.
            let outcome = try await Self.send(to: server.destination) { $0.failure == .certificateRefused }
            #expect(outcome.failure == .certificateRefused)
            let expected = "APNs refused the client certificate (TLS alert certificate_expired)"
            #expect(outcome.message == expected, "\(outcome.message)")
        }
    }

    @Test(
        "an alert is read from what the TLS library says of it, and nothing else is taken for one",
        arguments: [
            ("routines:OPENSSL_internal:SSLV3_ALERT_CERTIFICATE_EXPIRED", .certificateExpired),
            ("TLSV1_ALERT_UNKNOWN_CA at a.cc:1", .unknownCA), ("SSLV3_ALERT_BAD_CERTIFICATE at", .badCertificate),
            ("OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at a.cc:1", nil), ("SSLV3_ALERT_HANDSHAKE_FAILURE at", nil),
            ("TLSV1_ALERT_BAD_CERTIFICATE_STATUS_RESPONSE at", nil), ("", nil),
        ] as [(String, TLSCertificateAlert?)]
    )
    func alerts(words: String, alert: TLSCertificateAlert?) {
        #expect(TLSCertificateAlert(endOf: words) == alert)
    }

    @Test(
        "an authority that is not a certificate fails at once",
        arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
    )
    func brokenAuthority(pem: String) async throws {
        let trust = TrustRoots.certificateAuthority(pem: Array(pem.utf8))
        let endpoint = APNsEndpoint(host: "127.0.0.1", port: 1, trust: trust)
        let destination = APNsDestination(endpoint: endpoint, credential: try PuppetAuthority().certificate())
        let outcome = try await Self.send(to: destination, deadline: .seconds(3600)) { _ in true }
        #expect(outcome.failure == .badCredential)
        #expect(outcome.message.contains("not a certificate in PEM"), "\(outcome.message)")
    }

    @Test("a server that speaks TLS but not h2 is named as such", arguments: [[], ["http/1.1"]])
    func notHTTP2(protocols: [String]) async throws {
        var configuration = try PuppetServer.Configuration()
        configuration.protocols = protocols
        try await PuppetServer.with(configuration) { _, _ in
        } _: { server in
            try await Self.expectUnreachable(server.destination, because: #"not on "h2""#)
        }
    }

    @Test("a server without TLS is told from one that is not there")
    func notTLS() async throws {
        var configuration = try PuppetServer.Configuration()
        configuration.protocols = nil
        try await PuppetServer.with(configuration) { puppet, event in
            if event == .connected { puppet.peer.send(bytes: Array("220 mail.example ESMTP\r\n".utf8)) }
        } _: { server in
            try await Self.expectUnreachable(server.destination, because: "WRONG_VERSION_NUMBER")
        }
    }

    @Test("a server that never answers the TLS handshake is given up in time")
    func silentHandshake() async throws {
        var configuration = try PuppetServer.Configuration()
        configuration.protocols = nil
        var clientConfiguration = APNsClientConfiguration.quick
        clientConfiguration.connectTimeout = .milliseconds(500)
        try await PuppetServer.with(configuration) { _, _ in
        } _: { server in
            try await Self.expectUnreachable(
                server.destination,
                configuration: clientConfiguration,
                because: "no TLS handshake within"
            )
        }
    }

    @Test("a server that sends no SETTINGS is given up in time")
    func noSettings() async throws {
        try await PuppetServer.with { _, _ in
        } _: { server in
            let metrics = RecordingMetrics()
            let pool = try ConnectionPool.sample(to: server.destination, metrics: metrics)
            // Work that waits has the pool expect connection 1.
            async let waiting = pool.send(.sample(count: 1), deadline: .now() + .hours(1))
            await server.wait { $0.event == .connected }
            try await StagedConnection.with(id: 1, in: pool, streams: nil) { staged in
                await staged.advance(by: TimeAmount(pool.configuration.connectTimeout))
                for await event in metrics.events where event == .failed { break }
                // Its deadline has passed, so no other connection serves it.
                let outcome = try await pool.send(.sample(count: 1), deadline: .now())
                #expect(outcome.first?.failure == .unreachable)
                #expect(outcome.first?.message.contains("no SETTINGS in time") == true, "\(outcome)")
            }
            await pool.drain()
            _ = try await waiting
        }
    }

    @Test("a server that hangs up before TLS is up is told as such")
    func hangsUp() async throws {
        var configuration = try PuppetServer.Configuration()
        configuration.protocols = nil
        try await PuppetServer.with(configuration) { puppet, _ in
            puppet.close()
        } _: { server in
            let outcome = try await Self.send(to: server.destination) { $0.failure == .unreachable }
            #expect(outcome.failure == .unreachable)
        }
    }

    @Test("a server that lets everybody in and out again is not connected to without a pause")
    func revolvingDoor() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.minimumBackoff = .milliseconds(100)
        configuration.maximumBackoff = .milliseconds(100)
        let clock = ContinuousClock()
        let start = clock.now
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 10) }
            if event.stream != nil { puppet.peer.send(.goAway(lastStream: 0)) }
        } _: { server in
            let outcome = try await Self.send(to: server.destination, configuration: configuration) { _ in true }
            // Where it is when the deadline passes is up to chance.
            let failures: [SendFailure.Code?] = [.unreachable, .notSent, .deadlineExceeded]
            #expect(failures.contains(outcome.failure), "\(outcome)")
            // Half of each pause is left to chance.
            let pauses = Int((clock.now - start) / .milliseconds(50))
            #expect(server.connections <= 1 + pauses, "\(server.connections) connections in \(pauses) pauses")
        }
    }

    @Test("a server that comes back before the deadline gets the notification")
    func comesBack() async throws {
        let port = try ReservedPort()
        var configuration = try PuppetServer.Configuration()
        configuration.port = port.number
        let authority = configuration.authority
        let endpoint = APNsEndpoint(
            host: "127.0.0.1",
            port: port.number,
            trust: .certificateAuthority(pem: authority.pem)
        )
        let destination = APNsDestination(endpoint: endpoint, credential: try authority.certificate())
        let metrics = RecordingMetrics()
        try await RunningClient.with(metrics: metrics) { running in
            async let outcomes = running.client.send(try .sample(count: 20), to: destination, deadline: .seconds(300))
            for await event in metrics.events where event == .failed { break }
            try await PuppetServer.with(configuration) { puppet, event in
                if event == .connected {
                    puppet.hello(streams: 10)
                    puppet.accepts = true
                }
            } _: { server in
                await server.wait { $0.event.stream == 39 }
            }
            let answers = try await outcomes
            #expect(answers == Array(repeating: .accepted, count: 20))
            withExtendedLifetime(port) {}
        }
    }
}
