// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import SwiftASN1
import Testing
import X509

@testable import APNsSimulator

@Suite("Authority and demo key")
struct CredentialsTests {
    private let now = Date(timeIntervalSince1970: 1_760_000_000)

    private func withDirectory<Value>(_ body: (SimulatorDirectory) throws -> Value) throws -> Value {
        let path = FileManager.default.temporaryDirectory.appending(path: "apus-simulator-\(UUID())").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try body(SimulatorDirectory(path: path))
    }

    @Test("a directory has the CA, the demo key and its description; secrets are for the owner only")
    func files() throws {
        try self.withDirectory { directory in
            let credentials = try SimulatorCredentials(directory: directory, now: self.now)
            #expect(try directory.read(.authority) == credentials.authority.certificatePEM)
            #expect(try directory.read(.demoKey) == credentials.demoKey.p8)
            let text = try #require(try directory.read(.demoKeyDescription))
            let json = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
            #expect(json == ["keyID": credentials.demoKey.keyID, "teamID": credentials.demoKey.teamID])
            #expect(json.values.allSatisfy { $0.count == 10 })
            for file in [SimulatorDirectory.File.authorityKey, .deviceAuthorityKey, .demoKey] {
                let attributes = try FileManager.default.attributesOfItem(atPath: directory.path(of: file))
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            }
        }
    }

    @Test("a second run finds the same CA and the same key")
    func reuse() throws {
        try self.withDirectory { directory in
            let first = try SimulatorCredentials(directory: directory, now: self.now)
            let second = try SimulatorCredentials(directory: directory, now: self.now.addingTimeInterval(86_400))
            #expect(first.authority.certificate == second.authority.certificate)
            #expect(first.deviceAuthority.certificate == second.deviceAuthority.certificate)
            #expect(first.authority.certificate != first.deviceAuthority.certificate)
            #expect(first.demoKey == second.demoKey)
        }
    }

    @Test("of several that start at once in a new directory all have the same CA and key")
    func atOnce() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "apus-simulator-\(UUID())").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let all = try await withThrowingTaskGroup(of: SimulatorCredentials.self) { group in
            for _ in 0..<8 {
                group.addTask { try SimulatorCredentials(directory: SimulatorDirectory(path: path), now: self.now) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(all.map(\.authority.certificate)).count == 1)
        #expect(Set(all.map(\.demoKey)).count == 1)
    }

    @Test("a CA that is about to expire is replaced, the key is not")
    func expiry() throws {
        try self.withDirectory { directory in
            let first = try SimulatorCredentials(directory: directory, now: self.now)
            let later = self.now.addingTimeInterval(10 * 365 * 86_400 - 86_400)
            let second = try SimulatorCredentials(directory: directory, now: later)
            #expect(first.authority.certificate != second.authority.certificate)
            #expect(first.demoKey == second.demoKey)
        }
    }

    @Test(
        "a file that does not hold what it should is named, not overwritten",
        arguments: [
            SimulatorDirectory.File.authority, .authorityKey, .deviceAuthority, .deviceAuthorityKey, .demoKey,
            .demoKeyDescription,
        ]
    )
    func garbage(file: SimulatorDirectory.File) throws {
        try self.withDirectory { directory in
            _ = try SimulatorCredentials(directory: directory, now: self.now)
            try directory.write("garbage", to: file)
            let error = #expect(throws: APNsSimulatorError.self) {
                try SimulatorCredentials(directory: directory, now: self.now)
            }
            #expect(error?.code == .directory)
            #expect(error?.message.contains("delete it") == true)
            #expect(try directory.read(file) == "garbage")
        }
    }

    @Test("a directory that cannot be made is named")
    func noDirectory() throws {
        try self.withDirectory { directory in
            try Data().write(to: URL(filePath: directory.path))
            let error = #expect(throws: APNsSimulatorError.self) {
                try SimulatorCredentials(directory: SimulatorDirectory(path: directory.path + "/below"), now: self.now)
            }
            #expect(error?.message.contains(directory.path) == true)
        }
    }

    @Test("the server certificate is for localhost, both loopback addresses, and the names and addresses given")
    func serverNames() throws {
        let authority = try CertificateAuthority(now: self.now)
        let hosts = ["push.test", "192.0.2.7", "2001:db8::7", "127.0.0.1", "localhost"]
        let issued = try authority.issueServer(names: hosts, now: self.now)
        let certificate = try Certificate(pemEncoded: issued.certificatePEM)
        let names = try #require(try certificate.extensions.subjectAlternativeNames)
        #expect(names.contains(.dnsName("localhost")))
        #expect(names.contains(.dnsName("push.test")))
        let addresses: [[UInt8]] = [
            [127, 0, 0, 1], [192, 0, 2, 7], [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7],
        ]
        for address in addresses {
            #expect(names.contains(.ipAddress(ASN1OctetString(contentBytes: address[...]))))
        }
        #expect(names.count == 6)
        #expect(authority.certificate.publicKey.isValidSignature(certificate.signature, for: certificate))
    }
}
