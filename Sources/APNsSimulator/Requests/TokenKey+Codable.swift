// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Written as hexadecimal digits.
extension TokenKey: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = Array(try container.decode(String.self).utf8)
        guard let key = text.withUnsafeBufferPointer({ TokenKey(hex: $0, acceptsUpperCase: true) }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a device token")
        }
        self = key
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(HexDigit.string(self.bytes))
    }
}
