// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The named values of a form or a query, decoded, in their order.
package struct FormFields: Hashable, Sendable {
    /// How many fields a request may have, unless its reader says otherwise.
    package static let maximumCount = SNSLimits.sns.formFields

    /// The location of the fields.
    package enum Source: String, Sendable {
        /// The body of a `POST`.
        case body = "form"
        /// The query of the URL.
        case query = "query string"
    }

    /// One name with its value.
    package struct Field: Hashable, Sendable {
        /// The name, decoded.
        package var name: String
        /// The value, decoded; empty where there was none.
        package var value: String
    }

    /// The fields; their names are distinct.
    package private(set) var fields: [Field] = []
    private var names: Set<String> = []

    /// Parses `a=1&b=two+words&c=%E5%AF%BF%E5%8F%B8`.
    ///
    /// - Throws: ``SNSError`` `MalformedQueryString` with the position, for a percent sign without two digits, invalid
    ///   UTF-8, a duplicate name, or too many fields.
    package init(_ bytes: [UInt8], source: Source, limit: Int = Self.maximumCount) throws(SNSError) {
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
            if start < end {
                let middle = bytes[start..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
                let name = try Self.decode(bytes, start..<middle, source: source)
                let value = try Self.decode(bytes, min(middle + 1, end)..<end, source: source)
                try self.append(Field(name: name, value: value), at: start, source: source, limit: limit)
            }
            start = end + 1
        }
    }

    /// Returns these fields, followed by those of another location.
    ///
    /// - Throws: ``SNSError`` `MalformedQueryString` for a name that occurs in both.
    package func adding(_ others: FormFields) throws(SNSError) -> FormFields {
        if self.fields.isEmpty { return others }
        var sum = self
        for field in others.fields {
            guard sum.names.insert(field.name).inserted else {
                throw SNSError(
                    .malformedQueryString,
                    "Parameter names must be distinct, got '\(field.name.cut)' in the query string and in the form."
                )
            }
            sum.fields.append(field)
        }
        return sum
    }

    private mutating func append(
        _ field: Field,
        at offset: Int,
        source: Source,
        limit: Int
    ) throws(SNSError) {
        guard self.fields.count < limit else {
            throw SNSError(
                .malformedQueryString,
                "A \(source.rawValue) has at most \(limit) parameters, got more at byte \(offset)."
            )
        }
        guard field.name.isStreamSafe else {
            throw SNSError(
                .malformedQueryString,
                "A parameter's name has at most 30 combining marks in a row, got more at byte \(offset)"
                    + " of the \(source.rawValue)."
            )
        }
        guard field.value.isStreamSafe || Self.isFreeText(field.name) else {
            throw SNSError(
                .malformedQueryString,
                "The value of '\(field.name.cut)' must have at most 30 combining marks in a row, got more."
            )
        }
        guard self.names.insert(field.name).inserted else {
            throw SNSError(
                .malformedQueryString,
                "Parameter names must be distinct, got '\(field.name.cut)' again at byte \(offset)"
                    + " of the \(source.rawValue)."
            )
        }
        self.fields.append(field)
    }

    /// Whether a value is neither compared nor hashed, except where `String.isStreamSafe` is checked before.
    private static func isFreeText(_ name: String) -> Bool {
        let part = name.parts(separatedBy: UInt8(ascii: ".")).last ?? ""
        return ["Message", "Subject", "StringValue", "BinaryValue"].contains(part)
    }

    private static func decode(_ bytes: [UInt8], _ range: Range<Int>, source: Source) throws(SNSError) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "+"): output.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard index + 2 < range.upperBound,
                    (Hex.nibble(bytes[index + 1]) | Hex.nibble(bytes[index + 2])) < 16
                else {
                    throw SNSError(
                        .malformedQueryString,
                        "A '%' must be followed by two hexadecimal digits, got something else at byte \(index)"
                            + " of the \(source.rawValue)."
                    )
                }
                output.append(Hex.nibble(bytes[index + 1]) << 4 | Hex.nibble(bytes[index + 2]))
                index += 2
            default: output.append(byte)
            }
            index += 1
        }
        guard let text = String(validating: output, as: UTF8.self) else {
            throw SNSError(
                .malformedQueryString,
                "Parameters must be UTF-8, got something else in the one at byte \(range.lowerBound)"
                    + " of the \(source.rawValue)."
            )
        }
        return text
    }
}

extension String {
    /// The parts between separators, empty ones included.
    ///
    /// Compares bytes, because a comparison of characters takes several times as long.
    func parts(separatedBy separator: UInt8, maxSplits: Int = .max) -> [Substring] {
        self.utf8.split(separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: false)
            .map { Substring($0) }
    }
}
