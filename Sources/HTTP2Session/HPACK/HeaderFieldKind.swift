// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The kinds of fields that RFC 9113 section 8 distinguishes by name.
enum HeaderFieldKind: UInt8 {
    case authority
    case method
    case path
    case scheme
    case status
    case contentLength
    case host
    /// `te`, which may say `trailers` and nothing else.
    case transferEncodings
    /// A field of HTTP/1.1's connection, which makes a message malformed.
    case connectionSpecific
    case regular
    /// A name with upper-case or other forbidden characters, or a pseudo-header field that does not exist.
    case malformed

    init(name: UnownedBytes) {
        guard let first = name.first else {
            self = .malformed
            return
        }
        if first == UInt8(ascii: ":") {
            self = Self.pseudo(name)
        } else if name.allSatisfy(Self.isNameByte) {
            self = Self.known(name)
        } else {
            self = .malformed
        }
    }

    private static func pseudo(_ name: UnownedBytes) -> Self {
        if name.isEqual(to: ":path") { return .path }
        if name.isEqual(to: ":status") { return .status }
        if name.isEqual(to: ":method") { return .method }
        if name.isEqual(to: ":scheme") { return .scheme }
        if name.isEqual(to: ":authority") { return .authority }
        return .malformed
    }

    private static func known(_ name: UnownedBytes) -> Self {
        switch name.count {
        case 2: name.isEqual(to: "te") ? .transferEncodings : .regular
        case 4: name.isEqual(to: "host") ? .host : .regular
        case 7: name.isEqual(to: "upgrade") ? .connectionSpecific : .regular
        case 10:
            name.isEqual(to: "connection") || name.isEqual(to: "keep-alive") ? .connectionSpecific : .regular
        case 14: name.isEqual(to: "content-length") ? .contentLength : .regular
        case 16: name.isEqual(to: "proxy-connection") ? .connectionSpecific : .regular
        case 17: name.isEqual(to: "transfer-encoding") ? .connectionSpecific : .regular
        default: .regular
        }
    }

    /// Whether a byte is valid in a name: a character of a token (RFC 9110 section 5.6.2), in lower case.
    @inline(__always)
    private static func isNameByte(_ byte: UInt8) -> Bool {
        Self.isTokenByte(byte) && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    /// Whether a byte is valid in a token (RFC 9110 section 5.6.2).
    @inline(__always)
    static func isTokenByte(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        // One bit for each of: ! # $ % & ' * + - . 0...9, and A...Z ^ _ ` a...z | ~
        let bits: UInt64 = byte < 64 ? 0x03ff_6cfa_0000_0000 : 0x57ff_ffff_c7ff_fffe
        return bits &>> UInt64(byte & 63) & 1 != 0
    }
}
