// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Testing

@testable import AppAttest

@Suite("Attestations of App Attest")
struct AttestationVerifierTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let appID = "TEAM123456.com.example.app"
    private static let challenge = "a challenge"
    private static let hash = AttestationVerifier.clientDataHash(of: Self.challenge)

    private static func sample() throws -> (object: [UInt8], keyID: [UInt8]) {
        func decode(_ text: String) throws -> [UInt8] {
            Array(try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters)))
        }
        let object = TestAttestationAuthority.object(
            certificates: [try decode(AppleSample.leaf), try decode(AppleSample.intermediate)],
            authenticatorData: try decode(AppleSample.authenticatorData)
        )
        return (object, try decode(AppleSample.keyID))
    }

    @Test("the sample that Apple publishes is valid under Apple's root, for its app, challenge and time only")
    func appleSample() async throws {
        let (object, keyID) = try Self.sample()
        let apple = try #require(AttestationVerifier.apple)
        func verify(
            hash: [UInt8] = AppleSample.clientDataHash,
            appID: String = AppleSample.appID,
            now: Date = AppleSample.time
        ) async throws(AttestationError) -> AttestationEnvironment {
            try await apple.verify(object, keyID: keyID, clientDataHash: hash, appID: appID, now: now)
        }
        #expect(try await verify() == .production)
        await #expect(throws: AttestationError.nonce) { try await verify(hash: Self.hash) }
        await #expect(throws: AttestationError.app) { try await verify(appID: Self.appID) }
        await #expect(throws: AttestationError.certificates) { try await verify(now: AppleSample.time + 7 * 24 * 3600) }
    }

    @Test("no truncated sample is valid, and none with a damaged byte")
    func damaged() async throws {
        let (object, keyID) = try Self.sample()
        let apple = try #require(AttestationVerifier.apple)
        func isValid(_ object: [UInt8]) async -> Bool {
            let environment = try? await apple.verify(
                object,
                keyID: keyID,
                clientDataHash: AppleSample.clientDataHash,
                appID: AppleSample.appID,
                now: AppleSample.time
            )
            return environment != nil
        }
        #expect(await isValid(object))
        for length in 0..<object.count { #expect(await !isValid(Array(object.prefix(length))), "\(length) bytes") }
        for index in object.indices {
            var damaged = object
            damaged[index] ^= 0xFF
            #expect(await !isValid(damaged), "byte \(index)")
        }
        #expect(await !isValid(object + [0]))
    }

    @Test("each check refuses what Apple's steps refuse")
    func checks() async throws {
        let authority = try TestAttestationAuthority(now: Self.now)
        let verifier = try AttestationVerifier(rootPEM: authority.rootPEM)
        func verify(
            _ change: (inout TestAttestationAuthority.Request) -> Void = { _ in },
            keyID: [UInt8]? = nil,
            by verifier: AttestationVerifier? = nil,
            now: Date = Self.now
        ) async throws -> AttestationEnvironment {
            var request = TestAttestationAuthority.Request(appID: Self.appID, clientDataHash: Self.hash)
            change(&request)
            let attestation = try authority.attest(request)
            return try await (verifier ?? AttestationVerifier(rootPEM: authority.rootPEM)).verify(
                attestation.object,
                keyID: keyID ?? attestation.keyID,
                clientDataHash: Self.hash,
                appID: Self.appID,
                now: now
            )
        }
        #expect(try await verify(by: verifier) == .production)
        #expect(try await verify({ $0.aaguid = Array("appattestdevelop".utf8) }) == .development)
        await #expect(throws: AttestationError.environment) { try await verify({ $0.aaguid[15] = 1 }) }
        await #expect(throws: AttestationError.counter) { try await verify({ $0.counter[3] = 1 }) }
        await #expect(throws: AttestationError.app) { try await verify({ $0.appID += "2" }) }
        await #expect(throws: AttestationError.nonce) { try await verify({ $0.clientDataHash[0] ^= 1 }) }
        let other = [UInt8](repeating: 7, count: 32)
        await #expect(throws: AttestationError.keyID) { try await verify({ $0.credentialID = other }) }
        await #expect(throws: AttestationError.keyID) { try await verify(keyID: other) }
        await #expect(throws: AttestationError.certificates) { try await verify(by: AttestationVerifier.apple) }
        await #expect(throws: AttestationError.certificates) { try await verify(now: Self.now + 4 * 24 * 3600) }
    }

    @Test(
        "CBOR that is too deep, too long, repeats keys or has trailing bytes is malformed",
        arguments: [
            [], [0x81], Array(repeating: 0x81, count: 100_000), [0x9B] + Array(repeating: 0xFF, count: 8),
            [0x5B] + Array(repeating: 0xFF, count: 8), [0x5F], [0x1F], [0xF6], [0x00, 0x00],
            [0xA2, 0x61, 0x61, 0x00, 0x61, 0x61, 0x00], [0xA1, 0x00, 0x00], [0x61, 0xFF],
            [0x98, 0xC8] + Array(repeating: 0x00, count: 200),
            [0x78, 65] + Array(repeating: 0x61, count: 65),
        ] as [[UInt8]]
    )
    func malformed(bytes: [UInt8]) {
        #expect(throws: AttestationError.malformed) { _ = try CBORReader.read(bytes) }
    }
}
