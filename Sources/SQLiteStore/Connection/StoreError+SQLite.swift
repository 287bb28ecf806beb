// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import SQLite

extension StoreError {
    /// Converts a failure of SQLite for the caller; other errors are not changed.
    static func translating(_ error: any Error, path: String) -> any Error {
        guard let failure = error as? DatabaseError else { return error }
        let (code, message): (Code, String) =
            switch (failure.resultCode, failure.extendedResultCode) {
            case (_, .constraintPrimaryKey), (_, .constraintUnique):
                (.conflict, "Something of that name exists already in \(path).")
            case (_, .constraintForeignKey):
                (.notFound, "A record that the call refers to does not exist in \(path).")
            case (_, .ioErrorWrite), (_, .ioErrorFsync), (_, .ioErrorTruncate), (_, .ioErrorShmSize):
                (.full, "The disk of \(path) accepts no more data. Free space on it, or check it for errors.")
            case (.busy, _), (.locked, _):
                (
                    .locked,
                    "Another process keeps \(path) locked. Stop it, or wait for it and try again; the busy timeout "
                        + "says how long each call waits."
                )
            case (.readOnly, _), (.permission, _), (.auth, _):
                (
                    .readOnly,
                    "\(path) cannot be written. Give this user write access to the file, its -wal and -shm files and "
                        + "its directory, and check that the volume is not mounted read-only."
                )
            case (.full, _):
                (.full, "The disk or the size limit of \(path) is exhausted. Free space on it, or raise the limit.")
            case (.corrupt, _), (.notADatabase, _):
                (
                    .corrupt,
                    "\(path) is corrupt or not an SQLite database. Restore it from a backup, or move it away to start "
                        + "empty."
                )
            case (.cannotOpen, _):
                (
                    .unavailable,
                    "\(path) cannot be opened. Its directory has to exist, and this user needs access to both."
                )
            case (.interrupt, _):
                (
                    .unavailable,
                    "Reading many rows of \(path) took longer than a read may. Use fewer conditions, or a faster disk."
                )
            case (.misuse, _): (.unavailable, "The store \(path) is closed.")
            case (.ioError, _):
                (.unavailable, "Reading or writing \(path) failed. Check the disk and its file system.")
            case (.constraint, _), (.mismatch, _), (.tooBig, _):
                (.invalid, "A value cannot be stored in \(path): \(failure.message).")
            default: (.unavailable, "SQLite failed on \(path): \(failure.message).")
            }
        return StoreError(code: code, message: message, cause: failure)
    }
}
