// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
package import PushModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file in which a server keeps its master key unless it is told one.
package enum MasterKeyFile {
    package static func path(in directory: String) -> String { "\(directory)/master.key" }

    /// Makes a master key in a data directory; the one that is there already, where another process was faster.
    ///
    /// - Throws: ``CommandFailure`` `.unwritable_file`, `.unreadable_file`, `.bad_master_key`.
    @discardableResult
    package static func make(in directory: String) throws -> MasterKey {
        let path = self.path(in: directory)
        let key = MasterKey.generate()
        do {
            if try PrivateFile.create(path, Data("\(key.base64)\n".utf8)) { return key }
        } catch {
            throw CommandFailure(
                "unwritable_file",
                "\(path), where the master key belongs, cannot be written: \(error.localizedDescription)",
                cause: error
            )
        }
        return try self.read(path, from: "The master key")
    }

    /// Reads a master key.
    ///
    /// - Throws: ``CommandFailure`` `.exposed_master_key` when other users can read it, `.unreadable_file`,
    ///   `.bad_master_key`.
    package static func read(_ path: String, from source: String) throws -> MasterKey {
        try self.check(FilePermissions(of: path), path, source)
        do {
            return try self.parse(try InputFile.text(path), from: "\(source) in \(path)")
        } catch let failure as CommandFailure where failure.code == "unreadable_file" {
            throw CommandFailure(failure.code, "\(source): \(failure.message)", cause: failure)
        }
    }

    /// Refuses a key that other users can read, unless it belongs to root and only its group can read it.
    private static func check(_ permissions: FilePermissions?, _ path: String, _ source: String) throws {
        guard let permissions, permissions.admitsOthers, !permissions.isMountedSecret else { return }
        throw CommandFailure(
            "exposed_master_key",
            """
            \(source): other users can read the master key in \(path) (mode \(permissions.octal), owner \
            \(permissions.owner)). Expected a file that only its owner can read, or one of root's that only its group \
            can read (mode 0440), as mounted secrets are.
              Run: chmod 600 \(path)
              If other users may have read it, make a new key and add the credentials again.
            """
        )
    }

    package static func parse(_ text: String, from source: String) throws -> MasterKey {
        do {
            return try MasterKey(base64: text)
        } catch {
            throw CommandFailure("bad_master_key", "\(source): \(error.message)", cause: error)
        }
    }
}

/// Makes files that nobody but their owner may read, whole or not at all.
enum PrivateFile {
    /// Makes a file that survives a loss of power once this returns.
    ///
    /// It is written under another name and gets its own when it is complete, so that nobody ever sees a part of it.
    /// - Returns: whether it was made; `false` when there is a file of that name already, which is left alone.
    /// - Throws: what the system says when it cannot be written.
    static func create(_ path: String, _ content: Data) throws -> Bool {
        let temporary = "\(path).\(UInt64.random(in: .min ... .max))"
        try Self.write(content, to: temporary)
        defer { _ = unlink(temporary) }
        // Unlike `rename`, `link` never takes the place of a file that another process has just made.
        if link(temporary, path) != 0 {
            if errno == EEXIST { return false }
            // Some file systems know no second names.
            guard rename(temporary, path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        }
        try Self.synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        return true
    }

    /// Makes an empty file unless there is one; where that fails, whoever opens the file fails and says why.
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
