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

/// The authorities and the demo key of a simulator.
struct SimulatorCredentials: Sendable {
    let authority: CertificateAuthority
    /// The root of device certificates, which the provider port does not trust.
    let deviceAuthority: CertificateAuthority
    let demoKey: SimulatorProviderKey

    /// New ones, kept in memory only.
    init(now: Date) throws {
        self.authority = try CertificateAuthority(now: now)
        self.deviceAuthority = try CertificateAuthority(name: CertificateAuthority.deviceName, now: now)
        self.demoKey = .make()
    }

    /// Reads the credentials of a directory; creates and writes those that are missing or about to expire.
    ///
    /// - Throws: ``APNsSimulatorError`` `directory` if a file cannot be read, understood or written.
    init(directory: SimulatorDirectory, now: Date) throws(APNsSimulatorError) {
        try directory.create()
        // If several processes start at the same time, the first creates the files, and the others read them.
        (self.authority, self.deviceAuthority, self.demoKey) = try directory.alone { () throws(APNsSimulatorError) in
            let providers = (SimulatorDirectory.File.authority, SimulatorDirectory.File.authorityKey)
            let devices = (SimulatorDirectory.File.deviceAuthority, SimulatorDirectory.File.deviceAuthorityKey)
            return (
                try Self.authority(providers, CertificateAuthority.providerName, in: directory, now: now),
                try Self.authority(devices, CertificateAuthority.deviceName, in: directory, now: now),
                try Self.demoKey(in: directory)
            )
        }
    }

    private static func authority(
        _ files: (certificate: SimulatorDirectory.File, key: SimulatorDirectory.File),
        _ name: String,
        in directory: SimulatorDirectory,
        now: Date
    ) throws(APNsSimulatorError) -> CertificateAuthority {
        if let certificate = try directory.read(files.certificate), let key = try directory.read(files.key) {
            let kept = try directory.understand(files.certificate) {
                try CertificateAuthority(certificatePEM: certificate, privateKeyPEM: key)
            }
            if kept.isValid(now: now) { return kept }
        }
        let authority = try directory.understand(files.certificate) { try CertificateAuthority(name: name, now: now) }
        try directory.write(authority.privateKey.pemRepresentation + "\n", to: files.key)
        let certificate = try directory.understand(files.certificate) { try authority.certificatePEM }
        try directory.write(certificate, to: files.certificate)
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
