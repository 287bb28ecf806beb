// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One field of a header block as it was decoded, with what was found out about it on the way.
///
/// The bytes belong to a table or to the block and are valid until the next field is decoded.
struct HPACKField {
    /// What a field costs beyond its bytes, in the dynamic table and in a header list.
    static let overhead = 32

    var name: Bytes
    var value: Bytes
    var kind: FieldKind
    /// Whether the value may stand in a message at all (RFC 9113 section 8.2.1).
    var isValueClean: Bool

    /// The field's size as RFC 7541 section 4.1 and RFC 9113 section 6.5.2 count it.
    var size: Int { self.name.count &+ self.value.count &+ Self.overhead }

    /// Whether a value has no control characters but tabs, and no white space around it.
    static func isClean(_ value: Bytes) -> Bool {
        guard let first = value.first, let last = value.last else { return true }
        if Self.isSpace(first) || Self.isSpace(last) { return false }
        var bad: UInt8 = 0
        // Without a branch, so that the compiler takes many bytes at once.
        for byte in value { bad |= (byte < 0x20 ? 1 : 0) & (byte != 0x09 ? 1 : 0) | (byte == 0x7f ? 1 : 0) }
        return bad == 0
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
