// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The rules of RFC 9113 section 8 for the fields of one header block.
///
/// A message that breaks one is malformed: its stream is reset.
struct MessageValidator {
    enum Kind {
        case request
        case response
        case trailers
    }

    private struct Seen: OptionSet {
        let rawValue: UInt8

        static let method = Self(rawValue: 1 << 0)
        static let scheme = Self(rawValue: 1 << 1)
        static let path = Self(rawValue: 1 << 2)
        static let authority = Self(rawValue: 1 << 3)
        static let host = Self(rawValue: 1 << 4)
        static let status = Self(rawValue: 1 << 5)
        /// A field that is not a pseudo-header field: none of those may follow.
        static let regular = Self(rawValue: 1 << 6)
        static let connect = Self(rawValue: 1 << 7)
    }

    private let kind: Kind
    private var seen: Seen = []
    private var isAsterisk = false
    private var isOptions = false
    /// Whether this is a request that is answered without a body.
    private(set) var isHead = false
    /// The status of a response; 0 before it has come.
    private(set) var status = 0
    /// The length of the body that is to follow, where the peer names it.
    private(set) var contentLength: Int?

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// Whether a response is one of those before the final one.
    var isInterim: Bool { self.kind == .response && self.status < 200 }

    /// Whether the fields that were admitted make a whole message.
    var isComplete: Bool {
        switch self.kind {
        case .trailers: true
        case .response: self.seen.contains(.status)
        case .request: self.isRequest
        }
    }

    private var isRequest: Bool {
        guard self.seen.contains(.method) else { return false }
        // CONNECT names nothing but whom to connect with (RFC 9113 section 8.5).
        if self.seen.contains(.connect) {
            return self.seen.contains(.authority) && self.seen.isDisjoint(with: [.scheme, .path])
        }
        guard self.seen.isSuperset(of: [.scheme, .path]), !self.seen.isDisjoint(with: [.authority, .host]) else {
            return false
        }
        return !self.isAsterisk || self.isOptions
    }

    /// Takes note of a field; `false` when it makes the message malformed.
    @inline(__always)
    mutating func admit(_ field: HPACKField) -> Bool {
        guard field.isValueClean else { return false }
        if field.kind == .regular {
            self.seen.insert(.regular)
            return true
        }
        return self.admitSpecial(field)
    }

    private mutating func admitSpecial(_ field: HPACKField) -> Bool {
        switch field.kind {
        case .method:
            self.isOptions = field.value.isEqual(to: "OPTIONS")
            self.isHead = field.value.isEqual(to: "HEAD")
            if field.value.isEqual(to: "CONNECT") { self.seen.insert(.connect) }
            return self.admitPseudo(.method, of: .request) && Self.isToken(field.value)
        case .scheme: return self.admitPseudo(.scheme, of: .request) && Self.isToken(field.value)
        case .authority: return self.admitPseudo(.authority, of: .request) && !Self.hasSpace(field.value)
        case .path:
            let first = field.value.first
            self.isAsterisk = first == UInt8(ascii: "*")
            guard self.isAsterisk ? field.value.count == 1 : first == UInt8(ascii: "/") else { return false }
            return self.admitPseudo(.path, of: .request) && !Self.hasSpace(field.value)
        case .status: return self.admitPseudo(.status, of: .response) && self.readStatus(field.value)
        case .host:
            self.seen.insert([.host, .regular])
            return !Self.hasSpace(field.value)
        case .contentLength:
            self.seen.insert(.regular)
            return self.readContentLength(field.value)
        case .transferEncodings:
            self.seen.insert(.regular)
            return field.value.isEqual(to: "trailers")
        case .connectionSpecific, .malformed: return false
        case .regular: return true
        }
    }

    /// A pseudo-header field occurs once, before all others, and only in its kind of message.
    private mutating func admitPseudo(_ field: Seen, of kind: Kind) -> Bool {
        guard self.kind == kind, self.seen.isDisjoint(with: [field, .regular]) else { return false }
        self.seen.insert(field)
        return true
    }

    /// A status has three digits; 101 does not exist in HTTP/2 (RFC 9113 section 8.6).
    private mutating func readStatus(_ value: UnownedBytes) -> Bool {
        guard value.count == 3, let status = Self.number(value) else { return false }
        self.status = status
        return status >= 100 && status != 101
    }

    private mutating func readContentLength(_ value: UnownedBytes) -> Bool {
        guard self.contentLength == nil, (1...18).contains(value.count), let length = Self.number(value) else {
            return false
        }
        self.contentLength = length
        return true
    }

    private static func number(_ digits: UnownedBytes) -> Int? {
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = 10 * number + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    private static func isToken(_ value: UnownedBytes) -> Bool {
        !value.isEmpty && value.allSatisfy(HeaderFieldKind.isTokenByte)
    }

    private static func hasSpace(_ value: UnownedBytes) -> Bool {
        var found: UInt8 = 0
        // Without a branch, so that the compiler takes many bytes at once.
        for byte in value { found |= byte == 0x20 || byte == 0x09 ? 1 : 0 }
        return found != 0
    }
}
