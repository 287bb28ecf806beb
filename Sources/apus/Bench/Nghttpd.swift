// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// nghttpd as the server of a measurement: it answers each token with an empty 200, as APNs does.
struct Nghttpd {
    /// As many as nghttpd keeps open: above 2,048 files it opens one for nearly each request, and how often depends on
    /// the order in which connections ask, which is then measured instead of the senders.
    static let tokenCount = 2_000

    let port: Int
    let directory: URL
    private let process: ChildProcess

    var certificate: URL { self.directory.appending(path: "cert.pem") }
    var tokens: URL { self.directory.appending(path: "tokens.txt") }

    /// Lays out a directory with an empty file for each token, and starts the server on one core.
    static func start(in directory: URL, streams: Int, core: Int) async throws -> Nghttpd {
        let log = directory.appending(path: "nghttpd.log").path
        let devices = directory.appending(path: "www/3/device")
        try FileManager.default.createDirectory(at: devices, withIntermediateDirectories: true)
        let tokens = BenchNotification.tokens(Self.tokenCount)
        let empty = directory.appending(path: "empty")
        try Data().write(to: empty)
        for token in tokens { try FileManager.default.linkItem(at: empty, to: devices.appending(path: token)) }
        try Data(tokens.joined(separator: "\n").utf8).write(to: directory.appending(path: "tokens.txt"))

        let certificate = directory.appending(path: "cert.pem").path
        let key = directory.appending(path: "key.pem").path
        _ = try await Tool.run(
            Tool.path("openssl"),
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", key, "-out", certificate,
            ],
            log: log
        )
        let port = try await FreePort.find()
        let (executable, arguments) = Cores.pinned(
            try Tool.path("nghttpd"),
            [
                "-a", "127.0.0.1", "-m", "\(streams)", "-d", directory.appending(path: "www").path, "\(port)", key,
                certificate,
            ],
            to: core
        )
        let process = try ChildProcess(executable: executable, arguments: arguments, log: log)
        return Nghttpd(port: port, directory: directory, process: process)
    }

    /// Ends the server.
    func stop() async {
        self.process.kill()
        _ = await self.process.exitStatus()
    }
}
