// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
package import Logging
package import PushModel
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file with the master key of a server that is not configured with a key.
package enum MasterKeyFile {
    package static func path(in directory: String) -> String { "\(directory)/master.key" }

    /// Creates a master key in a data directory; returns the existing one if another process was faster.
    ///
    /// - Throws: ``CommandError`` `.unwritable_file`, `.unreadable_file`, `.bad_master_key`.
    @discardableResult
    package static func make(in directory: String) throws -> MasterKey {
        let path = self.path(in: directory)
        let key = MasterKey.generate()
        do {
            if try PrivateFile.create(path, Data("\(key.base64)\n".utf8)) { return key }
        } catch {
            throw CommandError(
                "unwritable_file",
                """
                Failed to create the master key file \(path): \(error.localizedDescription)
                  Run the command as the owner of the directory, or make it writable.
                """,
                cause: error
            )
        }
        return try self.read(path, from: "The master key")
    }

    /// Reads a master key.
    ///
    /// - Throws: ``CommandError`` `.exposed_master_key` when other users can read it, `.unreadable_file`,
    ///   `.bad_master_key`.
    package static func read(_ path: String, from source: String) throws -> MasterKey {
        try self.check(FilePermissions(of: path), path, source)
        do {
            return try self.parse(try InputFile.text(path), from: "\(source) in \(path)")
        } catch let failure as CommandError where failure.code == "unreadable_file" {
            throw CommandError(failure.code, "\(source): \(failure.message)", cause: failure)
        }
    }

    /// Rejects a key that other users can read, unless root owns it and only its group can read it.
    private static func check(_ permissions: FilePermissions?, _ path: String, _ source: String) throws {
        guard let permissions, permissions.admitsOthers, !permissions.isMountedSecret else { return }
        throw CommandError(
            "exposed_master_key",
            """
            \(source): other users can read the master key in \(path) (mode \(permissions.octal), owner \
            \(permissions.owner)). Expected a file that only its owner can read, or one that root owns and only its \
            group can read (mode 0440), such as a mounted secret.
              Run: chmod 600 \(path)
              If other users may have read it, rotate it afterwards: apus keys rotate-master
            """
        )
    }

    package static func parse(_ text: String, from source: String) throws -> MasterKey {
        do {
            return try MasterKey(base64: text)
        } catch {
            throw CommandError("bad_master_key", "\(source): \(error.message)", cause: error)
        }
    }
}

extension MasterKeyFile {
    /// Reads a master key, and reads the file again when it has changed.
    ///
    /// If the changed file cannot be read, it logs the error and keeps the keys. It follows only regular files.
    ///
    /// - Throws: ``CommandError``, as ``read(_:from:)`` does.
    package static func follow(_ path: String, from source: String, logger: Logger) throws -> MasterKey {
        // Record the version before reading, so that a change in between is detected.
        let file = FollowedFile(path)
        return try self.read(path, from: source).following {
            guard file.hasChanged() else { return nil }
            do {
                let key = try self.read(path, from: source)
                logger.notice("Master key changed", metadata: self.metadata(of: key))
                return key
            } catch {
                logger.error(
                    "Failed to read the changed master key; keeping the former one",
                    metadata: ["error": "\(error)"]
                )
                return nil
            }
        }
    }

    /// The IDs of the keys of a master key, for the log.
    package static func metadata(of key: MasterKey) -> Logger.Metadata {
        let former = key.ids.dropFirst().joined(separator: ", ")
        var metadata: Logger.Metadata = ["masterKey": "\(key.id)"]
        if !former.isEmpty { metadata["masterKey.former"] = "\(former)" }
        return metadata
    }

    /// Replaces the keys in a file durably and atomically.
    ///
    /// - Throws: ``CommandError`` `.unwritable_file`; then the file is unchanged.
    package static func replace(_ path: String, with key: MasterKey) throws {
        do {
            try PrivateFile.replace(path, with: Data("\(key.base64)\n".utf8))
        } catch {
            throw CommandError(
                "unwritable_file",
                """
                Failed to replace the master key in \(path): \(error.localizedDescription)
                  Run the command as the owner of the directory, or make it writable.
                """,
                cause: error
            )
        }
    }

