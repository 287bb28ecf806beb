// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Checks bytes against RFC 8259 without building anything from them.
///
/// Stricter than many parsers: no byte order mark, no comments, no trailing commas, UTF-8 only. As RFC 7493 advises,
/// it refuses the escape of a lone surrogate, and a number beyond the range of a `Double`. Names inside an object may
/// repeat.
public enum JSONScanner {
    /// The maximum nesting depth of objects and arrays: the limit of every tokenizer in this package.
    ///
    /// Stores have objects of up to 128 levels from SNS requests, so a lower limit would make rows unreadable. A higher
    /// one has no use, and the recursion of 128 levels fits into the 512 KiB stack of a worker thread.
    public static let maximumDepth = 128

    /// A number of that many bytes or fewer and without an exponent is finite.
    package static let finiteDigits = 300

    /// Whether a number of RFC 8259 lies in the range of a `Double`; `1e999` does not.
    package static func isFinite(_ number: some Collection<UInt8>) -> Bool {
        Double(String(decoding: number, as: UTF8.self))?.isFinite ?? false
    }

    /// Checks that the bytes are one JSON value.
    /// - Throws: ``JSONError`` with the byte offset.
    public static func validate(_ bytes: [UInt8]) throws(JSONError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in try self.validate(bytes) }
    }

    /// Checks that the bytes in memory are one JSON value.
    /// - Throws: ``JSONError`` with the byte offset.
    public static func validate(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        var cursor = JSONCursor(bytes)
        cursor.skipSpace()
        try cursor.skipValue()
        try cursor.finish()
    }

    /// Checks that the bytes are one JSON object.
    /// - Throws: ``JSONError`` with the byte offset.
    public static func validateObject(_ bytes: [UInt8]) throws(JSONError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in try self.validateObject(bytes) }
    }

    /// Checks that the bytes in memory are one JSON object.
    /// - Throws: ``JSONError`` with the byte offset.
    public static func validateObject(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        try self.validateObject(bytes, maximumDepth: self.maximumDepth)
    }

    /// Checks that the bytes in memory are one JSON object with at most this nesting depth.
    static func validateObject(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) throws(JSONError) {
        var cursor = JSONCursor(bytes, maximumDepth: maximumDepth)
        try cursor.wholeObject()
    }

    /// An object that an older version stored, with values replaced that are invalid today.
    ///
    /// The escape of a lone surrogate becomes that of U+FFFD, and a number beyond the range of a `Double` becomes
    /// `1e308` or `-1e308`. So later parsers can read the complete object.
    /// - Throws: ``JSONError`` unless the bytes are a JSON object apart from that.
    package static func repairedObject(_ bytes: [UInt8]) throws(JSONError) -> [UInt8] {
        let misfits = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in
            var cursor = JSONCursor(bytes, notesMisfits: true)
            try cursor.wholeObject()
            return cursor.misfits
        }
        guard !misfits.isEmpty else { return bytes }
        var repaired: [UInt8] = []
        repaired.reserveCapacity(bytes.count)
        var end = 0
        for misfit in misfits {
            repaired += bytes[end..<misfit.lowerBound]
            switch bytes[misfit.lowerBound] {
            case UInt8(ascii: "\\"): repaired += "\\ufffd".utf8
            case UInt8(ascii: "-"): repaired += "-1e308".utf8
            default: repaired += "1e308".utf8
            }
            end = misfit.upperBound
        }
        return repaired + bytes[end...]
    }

    /// One member of an object: its name, and the range of its value.
    struct Member {
        var key: String
        var value: Range<Int>
    }

    /// The members of the object that the bytes are, in their order.
    static func members(of bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> [Member] {
        var cursor = JSONCursor(bytes)
        cursor.skipSpace()
        guard let first = cursor.peek else { throw JSONError(.unexpectedEnd, offset: cursor.offset) }
        guard first == UInt8(ascii: "{") else { throw JSONError(.notAnObject, offset: cursor.offset) }
        var members: [Member] = []
        try cursor.object { (cursor: inout JSONCursor, key: Range<Int>) throws(JSONError) in
            let start = cursor.offset
            try cursor.skipValue()
            let name = cursor.text(of: key)
            guard name.isStreamSafe else { throw JSONError(.tooManyMarks, offset: key.lowerBound) }
            members.append(Member(key: name, value: start..<cursor.offset))
        }
        try cursor.finish()
        return members
    }

    /// The text of a value that is a string, or nil for another kind.
    ///
    /// The value has been scanned before.
    static func string(_ value: UnsafeBufferPointer<UInt8>) -> String? {
        guard value.first == UInt8(ascii: "\"") else { return nil }
        return JSONCursor(value).text(of: 0..<value.count)
    }

    /// The value that is a whole number of 64 bits, or nil for anything else.
    ///
    /// The value has been scanned before.
    static func integer(_ value: UnsafeBufferPointer<UInt8>) -> Int64? {
        Int64(String(decoding: value, as: UTF8.self))
    }
}

