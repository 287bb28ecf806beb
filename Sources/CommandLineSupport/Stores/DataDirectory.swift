// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging

/// The directory of a store and its master key, which only their owner may use.
enum DataDirectory {
    /// The files that a server writes there; SQLite makes those beside the database.
    private static let names = ["apus.db", "apus.db-wal", "apus.db-shm", "apus.db-journal", "master.key"]

    /// Makes a directory, or takes what other users may do with an existing one and its files from them.
    ///
    /// One line of the log names what was corrected, and another one what this process may not correct.
    ///
    /// - Throws: ``CommandFailure`` `.unwritable_directory`.
    static func prepare(_ directory: String, logger: Logger) throws {
        try self.create(directory)
        var corrected: [String] = []
        var left: [String] = []
        for path in [directory] + self.names.map({ "\(directory)/\($0)" }) {
            guard let permissions = FilePermissions(of: path), permissions.admitsOthers else { continue }
            if path == MasterKeyFile.path(in: directory), permissions.isMountedSecret { continue }
            let isCorrected = !(path == directory && permissions.isShared) && permissions.restrict(path)
            let found = "\(path) (\(permissions.octal))"
            if isCorrected { corrected.append(found) } else { left.append(found) }
        }
        if !corrected.isEmpty {
            logger.warning(
                "Other users were admitted to the data directory or its files; only the owner is now",
                metadata: ["corrected": "\(corrected.joined(separator: ", "))"]
            )
        }
        if !left.isEmpty {
            logger.warning(
                """
                Other users are admitted to the data directory or its files, and this process may not change that. Use \
                a directory of this user's own: chmod 700 for the directory, chmod 600 for its files
                """,
                metadata: ["paths": "\(left.joined(separator: ", "))"]
            )
        }
    }

    /// Makes a directory that only its owner may enter; one that exists stays as it is.
    private static func create(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            let message =
                "The data directory \(path) cannot be made (\(error.localizedDescription)). Name another: --data DIR"
            throw CommandFailure("unwritable_directory", message, cause: error)
        }
    }
}
