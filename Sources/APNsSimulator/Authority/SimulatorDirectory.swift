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

/// The directory with the files for clients and the simulator's own keys, which it reuses after a restart.
struct SimulatorDirectory: Sendable {
    enum File: String {
        case authority = "ca.pem"
        case authorityKey = "ca-key.pem"
        case deviceAuthority = "device-ca.pem"
        case deviceAuthorityKey = "device-ca-key.pem"
        case demoKey = "demo-key.p8"
        case demoKeyDescription = "demo-key.json"

        /// Secrets are for the owner only.
        var permissions: Int {
            switch self {
            case .authorityKey, .deviceAuthorityKey, .demoKey: 0o600
            case .authority, .deviceAuthority, .demoKeyDescription: 0o644
            }
        }
    }

    let path: String

    func path(of file: File) -> String {
        self.path.hasSuffix("/") ? self.path + file.rawValue : "\(self.path)/\(file.rawValue)"
    }

    /// Creates the directory unless it exists.
    func create() throws(APNsSimulatorError) {
        do {
            try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
        } catch {
            throw APNsSimulatorError(
                code: .directory,
                message: "the directory \(self.path) cannot be created; use another one with --dir",
                cause: error
            )
        }
    }

    /// Runs `body` alone among all simulators that use the directory.
    ///
    /// The lock goes with the process that holds it; the file stays.
    func alone<Value>(_ body: () throws(APNsSimulatorError) -> Value) throws(APNsSimulatorError) -> Value {
        let path = (self.path.hasSuffix("/") ? self.path : self.path + "/") + ".lock"
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        defer { if descriptor >= 0 { close(descriptor) } }
        var status: CInt = -1
        if descriptor >= 0 { repeat { status = flock(descriptor, LOCK_EX) } while status != 0 && errno == EINTR }
        guard status == 0 else {
            let reason = String(cString: strerror(errno))
            throw APNsSimulatorError(code: .directory, message: "\(path) cannot be locked: \(reason)")
        }
        return try body()
    }

    /// A file's text, or `nil` if there is no such file.
    func read(_ file: File) throws(APNsSimulatorError) -> String? {
        let path = self.path(of: file)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        } catch {
            throw APNsSimulatorError(code: .directory, message: "\(path) cannot be read", cause: error)
        }
    }

    /// Writes a file as a whole: it has its permissions before it has its name, and is never missing once it is there.
    func write(_ text: String, to file: File) throws(APNsSimulatorError) {
        let path = self.path(of: file)
        let draft = "\(path).new"
        do {
            try? FileManager.default.removeItem(atPath: draft)
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: file.permissions]
            guard FileManager.default.createFile(atPath: draft, contents: nil, attributes: attributes) else {
                throw CocoaError(.fileWriteUnknown)
            }
            try Data(text.utf8).write(to: URL(filePath: draft))
            guard rename(draft, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            throw APNsSimulatorError(code: .directory, message: "\(path) cannot be written", cause: error)
        }
    }

    /// Parses the content of a file with `body`; an error names the file.
    func understand<Value>(_ file: File, _ body: () throws -> Value) throws(APNsSimulatorError) -> Value {
        do {
            return try body()
        } catch {
            throw APNsSimulatorError(
                code: .directory,
                message: "\(self.path(of: file)) has invalid content; delete it, and the simulator creates a new one",
                cause: error
            )
        }
    }
}
