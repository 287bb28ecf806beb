// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The bytes of a device token as the world's dictionaries keep them: the usual 32 bytes inline, others as an array.
enum TokenKey: Hashable, Sendable {
    case standard(StandardToken)
    case other([UInt8])

    /// The most bytes that a token has.
    static let maximumBytes = 100

    /// The token that hexadecimal digits name; `nil` for an odd count, another character, or more than 100 bytes.
    init?(hex: UnsafeBufferPointer<UInt8>, acceptsUpperCase: Bool) {
        guard !hex.isEmpty, hex.count / 2 <= Self.maximumBytes else { return nil }
        if hex.count == 64 {
            guard let token = StandardToken(hex: hex, acceptsUpperCase: acceptsUpperCase) else { return nil }
            self = .standard(token)
            return
        }
        guard let bytes = Hex.bytes(hex, acceptsUpperCase: acceptsUpperCase) else { return nil }
        self = .other(bytes)
    }

    init(bytes: [UInt8]) {
        if let token = StandardToken(bytes: bytes) { self = .standard(token) } else { self = .other(bytes) }
    }
}

/// The 32 bytes of a usual device token, as four integers.
struct StandardToken: Hashable, Sendable {
    var words: (UInt64, UInt64, UInt64, UInt64)

    init(words: (UInt64, UInt64, UInt64, UInt64)) {
        self.words = words
    }

    init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        func word(_ index: Int) -> UInt64 {
            bytes[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.words = (word(0), word(1), word(2), word(3))
    }

    /// The token that 64 hexadecimal digits name.
    init?(hex: UnsafeBufferPointer<UInt8>, acceptsUpperCase: Bool) {
        var seen: UInt8 = 0
        func word(_ start: Int) -> UInt64 {
            var word: UInt64 = 0
            for index in start..<start + 16 {
                let digit = Hex.nibble(hex[index], acceptsUpperCase: acceptsUpperCase)
                seen |= digit
                word = word << 4 | UInt64(digit & 0x0F)
            }
            return word
        }
        self.words = (word(0), word(16), word(32), word(48))
        guard seen < 16 else { return nil }
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for word in [self.words.0, self.words.1, self.words.2, self.words.3] {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return bytes
    }

    static func == (left: StandardToken, right: StandardToken) -> Bool { left.words == right.words }

    /// The whole token, since tests may choose tokens that differ in their last bytes alone.
    func hash(into hasher: inout Hasher) {
        hasher.combine(self.words.0)
        hasher.combine(self.words.1)
        hasher.combine(self.words.2)
        hasher.combine(self.words.3)
    }
}

extension TokenKey {
    var bytes: [UInt8] {
        switch self {
        case .standard(let token): token.bytes
        case .other(let bytes): bytes
        }
    }
}

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
        try container.encode(Hex.text(self.bytes))
    }
}
