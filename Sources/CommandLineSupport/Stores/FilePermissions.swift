// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging

/// Who may use a file or a directory.
package struct FilePermissions: Hashable, Sendable {
    /// The permission bits, such as `0o600`.
    let mode: UInt32

    /// The user to whom it belongs; 0 is root.
    let owner: UInt32

    init(mode: UInt32, owner: UInt32) {
        self.mode = mode
        self.owner = owner
    }

    /// The permissions at a path; `nil` where neither a file nor a directory is, as for a pipe.
    init?(of path: String) {
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let kind = attributes[.type] as? FileAttributeType, kind == .typeRegular || kind == .typeDirectory,
            let mode = attributes[.posixPermissions] as? NSNumber,
            let owner = attributes[.ownerAccountID] as? NSNumber
        else { return nil }
        self.init(mode: mode.uint32Value & 0o7777, owner: owner.uint32Value)
    }

    /// Whether other users than the owner and root may do anything with it.
    var admitsOthers: Bool { self.mode & 0o077 != 0 }

    /// Whether it belongs to root and only its group may read it, as a secret that a container gets as a file.
    var isMountedSecret: Bool { self.owner == 0 && self.mode & 0o037 == 0 }

    /// Whether it is a directory in which every user has files, such as `/tmp`.
    var isShared: Bool { self.mode & 0o1000 != 0 }

    /// The permission bits in octal digits: `0644`.
    var octal: String { String(("000" + String(self.mode & 0o777, radix: 8)).suffix(4)) }

    /// Takes all permissions from users other than the owner.
    ///
    /// - Returns: whether the system allowed it.
    func restrict(_ path: String) -> Bool {
        let mode = NSNumber(value: self.mode & ~0o077)
        return (try? FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)) != nil
    }
}

extension FilePermissions {
    /// A note for the user of a command that has read a secret from a file that other users can read; `nil` for others.
    package static func warning(about path: String) -> String? {
        self.exposedMode(of: path).map {
            "apus: warning: other users of this machine can read the secret in \(path) (mode \($0)). "
                + "Run: chmod 600 \(path)"
        }
    }

    /// The mode of a file with a secret that other users can read, in octal digits; `nil` for other files.
    package static func exposedMode(of path: String) -> String? {
        guard let permissions = FilePermissions(of: path), permissions.admitsOthers, !permissions.isMountedSecret
        else { return nil }
        return permissions.octal
    }
}

/// The directory of a store and its master key, which only their owner may use.
package enum DataDirectory {
    /// The files that a server writes there, including those that SQLite creates next to the database.
    private static let names = [
        "apus.db", "apus.db-wal", "apus.db-shm", "apus.db-journal", "apus.db-workers", "master.key",
    ]

    /// The directory and those of its files that other users may use, with their modes in octal digits.
    ///
    /// A start takes these permissions from them, where the system allows that.
    package static func exposed(_ directory: String) -> [(path: String, mode: String)] {
        self.exposedPermissions(directory).map { ($0.path, $0.permissions.octal) }
    }

    private static func exposedPermissions(_ directory: String) -> [(path: String, permissions: FilePermissions)] {
        ([directory] + self.names.map { "\(directory)/\($0)" }).compactMap { path in
            guard let permissions = FilePermissions(of: path), permissions.admitsOthers else { return nil }
            let isMounted = path == MasterKeyFile.path(in: directory) && permissions.isMountedSecret
            return isMounted ? nil : (path, permissions)
        }
    }

    /// Creates a directory, or removes the permissions of other users from an existing one and its files.
    ///
    /// It logs the corrected files in one line, and those that this process cannot correct in another.
    ///
    /// - Throws: ``CommandError`` `.unwritable_directory`.
    static func prepare(_ directory: String, logger: Logger) throws {
        try self.create(directory)
        var corrected: [String] = []
        var left: [String] = []
        for (path, permissions) in self.exposedPermissions(directory) {
            let isCorrected = !(path == directory && permissions.isShared) && permissions.restrict(path)
            let found = "\(path) (\(permissions.octal))"
            if isCorrected { corrected.append(found) } else { left.append(found) }
        }
        if !corrected.isEmpty {
            logger.warning(
                "Removed the permissions of other users from the data directory or its files",
                metadata: ["corrected": "\(corrected.joined(separator: ", "))"]
            )
        }
        if !left.isEmpty {
            logger.warning(
                """
                Other users have permissions for the data directory or its files, which this process cannot change. \
                Use a directory that this user owns: chmod 700 for the directory, chmod 600 for its files
                """,
                metadata: ["paths": "\(left.joined(separator: ", "))"]
            )
        }
    }

    /// Creates a directory that only its owner can enter; an existing one is not changed.
    private static func create(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            let message =
                "The data directory \(path) cannot be created (\(error.localizedDescription)). Use another one: --data "
                + "DIR"
            throw CommandError("unwritable_directory", message, cause: error)
        }
    }
}