    /// Writes each key except the first one to a separate file, which only its owner can read.
    ///
    /// So the keys remain available if the command rotated another store than that of the servers.
    /// - Returns: the files, `<path>.former-<id>`, including existing ones.
    /// - Throws: ``CommandError`` `.unwritable_file`.
    package static func keepFormer(of key: MasterKey, beside path: String) throws -> [String] {
        try key.separated.dropFirst().map { former in
            let file = "\(path).former-\(former.id)"
            do {
                _ = try PrivateFile.create(file, Data("\(former.base64)\n".utf8))
            } catch {
                throw CommandError(
                    "unwritable_file",
                    """
                    Failed to write the former master key to \(file): \(error.localizedDescription)
                      Run the command as the owner of the directory, or make it writable.
                    """,
                    cause: error
                )
            }
            return file
        }
    }

    /// Runs `body` with an exclusive lock on the directory of the key.
    ///
    /// - Throws: ``CommandError`` `.busy` if another process does; `.unreadable_file`; what `body` throws.
    package static func withLock<Value: Sendable>(
        on path: String,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        // The lock ends with the process, even after a crash. The file itself is replaced, so it cannot have the lock.
        let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { _ = close(descriptor) } }
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            guard descriptor < 0 || number != EWOULDBLOCK else {
                throw CommandError("busy", "Another process rotates the master key in \(directory). Wait for it.")
            }
            let reason = String(cString: strerror(number))
            throw CommandError(
                "unreadable_file",
                """
                Failed to lock \(directory) for the rotation: \(reason).
                  Run the command as the owner of the directory, or make it writable.
                """
            )
        }
        return try await body()
    }
}

/// Detects that a regular file was changed or replaced, or that its permissions changed.
private final class FollowedFile: Sendable {
    private struct Version: Hashable {
        let file: UInt64
        let size: UInt64
        let modified: Date?
        let mode: UInt64

        /// Reads the version of the file at a path; `nil` if it is not a regular file.
        init?(of path: String) {
            // A mounted secret is replaced by another target of a symbolic link.
            let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
                attributes[.type] as? FileAttributeType == .typeRegular
            else { return nil }
            func number(_ key: FileAttributeKey) -> UInt64 { (attributes[key] as? NSNumber)?.uint64Value ?? 0 }
            self.file = number(.systemFileNumber)
            self.size = number(.size)
            self.modified = attributes[.modificationDate] as? Date
            self.mode = number(.posixPermissions)
        }
    }

    private let path: String
    private let version: Mutex<Version?>

    init(_ path: String) {
        self.path = path
        self.version = Mutex(Version(of: path))
    }

    /// Whether the file has changed since the last call; `false` if it does not exist or is not a regular file.
    func hasChanged() -> Bool {
        guard let found = Version(of: self.path) else { return false }
        return self.version.withLock { known in
            guard known != found else { return false }
            known = found
            return true
        }
    }
}

/// Creates files atomically that only their owner can read.
enum PrivateFile {
    /// Creates a file that survives a power failure after this returns.
    ///
    /// It writes the file under a temporary name and renames it when it is complete, so no process reads a part of it.
    /// - Returns: whether it created the file; `false` if a file of that name exists, which stays unchanged.
    /// - Throws: the error of the system if it cannot write the file.
    static func create(_ path: String, _ content: Data) throws -> Bool {
        let temporary = "\(path).\(UInt64.random(in: .min ... .max))"
        try Self.write(content, to: temporary)
        defer { _ = unlink(temporary) }
        // Unlike `rename`, `link` never replaces a file that another process has just created.
        if link(temporary, path) != 0 {
            if errno == EEXIST { return false }
            // Some file systems have no hard links.
            guard rename(temporary, path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        }
        try Self.synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        return true
    }

    /// Replaces a file atomically.
    ///
    /// Owner, group and permissions do not change. After a power failure, one of the two files exists.
    /// - Throws: the error of the system if it cannot write the file.
    static func replace(_ path: String, with content: Data) throws {
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let temporary = "\(path).\(UInt64.random(in: .min ... .max))"
        try Self.write(content, to: temporary)
        do {
            let kept = attributes.filter {
                [.posixPermissions, .ownerAccountID, .groupOwnerAccountID].contains($0.key)
            }
            try FileManager.default.setAttributes(kept, ofItemAtPath: temporary)
            guard rename(temporary, path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        } catch {
            _ = unlink(temporary)
            throw error
        }
        try Self.synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    /// Makes an empty file unless there is one.
    ///
    /// A failure is not reported here: opening the file reports it.
    ///
    /// It never opens an existing file: to close that would end the locks that SQLite has on it in this process.
    static func reserve(_ path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { _ = close(descriptor) }
    }

    private static func write(_ content: Data, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: content)
            try file.synchronize()
            try file.close()
        } catch {
            _ = unlink(path)
            throw error
        }
    }

    /// Makes the names in a directory durable.
    private static func synchronize(_ directory: String) throws {
        let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }
}
