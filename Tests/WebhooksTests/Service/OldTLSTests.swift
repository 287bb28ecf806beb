// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ApusTesting
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import PushModel
import Testing
import Webhooks

@Suite("Receivers with an old TLS", .timeLimit(.minutes(20)))
struct OldTLSTests {
    @Test(
        "get no request below TLS 1.2",
        arguments: [(TLSVersion.tlsv1, true), (.tlsv11, true), (.tlsv12, false), (.tlsv13, false)]
    )
    func minimum(version: TLSVersion, isTooOld: Bool) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "apus-old-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let issued = try TestCertificates(in: directory.path()).issueServer()
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [
                .certificate(try NIOSSLCertificate(bytes: Array(issued.certificatePEM.utf8), format: .pem))
            ],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.privateKeyPEM.utf8), format: .pem))
        )
        (tls.minimumTLSVersion, tls.maximumTLSVersion) = (.tlsv1, version)
        let context = try NIOSSLContext(configuration: tls)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        var configuration = WebhookConfiguration()
        configuration.allowsPrivateNetworks = true
        let sender = WebhookSender(masterKey: nil, configuration: configuration)
        let client = WebhookHTTPClient(to: try WebhookURL(validating: "https://127.0.0.1:\(port)/"), by: sender)
        let answer = await client.post { HTTPPostRequest(fields: [], body: []) }
        await client.close()
        try await server.close()
        // The certificate of a newer one is refused next, since no authority of the system has issued it.
        #expect(answer.failure == .tls)
        let isRefusedByVersion = answer.excerpt?.contains("CERTIFICATE_VERIFY_FAILED") == false
        #expect(isRefusedByVersion == isTooOld, "\(answer.excerpt ?? "")")
    }
}
