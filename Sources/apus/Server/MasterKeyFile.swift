// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel

/// The file in which a server keeps its master key unless it is told one.
enum MasterKeyFile {
    private static let name = "master.key"

    /// The master key that a configuration names.
    ///
    /// Where it names none, the key of the data directory is taken; it is made, readable by its owner alone, when the
    /// store is new.
    /// - Throws: ``CommandFailure`` `.unreadable_file`, `.bad_master_key`.
    static func masterKey(_ configuration: ServerConfiguration) throws -> MasterKey {
        if let text = configuration.masterKey { return try self.parse(text, from: "APUS_MASTER_KEY or the file") }
        let path = configuration.masterKeyFile ?? "\(configuration.data)/\(self.name)"
        if configuration.masterKeyFile != nil || FileManager.default.fileExists(atPath: path) {
            return try self.parse(try InputFile.text(path), from: path)
        }
        let key = MasterKey.generate()
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        let content = Data("\(key.base64)\n".utf8)
        guard FileManager.default.createFile(atPath: path, contents: content, attributes: attributes) else {
            throw CommandFailure("unwritable_file", "\(path) cannot be written; the master key belongs there.")
        }
        return key
    }

    private static func parse(_ text: String, from source: String) throws -> MasterKey {
        do {
            return try MasterKey(base64: text)
        } catch {
            throw CommandFailure("bad_master_key", "\(source): \(error.message)", cause: error)
        }
    }
}
