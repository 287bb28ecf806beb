// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
import Foundation

func verify(secret: String, id: String, timestamp: String, signature: String, body: Data) -> Bool {
    guard let key = Data(base64Encoded: String(secret.dropFirst(6))), let time = Double(timestamp) else { return false }
    let signed = Data("\(id).\(timestamp).".utf8) + body
    return abs(Date().timeIntervalSince1970 - time) < 300
        && signature.split(separator: " ").contains { given in
            guard given.hasPrefix("v1,"), let code = Data(base64Encoded: String(given.dropFirst(3))) else {
                return false
            }
            return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: SymmetricKey(data: key))
        }
}
