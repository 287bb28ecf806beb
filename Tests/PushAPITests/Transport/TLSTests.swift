// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ApusTesting
import Foundation
import Logging
import NIOCore
import NIOSSL
import PushAPI
import PushModel
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("TLS", .timeLimit(.minutes(20)))
struct TLSTests {
    @Test("of version 1.2 and 1.3 is served, and of 1.1 refused")
    func versions() async throws {
        try await TLSPlace.with { place in
            try await place.serve(place.load()) { port in
                let authority = place.certificates.authorityFile
                for version in [TLSVersion.tlsv12, .tlsv13] {
                    let status = try await TLSTestClient.with(
                        port,
                        trusting: authority,
                        versions: (version, version)
                    ) { try await $0.status() }
                    #expect(status == 200)
                }
                await #expect(throws: (any Error).self) {
                    try await TLSTestClient.with(port, trusting: authority, versions: (.tlsv1, .tlsv11)) {
                        _ = try await $0.status()
                    }
                }
            }
        }
    }

    @Test("requests without it get no response, and do not disturb others")
    func plain() async throws {
        try await TLSPlace.with { place in
            try await place.serve(place.load()) { port in
                let client = try await RawClient(port: port)
                try await client.begin("GET /healthz")
                #expect(await !client.read(until: "HTTP/1.1").contains("HTTP/1.1"))
                let status = try await TLSTestClient.with(port, trusting: place.certificates.authorityFile) {
                    try await $0.status()
                }
                #expect(status == 200)
            }
        }
    }

    @Test("begins after the header of the PROXY protocol of a trusted proxy")
    func behindProxy() async throws {
        try await TLSPlace.with { place in
            var proxies = TrustedProxies()
            proxies.ranges = [try #require(AddressRange("127.0.0.1"))]
            proxies.sendProxyHeader = true
            try await place.serve(place.load(), behind: proxies) { port in
                var tls = TLSConfiguration.makeClientConfiguration()
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(place.certificates.authorityFile))
                let context = try NIOSSLContext(configuration: tls)
                let client = try await RawClient(port: port)
                try await client.write("PROXY TCP4 198.51.100.7 127.0.0.1 4000 443\r\n")
                try await client.channel.eventLoop.submit {
                    let handler = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
                    try client.channel.pipeline.syncOperations.addHandler(handler, position: .first)
                }.get()
                try await client.begin("GET /healthz")
                #expect(await client.read(until: "200 OK").contains("200 OK"))
                try await client.channel.close()
            }
        }
    }

    @Test("a body that is refused before its end does not cost the client its response")
    func earlyResponse() async throws {
        try await TLSPlace.with { place in
            try await place.serve(place.load()) { port in
                try await TLSTestClient.with(port, trusting: place.certificates.authorityFile) { client in
                    let body = ByteBuffer(repeating: UInt8(ascii: " "), count: 1 << 20)
                    let early = try await client.status("/v1/apps", body: body)
                    #expect(early == 401)
                    let next = try await client.status()
                    #expect(next == 200)
                }
            }
        }
    }

    @Test("with an authority of clients, only clients with its certificate are served")
    func clientCertificates() async throws {
        try await TLSPlace.with(asksClients: true) { place in
            let stranger = try TestCertificates(in: place.certificates.directory, named: "stranger")
            let refused = [nil, try stranger.issueClient(), try place.certificates.issueServer()]
            let accepted = try place.certificates.issueClient()
            try await place.serve(place.load()) { port in
                let authority = place.certificates.authorityFile
                for identity in refused {
                    await #expect(throws: (any Error).self) {
                        try await TLSTestClient.with(port, trusting: authority, presenting: identity) {
                            _ = try await $0.status()
                        }
                    }
                }
                let status = try await TLSTestClient.with(port, trusting: authority, presenting: accepted) {
                    try await $0.status()
                }
                #expect(status == 200)
            }
        }
    }

    @Test("a changed certificate is used for new connections, and open ones stay")
    func reload() async throws {
        try await TLSPlace.with { place in
            let tls = try place.load()
            let (old, new) = (place.certificates, try TestCertificates(in: place.certificates.directory, named: "new"))
            try await place.serve(tls) { port in
                // This client trusts only the old authority, so its second request proves that its connection is open.
                try await TLSTestClient.with(port, trusting: old.authorityFile) { open in
                    #expect(try await open.status() == 200)
                    try new.write(try new.issueServer())
                    tls.reload()
                    let status = try await TLSTestClient.with(port, trusting: new.authorityFile) {
                        try await $0.status()
                    }
                    #expect(status == 200)
                    #expect(try await open.status() == 200)
                }
                await #expect(throws: (any Error).self) {
                    try await TLSTestClient.with(port, trusting: old.authorityFile) { _ = try await $0.status() }
                }
            }
            #expect(try place.reloads("loaded") == 1)
            #expect(place.logs.lines.contains { $0.contains("TLS certificate changed") })
        }
    }

    @Test("files are read every few seconds while the server runs")
    func polling() async throws {
        try await TLSPlace.with { place in
            let clock = TestClock()
            let tls = try place.load(clock: clock)
            let new = try TestCertificates(in: place.certificates.directory, named: "new")
            try await place.serve(tls) { port in
                try await clock.timer(dueIn: TLSCertificates.interval)
                try new.write(try new.issueServer())
                try await clock.fire(timerDueIn: TLSCertificates.interval)
                // It sleeps again after it has read the files.
                try await clock.timer(dueIn: TLSCertificates.interval)
                let status = try await TLSTestClient.with(port, trusting: new.authorityFile) { try await $0.status() }
                #expect(status == 200)
            }
        }
    }

    @Test("changed files that cannot be used are logged and counted once, and the former certificate stays")
    func brokenReload() async throws {
        try await TLSPlace.with { place in
            let tls = try place.load()
            let other = try place.certificates.issueServer()
            let good = try String(contentsOfFile: place.files.certificate, encoding: .utf8)
            try await place.serve(tls) { port in
                var failures = 0.0
                let broken = ["", "no PEM", String(good.dropLast(40)), other.certificatePEM, nil] as [String?]
                for content in broken {
                    try place.replace(place.files.certificate, with: content)
                    tls.reload()
                    tls.reload()
                    failures += 1
                    #expect(try place.reloads("failed") == failures)
                    let status = try await TLSTestClient.with(port, trusting: place.certificates.authorityFile) {
                        try await $0.status()
                    }
                    #expect(status == 200)
                }
                try place.replace(place.files.certificate, with: good)
                tls.reload()
            }
            #expect(try place.reloads("loaded") == 0)
            let errors = place.logs.entries.filter { $0.level == .error }
            #expect(errors.count == 5)
            #expect(errors.allSatisfy { "\($0.message)".contains("keeping the former certificate") })
        }
    }

    @Test("files that cannot be used are named, without a trap and without their content")
    func brokenFiles() async throws {
        try await TLSPlace.with(asksClients: true) { place in
            let (certificate, key) = (place.files.certificate, place.files.key)
            let clientCA = try #require(place.files.clientCA)
            let other = try place.certificates.issueServer()
            let cases: [(String, String?, TLSFileError.File)] = [
                (certificate, nil, .certificate), (certificate, "", .certificate),
                (certificate, other.privateKeyPEM, .certificate), (key, nil, .key), (key, "", .key),
                (key, other.certificatePEM, .key), (key, other.privateKeyPEM, .key),
                (key, String(repeating: "a", count: TLSFiles.maximumBytes + 1), .key), (clientCA, nil, .clientCA),
                (clientCA, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", .clientCA),
            ]
            for (path, content, file) in cases {
                let good = try String(contentsOfFile: path, encoding: .utf8)
                try place.replace(path, with: content)
                let error = try #require(throws: TLSFileError.self) { _ = try place.files.check() }
                #expect(error.file == file, "\(error)")
                #expect(error.message.contains(path))
                try place.replace(path, with: good)
            }
            #expect(try place.files.check() ?? .distantPast > Date())
        }
    }

    @Test("a key that is a directory, a FIFO or a device is refused without waiting for it")
    func irregularFiles() async throws {
        try await TLSPlace.with { place in
            let fifo = "\(place.certificates.directory)/fifo"
            #expect(mkfifo(fifo, 0o600) == 0)
            for path in [fifo, place.certificates.directory, "/dev/zero"] {
                let files = TLSFiles(certificate: place.files.certificate, key: path)
                let error = try #require(throws: TLSFileError.self) { _ = try files.check() }
                #expect(error.file == .key)
                #expect(error.message.contains("regular file"))
            }
        }
    }

    @Test("a file that was cut anywhere is refused, and one with changed bytes does not trap")
    func malformedFiles() async throws {
        try await TLSPlace.with { place in
            for path in [place.files.certificate, place.files.key] {
                let good = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
                var random = SeededRandom(seed: 45)
                for length in stride(from: 0, to: good.count - 30, by: 7) {
                    try place.replace(path, with: String(decoding: good.prefix(length), as: UTF8.self))
                    #expect(throws: TLSFileError.self) { _ = try place.files.check() }
                }
                for _ in 0..<200 {
                    var bytes = good
                    let index = Int.random(in: 28..<(good.count - 28), using: &random)
                    bytes[index] = UInt8(ascii: "A") + UInt8.random(in: 0..<26, using: &random)
                    try place.replace(path, with: String(decoding: bytes, as: UTF8.self))
                    _ = try? place.files.check()
                }
                try Data(good).write(to: URL(fileURLWithPath: path))
            }
        }
    }

    @Test("an expired certificate is loaded with a warning")
    func expired() async throws {
        try await TLSPlace.with { place in
            let past = Date(timeIntervalSinceNow: -400 * 86_400)
            try place.certificates.write(try place.certificates.issueServer(from: past))
            _ = try place.load()
            #expect(place.logs.lines.contains { $0.hasPrefix("warning The TLS certificate has expired") })
        }
    }
}
