// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

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
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFDIR else { return nil }
        self.init(mode: UInt32(status.st_mode & 0o7777), owner: status.st_uid)
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
    func restrict(_ path: String) -> Bool { chmod(path, mode_t(truncatingIfNeeded: self.mode & ~0o077)) == 0 }
}

extension FilePermissions {
    /// A note for the user of a command that has read a secret from a file that other users can read; `nil` for others.
    package static func warning(about path: String) -> String? {
        guard let permissions = FilePermissions(of: path), permissions.admitsOthers, !permissions.isMountedSecret
        else { return nil }
        return "apus: warning: other users of this machine can read the secret in \(path) (mode \(permissions.octal)). "
            + "Run: chmod 600 \(path)"
    }
}
