// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

#if canImport(Security)
import Security
#endif

/// The secret by which the server recognizes this installation: 32 random bytes, created at the first use.
///
/// It is in the Keychain of this device, and in no backup. Systems without a Keychain have it in a file.
struct InstallationSecret: Sendable {
    /// The header that has the secret in each request.
    static let header = "Apus-Installation-Secret"

    private let app: String
    private let file: URL

    init(_ configuration: ApusConfiguration) {
        self.app = configuration.app
        self.file = configuration.directory.appendingPathComponent("secret")
    }

    /// Returns the secret as base64url without padding.
    ///
    /// A secret that cannot be stored, for example on a full disk, is one of this process only.
    /// - Parameter isUnlocked: whether a secret that cannot be read has another cause than a locked device, and is
    ///   replaced.
    /// - Throws: an error if it cannot be read, for example before the first unlock.
    func text(isUnlocked: Bool) throws -> String {
        var stored: Data?
        do {
            stored = try self.stored()
        } catch {
            guard isUnlocked else { throw error }
        }
        let bytes: Data
        if let stored, stored.count == 32 {
            bytes = stored
        } else {
            bytes = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
            try? self.store(bytes)
        }
        return bytes.base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    #if canImport(Security)
    private var item: [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: "apus.installation", kSecAttrAccount: self.app]
    }

    private func stored() throws -> Data? {
        var found: CFTypeRef?
        let query = self.item.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 }
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        guard status != errSecItemNotFound else { return nil }
        guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
        return found as? Data
    }

    private func store(_ bytes: Data) throws {
        SecItemDelete(self.item as CFDictionary)
        let accessible = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        let item = self.item.merging([kSecValueData: bytes, kSecAttrAccessible: accessible]) { $1 }
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
    }
    #else
    private func stored() throws -> Data? {
        guard FileManager.default.fileExists(atPath: self.file.path) else { return nil }
        return try Data(contentsOf: self.file)
    }

    private func store(_ bytes: Data) throws {
        try self.file.deletingLastPathComponent().makeOutOfBackups()
        try bytes.write(to: self.file, options: .ofApus)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: self.file.path)
    }
    #endif
}
