// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The static table of RFC 7541 appendix A.
enum HPACKStaticTable {
    /// How many entries there are; indices count from 1.
    static let count = 61

    /// The entries, index 1 first.
    // Unsafe in name only: filled once, before anyone sees it, with constants of the program; then only read.
    nonisolated(unsafe) static let fields: UnsafePointer<HPACKField> = {
        let fields = UnsafeMutablePointer<HPACKField>.allocate(capacity: Self.count)
        for (position, entry) in Self.entries.enumerated() {
            let (name, value) = (UnownedBytes(entry.0), UnownedBytes(entry.1))
            let field = HPACKField(name: name, value: value, kind: HeaderFieldKind(name: name), isValueClean: true)
            fields.advanced(by: position).initialize(to: field)
        }
        return UnsafePointer(fields)
    }()

    /// The index of a whole field, or of a field that has the name; where neither is there, `nil`.
    static func index(name: UnownedBytes, value: UnownedBytes) -> (index: Int, isWhole: Bool)? {
        var named: Int?
        for position in 0..<Self.count where Self.fields[position].name.isEqual(to: name) {
            if Self.fields[position].value.isEqual(to: value) { return (position + 1, true) }
            named = named ?? position + 1
        }
        return named.map { ($0, false) }
    }

    private static let entries: [(StaticString, StaticString)] = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
        (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
        (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
        ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""), ("cache-control", ""),
        ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""),
        ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""),
        ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""), ("if-unmodified-since", ""),
        ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""), ("proxy-authenticate", ""),
        ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""),
        ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""),
        ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
    ]
}

/// One decoded field of a header block, with the properties that decoding determined.
///
/// The bytes belong to a table or to the block and are valid until the next field is decoded.
struct HPACKField {
    /// The size of a field beyond its bytes, in the dynamic table and in a header list.
    static let overhead = 32

    var name: UnownedBytes
    var value: UnownedBytes
    var kind: HeaderFieldKind
    /// Whether the value is valid in a message (RFC 9113 section 8.2.1).
    var isValueClean: Bool

    /// The field's size as RFC 7541 section 4.1 and RFC 9113 section 6.5.2 count it.
    var size: Int { self.name.count &+ self.value.count &+ Self.overhead }

    /// Whether a value has no control characters but tabs, and no white space around it.
    static func isClean(_ value: UnownedBytes) -> Bool {
        guard let first = value.first, let last = value.last else { return true }
        if Self.isSpace(first) || Self.isSpace(last) { return false }
        var bad: UInt8 = 0
        // Without a branch, so that the compiler takes many bytes at once.
        for byte in value { bad |= (byte < 0x20 ? 1 : 0) & (byte != 0x09 ? 1 : 0) | (byte == 0x7f ? 1 : 0) }
        return bad == 0
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
