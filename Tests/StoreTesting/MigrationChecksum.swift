// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What tells one migration from a changed one; a migration that has landed keeps its own.
package enum MigrationChecksum {
    /// The text's FNV-1a hash of 64 bits.
    package static func of(_ migration: String) -> UInt64 {
        migration.utf8.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
    }
}
