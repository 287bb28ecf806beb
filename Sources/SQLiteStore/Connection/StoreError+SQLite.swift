// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import SQLite

extension StoreError {
    /// What a failure of SQLite means to the caller; other errors stay what they are.
    static func translating(_ error: any Error, path: String) -> any Error {
        guard let failure = error as? DatabaseError else { return error }
        let (code, message) = Self.meaning(of: failure, path: path)
        return StoreError(code: code, message: message, cause: failure)
    }

    private static func meaning(of failure: DatabaseError, path: String) -> (Code, String) {
        switch failure.extendedResultCode {
        case .constraintPrimaryKey, .constraintUnique:
            return (.conflict, "Something of that name exists already in \(path).")
        case .constraintForeignKey:
            return (.notFound, "What the call refers to does not exist (any more) in \(path).")
        case .ioErrorWrite, .ioErrorFsync, .ioErrorTruncate, .ioErrorShmSize:
            return (.full, "The disk of \(path) takes no more data. Free room on it, or check it for faults.")
        default: break
        }
        switch failure.resultCode {
        case .busy, .locked:
            return (
                .locked,
                "Another process keeps \(path) locked. Stop it, or wait for it and try again; the busy timeout says "
                    + "how long each call waits."
            )
        case .readOnly, .permission, .auth:
            return (
                .readOnly,
                "\(path) cannot be written. Give this user write access to the file, its -wal and -shm files and its "
                    + "directory, and check that the volume is not mounted read-only."
            )
        case .full:
            return (.full, "There is no room left for \(path). Free room on its disk, or raise its size limit.")
        case .corrupt, .notADatabase:
            return (
                .corrupt,
                "\(path) is corrupt or not an SQLite database. Restore it from a backup, or move it away to start empty."
            )
        case .cannotOpen:
            return (
                .unavailable,
                "\(path) cannot be opened. Its directory has to exist, and this user needs access to both."
            )
        case .misuse:
            return (.unavailable, "The store \(path) is closed.")
        case .ioError:
            return (.unavailable, "Reading or writing \(path) failed. Check the disk and its file system.")
        case .constraint, .mismatch, .tooBig:
            return (.invalid, "A value cannot be stored in \(path): \(failure.message).")
        default:
            return (.unavailable, "SQLite failed on \(path): \(failure.message).")
        }
    }
}
