// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@Suite("The guide to credentials", .timeLimit(.minutes(20)))
struct CredentialGuideTests {
    /// Signs the request as Apple does, and sends back a certificate in DER.
    private static let apple = """
        openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=Authority
        openssl x509 -req -in push.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -outform der -out aps.cer
        """

    /// The encryption of the files that Keychain Access exports.
    private static let keychain = "-keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1"

    @Test("its commands turn a signing request and Apple's certificate into a .p12 that the server takes")
    func openssl() async throws {
        let guide = try String(contentsOfFile: PythonEnvironment.file("docs/credentials.md"), encoding: .utf8)
        let commands = guide.components(separatedBy: "\n```sh\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }.filter { $0.hasPrefix("openssl ") }
        try #require(commands.count == 2, "the commands of the guide")
        try await ServerInTest.with(roles: "none") { _, server in
            for (name, options) in [("openssl", ""), ("keychain", Self.keychain)] {
                let directory = "\(server.directory)/\(name)"
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
                let export = commands[1].replacingOccurrences(of: "pkcs12 -export", with: "pkcs12 -export \(options)")
                let script = [
                    "set -e", #"cd "$0""#, "echo s3cret >push.password", commands[0], Self.apple, export,
                ]
                let made = try await CommandRun(
                    ["-c", script.joined(separator: "\n"), directory],
                    of: "/bin/bash",
                    in: server.directory
                )
                try #require(made.status == 0, "\(made.errors)")
                let added = try await server.apus(
                    "apps",
                    "credential",
                    "add",
                    ServerInTest.app,
                    "--p12",
                    "\(directory)/push.p12",
                    "--password-file",
                    "\(directory)/push.password"
                )
                #expect(added.status == 0, "\(added.errors)")
                #expect(added.lines.first?.hasPrefix("Added certificate to \(ServerInTest.app)") == true)
            }
        }
    }
}
