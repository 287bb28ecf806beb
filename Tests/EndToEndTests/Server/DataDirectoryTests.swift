// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ApusTesting
import Foundation
import Logging
import Testing

@testable import CommandLineSupport

@Suite("The data directory", .timeLimit(.minutes(20)))
struct DataDirectoryTests {
    private static let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }

    /// The permissions of a directory and of each file in it, by name; the directory is ".".
    private static func modes(_ directory: String) throws -> [String: Int] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory) + ["."]
        let modes = try names.map { name -> (String, Int) in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
            return (name, try #require(attributes[.posixPermissions] as? NSNumber).intValue)
        }
        return Dictionary(modes) { $1 }
    }

    private static let closed = [
        ".": 0o700, "apus.db": 0o600, "apus.db-wal": 0o600, "apus.db-shm": 0o600, "apus.db-workers": 0o700,
        "master.key": 0o600,
    ]

    /// Waits until a server has created the directory of its lock file, which it does beside all else.
    private static func hasLocks(_ directory: String) async throws {
        try await waitUntil { FileManager.default.fileExists(atPath: "\(directory)/apus.db-workers") }
    }

    @Test("belongs to its owner alone, with every file that a server writes")
    func fresh() async throws {
        try await ServerInTest.with(roles: "none") { _, server async throws in
            try await Self.hasLocks("\(server.directory)/data")
            #expect(try Self.modes("\(server.directory)/data") == Self.closed)
        }
    }

    @Test("is taken from other users at the start, with one line of the log")
    func corrected() async throws {
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: Self.silent) { simulator in
                let place = try await ServerInTest(in: directory, simulator: simulator)
                let data = "\(directory)/data"
                let first = try await place.start(with: "none")
                try await Self.hasLocks(data)
                // As a crash leaves them.
                await first.kill()
                for name in try Self.modes(data).keys {
                    let mode = [".", "apus.db-workers"].contains(name) ? 0o755 : 0o644
                    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(data)/\(name)")
                }
                let second = try await place.start(with: "none")
                #expect(try Self.modes(data) == Self.closed)
                #expect(await second.process.stop() == 0)
                let log = try String(contentsOfFile: "\(directory)/server.log", encoding: .utf8)
                let lines = log.split(separator: "\n").filter { $0.contains("Removed the permissions of other users") }
                #expect(lines.count == 1)
                for name in ["\(data) (0755)", "apus.db (0644)", "apus.db-wal (0644)", "master.key (0644)"] {
                    #expect(lines.first?.contains(name) == true, "\(name)")
                }
            }
        }
    }

    @Test(
        "a mounted secret is a file of root's that only its group can read",
        arguments: [
            (0o400, 0, true), (0o440, 0, true), (0o640, 0, true), (0o444, 0, false), (0o660, 0, false),
            (0o440, 1000, false),
        ] as [(UInt32, UInt32, Bool)]
    )
    func mountedSecret(mode: UInt32, owner: UInt32, isMountedSecret: Bool) {
        let permissions = FilePermissions(mode: mode, owner: owner)
        #expect(permissions.isMountedSecret == isMountedSecret)
        #expect(permissions.admitsOthers == (mode != 0o400))
        #expect(permissions.octal == "0" + String(mode, radix: 8))
    }
}
