// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import GRDB
import PushStore

extension StoreError {
    /// What a failure of SQLite means to the caller; other errors stay what they are.
    static func translating(_ error: any Error, path: String) -> any Error {
        guard let failure = error as? DatabaseError else { return error }
        let (code, message) = Self.meaning(of: failure, path: path)
        return StoreError(code: code, message: message, cause: failure)
    }

    private static func meaning(of failure: DatabaseError, path: String) -> (Code, String) {
        switch failure.extendedResultCode {
        case .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_UNIQUE:
            return (.conflict, "Something of that name exists already in \(path).")
        case .SQLITE_CONSTRAINT_FOREIGNKEY:
            return (.notFound, "What the call refers to does not exist (any more) in \(path).")
        case .SQLITE_IOERR_WRITE, .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_TRUNCATE, .SQLITE_IOERR_SHMSIZE:
            return (.full, "The disk of \(path) takes no more data. Free room on it, or check it for faults.")
        default: break
        }
        switch failure.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return (
                .locked,
                "Another process keeps \(path) locked. Stop it, or wait for it and try again; the busy timeout says "
                    + "how long each call waits."
            )
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            return (
                .readOnly,
                "\(path) cannot be written. Give this user write access to the file, its -wal and -shm files and its "
                    + "directory, and check that the volume is not mounted read-only."
            )
        case .SQLITE_FULL:
            return (.full, "There is no room left for \(path). Free room on its disk, or raise its size limit.")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            return (
                .corrupt,
                "\(path) is damaged or not an SQLite database. Restore it from a backup, or move it away to begin anew."
            )
        case .SQLITE_CANTOPEN:
            return (
                .unavailable,
                "\(path) cannot be opened. Its directory has to exist, and this user needs access to both."
            )
        case .SQLITE_MISUSE:
            return (.unavailable, "The store \(path) is closed.")
        case .SQLITE_IOERR:
            return (.unavailable, "Reading or writing \(path) failed. Check the disk and its file system.")
        default:
            return (.unavailable, "SQLite failed on \(path): \(failure.message ?? failure.resultCode.description).")
        }
    }
}
