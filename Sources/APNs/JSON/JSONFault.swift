// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Where and why bytes are not JSON as RFC 8259 defines it.
public struct JSONFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The bytes end inside a value, or there are none.
        case unexpectedEnd
        /// A byte that cannot stand there.
        case unexpectedByte
        /// A number that RFC 8259 does not allow, such as `01` or `1.`, or one out of range.
        case invalidNumber
        /// A backslash that no escape follows.
        case invalidEscape
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

    /// What is wrong.
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
        case .invalidEscape: "an invalid escape"
        case .controlCharacter: "a control character inside a string"
        case .invalidUTF8: "invalid UTF-8"
        case .trailingBytes: "something after the value"
        case .tooDeep: "more than \(JSONScanner.maximumDepth) levels of nesting"
        case .notAnObject: "something other than an object"
        }
    }
}
