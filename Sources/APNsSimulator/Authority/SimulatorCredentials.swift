// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The authority and the demo key of a simulator.
struct SimulatorCredentials: Sendable {
    let authority: CertificateAuthority
    let demoKey: SimulatorProviderKey

    /// New ones, kept in memory only.
    init(now: Date) throws {
        self.authority = try CertificateAuthority(now: now)
        self.demoKey = .make()
    }

    /// Reads the credentials of a directory; creates and writes those that are missing or about to expire.
    ///
    /// - Throws: ``APNsSimulatorError`` `directory` if a file cannot be read, understood or written.
    init(directory: SimulatorDirectory, now: Date) throws(APNsSimulatorError) {
        try directory.create()
        // If several processes start at the same time, the first creates the files, and the others read them.
        (self.authority, self.demoKey) = try directory.alone { () throws(APNsSimulatorError) in
            (try Self.authority(in: directory, now: now), try Self.demoKey(in: directory))
        }
    }

    private static func authority(
        in directory: SimulatorDirectory,
        now: Date
    ) throws(APNsSimulatorError) -> CertificateAuthority {
        if let certificate = try directory.read(.authority), let key = try directory.read(.authorityKey) {
            let kept = try directory.understand(.authority) {
                try CertificateAuthority(certificatePEM: certificate, privateKeyPEM: key)
            }
            if kept.isValid(now: now) { return kept }
        }
        let authority = try directory.understand(.authority) { try CertificateAuthority(now: now) }
        try directory.write(authority.privateKey.pemRepresentation + "\n", to: .authorityKey)
        try directory.write(directory.understand(.authority) { try authority.certificatePEM }, to: .authority)
        return authority
    }

    private struct KeyDescription: Codable {
        var keyID: String
        var teamID: String
    }

    private static func demoKey(in directory: SimulatorDirectory) throws(APNsSimulatorError) -> SimulatorProviderKey {
        if let p8 = try directory.read(.demoKey), let json = try directory.read(.demoKeyDescription) {
            let description = try directory.understand(.demoKeyDescription) {
                try JSONDecoder().decode(KeyDescription.self, from: Data(json.utf8))
            }
            let key = SimulatorProviderKey(keyID: description.keyID, teamID: description.teamID, p8: p8)
            _ = try directory.understand(.demoKey) { try ProviderKey(key) }
            return key
        }
        let key = SimulatorProviderKey.make()
        try directory.write(key.p8, to: .demoKey)
        let json = "{\"keyID\":\"\(key.keyID)\",\"teamID\":\"\(key.teamID)\"}\n"
        try directory.write(json, to: .demoKeyDescription)
        return key
    }
}
