// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import Foundation
import NIOSSL
import Testing

@Suite("A credential that cannot be used", .timeLimit(.minutes(20)))
struct BadCredentialTests {
    /// Adds a credential of a file; the server has to refuse it.
    private func refusal(_ arguments: [String], _ server: ServerInTest.Running) async throws -> CommandFailureWords {
        let words = try await CommandRun(
            ["apps", "credential", "add", ServerInTest.app] + arguments + ["--json"],
            environment: server.environment,
            in: server.directory
        )
        #expect(words.status == 1)
        let listed = try await server.apus("apps", "credential", "list", ServerInTest.app, "--json")
        #expect(listed.lines.count == 1, "only the credential of the beginning is there")
        return CommandFailureWords(code: words.failure?.code ?? "", message: words.failure?.message ?? "")
    }

    private struct CommandFailureWords {
        let code: String
        let message: String
    }

    private func write(_ bytes: [UInt8], _ name: String, _ server: ServerInTest.Running) throws -> String {
        let path = "\(server.directory)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("because its certificate has another key is refused with field and rule")
    func mismatch() async throws {
        try await ServerInTest.with { simulator, server in
            let one = try simulator.issueCertificate(PushCertificateRequest(bundleID: ServerInTest.app))
            let other = try simulator.issueCertificate(PushCertificateRequest(bundleID: ServerInTest.app))
            let mixed = Array("\(one.certificatePEM)\n\(other.privateKeyPEM)\n".utf8)
            let pem = try await self.refusal(["--pem", try self.write(mixed, "mixed.pem", server)], server)
            #expect(pem.code == "invalid_credential")
            #expect(pem.message.contains("pem: expected an APNs certificate and its unencrypted private key"))
            #expect(pem.message.contains("does not belong"))
            #expect(pem.message.contains("status 422"))
        }
    }

    @Test("because a PKCS #12 file lacks the key or its certificate is refused, and the server lives on")
    func incomplete() async throws {
        try await ServerInTest.with { _, server in
            let password = try self.write(Array("test".utf8), "password", server)
            for (name, text) in [("key", Self.keyAlone), ("certificate", Self.certificateAlone)] {
                let content = try #require(Data(base64Encoded: text))
                let file = try self.write(Array(content), "\(name).p12", server)
                let refusal = try await self.refusal(["--p12", file, "--password-file", password], server)
                #expect(refusal.code == "invalid_credential", "\(name)")
                #expect(refusal.message.contains("p12: expected an APNs certificate with its private key"))
                #expect(refusal.message.contains("no private key with a certificate that belongs to it"))
            }
        }
    }

    @Test("because its password is wrong, or it is something else, is refused with its field")
    func others() async throws {
        try await ServerInTest.with { simulator, server in
            let issued = try simulator.issueCertificate(PushCertificateRequest(bundleID: ServerInTest.app))
            let pem = Array("\(issued.certificatePEM)\n\(issued.privateKeyPEM)\n".utf8)
            let bundle = NIOSSLPKCS12Bundle(
                certificateChain: try NIOSSLCertificate.fromPEMBytes(pem),
                privateKey: try NIOSSLPrivateKey(bytes: pem, format: .pem)
            )
            let file = try self.write(try bundle.serialize(passphrase: "right".utf8), "good.p12", server)
            let password = try self.write(Array("wrong\n".utf8), "password", server)
            let locked = try await self.refusal(["--p12", file, "--password-file", password], server)
            #expect(locked.code == "wrong_certificate_password")
            #expect(locked.message.contains("password: expected the password of the file"))

            let text = try self.write(Array("no key".utf8), "some.txt", server)
            let ids = ["--key-id", "ABCDE12345", "--team-id", "FGHIJ67890"]
            let key = try await self.refusal(["--p8", text] + ids, server)
            #expect(key.code == "invalid_credential")
            #expect(key.message.contains("p8: expected an APNs key (.p8) in PEM form"))
            #expect(try await self.refusal(["--p12", text], server).code == "invalid_credential")
            #expect(try await self.refusal(["--pem", text], server).code == "invalid_credential")
        }
    }

    /// PKCS #12 with the password `test`, made by `openssl pkcs12 -export -nocerts` for a key that nothing else uses.
    private static let keyAlone = """
        MIIBfgIBAzCCATQGCSqGSIb3DQEHAaCCASUEggEhMIIBHTCCARkGCSqGSIb3DQEHAaCCAQoEggEGMIIBAjCB/wYLKoZIhvcNAQwKAQKgge8w\
        gewwVwYJKoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwECBD1MpUun9VNAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQoM6JHgVl\
        GSHhoTUx9Y8yaASBkK8Ib8xVMK3A1Oz17AvBA+7UEu+N6OtrS1GZYjMxY4MWQ23R9hdtX8bUtwvdHMT2Y87w1DGvnYSa5tCJxOBlxGYTOmIF\
        APucQZNj/PbV6nsjtkMjFwXE93oBzKqGB55bD3rStIdSlrUg2igSxdxcCX39qesCLIGBd3oMdFaiNISY62YSRLc0cqK8nKkR3LtuuDBBMDEw\
        DQYJYIZIAWUDBAIBBQAEICWwgfqbwUPWvPs7FonPqCXDv05/D8gemrC1/EqjCuyfBAi45VuX1nvwJAICCAA=
        """

    /// The same with `-nokeys`: the certificate of that key.
    private static let certificateAlone = """
        MIICpwIBAzCCAl0GCSqGSIb3DQEHAaCCAk4EggJKMIICRjCCAkIGCSqGSIb3DQEHBqCCAjMwggIvAgEAMIICKAYJKoZIhvcNAQcBMFcGCSqG\
        SIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiCy8+eQH4mqQICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEG61nEI68VBqlQoxg9jm\
        /xOAggHAYv7/A1LikIh1+hxPbNGth9JTkNYCfdLoiGMgXvWSmSRWglEUewXNLphusTY+vI04+Qh86UyMhI9XPaPd5Ft9Dyl9Th0Avi2sFsgD\
        LlgbjqyvATqkweQfsicWzZJN1NTfg361sayNpvtbFy1ST6kUFq4grc92oMZsD1+LlWg4v1+b+pTicc6ZFyQNWg8+a5f+nQWcIasJhQ4Hr7WO\
        u7xXvDQn5jVO5ufKjCfQNa+l9PfdfLVTMnLF+d0doIbpkQVY3XLZw4VG0yZANaA0qXIiP3weu4vGdEEt/vAne/ZNmgJTzaDOTv61yyLl3Vc5\
        38Rq3KPCcShS8D9VIFRrYrQ5PsV15D6Vhnz1vdjGKqV2KItXHbHIoBKlIrFZ3a4qYVXQilqyowshsvOQFWSzIy3Ay7H6AR96gIokEDSJSSaH\
        DH3fJdrJcSEAKI8Mra9MOpj5cHMRIOsVmDI+Vnu85kZc20whcuuZX0GgAy0xziOTLQKCXt43p8EQhbTn/PLcA/hzLb1su2oTMAbSjr+KVlGa\
        L+K+7pPBsrILVPjX3YeQnBXPigCPTN5icIoZnehUQyFsHRiMD1LrzRkYX1cPeJvS1zBBMDEwDQYJYIZIAWUDBAIBBQAEIKPIha3ykPnVFBCl\
        6crKEKn7i1f0NSufR8LzP3eS7UkMBAiUCjFyMYp/2AICCAA=
        """
}