extension String {
    /// Whether it has at most 30 combining marks in a row (Stream-Safe Text, Unicode Standard Annex 15).
    ///
    /// Comparing and hashing a string take time that is quadratic in such a run. So a text from outside is compared or
    /// hashed only if this is true, or if it is short.
    package var isStreamSafe: Bool {
        guard self.utf8.contains(where: { $0 >= 0x80 }) else { return true }
        var run = 0
        for scalar in self.unicodeScalars {
            run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
            if run > 30 { return false }
        }
        return true
    }
}

extension StringProtocol {
    /// The text with at most `limit` Unicode scalars, the last three of which are dots if it was longer.
    ///
    /// Not characters: each of these may have any number of combining marks.
    package func shortened(to limit: Int) -> String {
        let scalars = self.unicodeScalars
        guard scalars.prefix(limit + 1).count > limit else { return String(self) }
        return String(String.UnicodeScalarView(scalars.prefix(Swift.max(0, limit - 3)))) + "..."
    }
}

/// Where and why bytes are not JSON as RFC 8259 defines it.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code of the error.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The bytes end inside a value, or there are none.
        case unexpectedEnd
        /// A byte that is invalid at its position.
        case unexpectedByte
        /// A number that RFC 8259 does not allow, such as `01` or `1.`.
        case invalidNumber
        /// A number beyond the range of a `Double`, such as `1e999`.
        case numberTooLarge

        /// A member's name has more than 30 combining marks in a row, which no script needs.
        case tooManyMarks
        /// A backslash that no escape follows.
        case invalidEscape
        /// The escape of a surrogate that is no half of a pair, such as `\ud800`.
        case loneSurrogate
        /// A control character inside a string.
        case controlCharacter
        /// Bytes inside a string that are not UTF-8.
        case invalidUTF8
        /// Something after the end of the value.
        case trailingBytes
        /// More containers inside one another than allowed.
        case tooDeep
        /// Valid JSON so far, but the value is no object.
        case notAnObject
    }

    /// The code of the error.
    public var code: Code
    /// At which byte, from 0; the count of the bytes if they end too early.
    public var offset: Int

    /// A fault of this kind at this byte.
    public init(_ code: Code, offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// The fault as a phrase for people: `a control character inside a string at byte 12`.
    public var message: String { "\(self.phrase) at byte \(self.offset)" }

    /// The same as ``message``.
    public var description: String { self.message }

    private var phrase: String {
        switch self.code {
        case .unexpectedEnd: "an unexpected end"
        case .unexpectedByte: "an unexpected byte"
        case .invalidNumber: "an invalid number"
        case .tooManyMarks: "a member's name with more than 30 combining marks in a row"
        case .numberTooLarge: "a number beyond the range of a double (about 1.8e308)"
        case .invalidEscape: "an invalid escape"
        case .loneSurrogate: "an escape of a lone surrogate"
        case .controlCharacter: "a control character inside a string"
        case .invalidUTF8: "invalid UTF-8"
        case .trailingBytes: "something after the value"
        case .tooDeep: "more than \(JSONScanner.maximumDepth) levels of nesting"
        case .notAnObject: "something other than an object"
        }
    }
}

extension JSONScanner {
    /// The elements of the first array among the members of an object, each unchanged; `nil` without an array.
    /// - Throws: ``JSONError`` with the byte offset unless the bytes are a JSON object.
    package static func elements(ofListIn bytes: [UInt8]) throws(JSONError) -> [ArraySlice<UInt8>]? {
        let ranges = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) -> [Range<Int>]? in
            let members = try self.members(of: bytes)
            guard let list = members.first(where: { bytes[$0.value.lowerBound] == UInt8(ascii: "[") })?.value else {
                return nil
            }
            var cursor = JSONCursor(UnsafeBufferPointer(rebasing: bytes[list]))
            var ranges: [Range<Int>] = []
            try cursor.array { (cursor: inout JSONCursor) throws(JSONError) in
                let start = list.lowerBound + cursor.offset
                try cursor.skipValue()
                ranges.append(start..<list.lowerBound + cursor.offset)
            }
            return ranges
        }
        return ranges?.map { bytes[$0] }
    }
}
