// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ApusTesting
import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import PushAPI
import PushModel
import ServiceLifecycle
import Telemetry

/// A directory with an authority and the files of a server that it has issued a certificate to.
struct TLSPlace: Sendable {
    let certificates: TestCertificates
    let files: TLSFiles
    let logs = LogRecorder()
    let metrics = MetricsRegistry()

    /// Runs a test in a directory that is removed afterwards.
    static func with(asksClients: Bool = false, _ body: (TLSPlace) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "apus-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(TLSPlace(in: directory.path(), asksClients: asksClients))
    }

    private init(in directory: String, asksClients: Bool) throws {
        self.certificates = try TestCertificates(in: directory)
        let (certificate, key) = try self.certificates.write(try self.certificates.issueServer())
        let clientCA = asksClients ? self.certificates.authorityFile : nil
        self.files = TLSFiles(certificate: certificate, key: key, clientCA: clientCA)
    }

    func load(clock: any Clock<Duration> = ContinuousClock()) throws -> TLSCertificates {
        try TLSCertificates(self.files, clock: clock, metrics: self.metrics, logger: self.logs.logger)
    }

    /// Replaces files of the server; `nil` removes one.
    func replace(_ path: String, with text: String?) throws {
        guard let text else { return try FileManager.default.removeItem(atPath: path) }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// How often files were loaded or failed, as the metrics have it.
    func reloads(_ result: String) throws -> Double {
        let families = try PrometheusText(self.metrics.text()).families
        return families["apus_tls_reloads_total"]?.samples.first { $0.labels["result"] == result }?.value ?? 0
    }

    /// Runs a test with a server on a free port.
    func serve(
        _ tls: TLSCertificates,
        behind proxies: TrustedProxies = TrustedProxies(),
        _ body: @Sendable @escaping (Int) async throws -> Void
    ) async throws {
        try await withTemporaryStore { store in
            var configuration = PushAPIConfiguration()
            configuration.port = 0
            configuration.connections.proxies = proxies
            let (ports, listening) = AsyncStream.makeStream(of: Int.self)
            let api = PushAPI(
                store: store,
                inspector: TestInspector(),
                configuration: configuration,
                tls: tls,
                logger: self.logs.logger,
                onListening: { listening.yield($0) }
            )
            let server = ServiceGroup(services: [api], logger: self.logs.logger)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                let port = try await ports.nextElement()
                try await body(port)
                await server.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
    }
}

/// A client over TLS, which keeps its connection open.
struct TLSTestClient: Sendable {
    private let base: HTTPClient
    private let url: String

    /// Runs a test with a client of a server on a port of this machine.
    ///
    /// - Parameters:
    ///   - authority: the file of the only authority that it trusts.
    ///   - versions: of TLS, at least and at most.
    ///   - identity: what it presents.
    static func with<Value: Sendable>(
        _ port: Int,
        trusting authority: String,
        versions: (minimum: TLSVersion, maximum: TLSVersion) = (.tlsv12, .tlsv13),
        presenting identity: IssuedCertificate? = nil,
        _ body: (TLSTestClient) async throws -> Value
    ) async throws -> Value {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(authority))
        tls.minimumTLSVersion = versions.minimum
        tls.maximumTLSVersion = versions.maximum
        if let identity {
            let certificate = try NIOSSLCertificate(bytes: Array(identity.certificatePEM.utf8), format: .pem)
            tls.certificateChain = [.certificate(certificate)]
            tls.privateKey = .privateKey(
                try NIOSSLPrivateKey(bytes: Array(identity.privateKeyPEM.utf8), format: .pem)
            )
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.connectionPool.retryConnectionEstablishment = false
        let base = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let client = TLSTestClient(base: base, url: "https://localhost:\(port)")
        do {
            let value = try await body(client)
            try await base.shutdown()
            return value
        } catch {
            try await base.shutdown()
            throw error
        }
    }

    /// The status of a request.
    func status(_ path: String = "/healthz", body: ByteBuffer? = nil) async throws -> Int {
        var request = HTTPClientRequest(url: self.url + path)
        if let body {
            request.method = .POST
            request.body = .bytes(body)
        }
        let response = try await self.base.execute(request, timeout: .seconds(60))
        _ = try await response.body.collect(upTo: 1 << 20)
        return Int(response.status.code)
    }
}
