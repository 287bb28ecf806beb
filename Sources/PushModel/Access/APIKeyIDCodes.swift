// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto

/// The codes in the IDs of API keys, by which a server recognizes IDs that it has assigned.
///
/// The last 6 of the 16 digits of an ID are the start of an HMAC of the first 10, under keys that are derived from the
/// master key. So a server can refuse invented IDs without a look-up, except one in 16 million. A code is not a proof
/// of identity: the secret of a key is. Keys that were created without a master key have no code.
public struct APIKeyIDCodes: Sendable {
    private static let purpose = "apus api key id"
    private static let randomBytes = 5
    private static let codeBytes = 3

    /// The first one creates codes, all of them verify.
    private let keys: [SymmetricKey]

    public init(_ masterKey: MasterKey) {
        self.keys = masterKey.derivedKeys(for: Self.purpose).map { SymmetricKey(data: $0) }
    }

    /// Whether an ID has a code of one of the keys.
    public func verify(_ id: APIKeyID) -> Bool {
        guard let bytes = Hex.bytes(id.rawValue.utf8, acceptsUpperCase: false),
            bytes.count == Self.randomBytes + Self.codeBytes
        else { return false }
        let code = bytes.dropFirst(Self.randomBytes)
        return self.keys.contains { Self.code(of: bytes.prefix(Self.randomBytes), under: $0).elementsEqual(code) }
    }

    /// Replaces the end of a random ID by a code.
    func adding(to random: [UInt8]) -> [UInt8] {
        guard let key = self.keys.first else { return random }
        let start = random.prefix(Self.randomBytes)
        return Array(start) + Self.code(of: start, under: key)
    }

    private static func code(of bytes: ArraySlice<UInt8>, under key: SymmetricKey) -> ArraySlice<UInt8> {
        Array(HMAC<SHA256>.authenticationCode(for: Array(bytes), using: key)).prefix(Self.codeBytes)
    }
}
