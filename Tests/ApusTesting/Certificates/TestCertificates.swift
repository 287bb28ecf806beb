// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNsSimulator
public import Foundation

/// An authority of this test run, and PEM files with what it issues.
public struct TestCertificates: Sendable {
    /// The directory of the files.
    public let directory: String

    private let authority: CertificateAuthority

    /// Creates an authority; its certificate is in the file ``authorityFile``.
    public init(in directory: String, named name: String = "authority") throws {
        self.directory = directory
        self.authority = try CertificateAuthority(now: Date())
        self.authorityFile = "\(directory)/\(name).pem"
        try Data(self.authority.certificatePEM.utf8).write(to: URL(fileURLWithPath: self.authorityFile))
    }

    /// The certificate of the authority.
    public let authorityFile: String

    /// Issues a certificate for `localhost` and 127.0.0.1, which was valid from `start` on.
    public func issueServer(from start: Date = Date()) throws -> IssuedCertificate {
        try self.authority.issueServer(now: start)
    }

    /// Issues a certificate for a client.
    public func issueClient() throws -> IssuedCertificate {
        try self.authority.issueDevice(VirtualDeviceID(rawValue: "client"), lifetime: 3600, now: Date())
    }

    /// Writes a certificate and its key to files, which replace former ones.
    ///
    /// - Returns: the files.
    @discardableResult
    public func write(
        _ issued: IssuedCertificate,
        named name: String = "server"
    ) throws -> (certificate: String, key: String) {
        let files = ("\(self.directory)/\(name).crt", "\(self.directory)/\(name).key")
        try Data(issued.certificatePEM.utf8).write(to: URL(fileURLWithPath: files.0), options: .atomic)
        try Data(issued.privateKeyPEM.utf8).write(to: URL(fileURLWithPath: files.1), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.1)
        return files
    }
}
