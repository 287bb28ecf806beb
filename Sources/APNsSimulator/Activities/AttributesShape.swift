// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The shape of a Swift type as it is decoded from JSON by a plain `JSONDecoder`, which is what ActivityKit does.
///
/// A test registers one for the attributes and one for the content state of an app's Live Activities; see
/// ``init(json:)`` for how it is written.
public indirect enum AttributesShape: Hashable, Sendable, Codable {
    /// `String`.
    case string
    /// `Bool`.
    case boolean
    /// An integer type, by the range of its values.
    case integer(IntegerKind)
    /// `Double`, `Float` or `Decimal`.
    case number
    /// `Date`: a number of seconds since 2001-01-01 00:00 UTC, Foundation's default.
    case date
    /// `Data`: base64, Foundation's default.
    case data
    /// `URL`.
    case url
    /// `UUID`.
    case uuid
    /// Whatever JSON there is.
    case any
    /// An enumeration of strings.
    case enumeration([String])
    /// An enumeration whose cases have associated values, as the compiler makes it `Codable`: one member, named for
    /// the case, with an object of the values (`_0`, `_1` where they have no labels).
    case variant([String: [String: Member]])
    /// An array or a set.
    case array(AttributesShape)
    /// A dictionary with strings as keys.
    case dictionary(AttributesShape)
    /// A structure.
    case object([String: Member])

    /// A stored property.
    public struct Member: Hashable, Sendable, Codable {
        /// Its type.
        public var shape: AttributesShape
        /// Whether the type is optional: the key may be missing or null.
        public var isOptional: Bool

        /// A property of this type.
        public init(_ shape: AttributesShape, isOptional: Bool = false) {
            self.shape = shape
            self.isOptional = isOptional
        }
    }

    /// An integer type of Swift's.
    public enum IntegerKind: String, Hashable, Sendable, Codable, CaseIterable {
        /// `Int`, `Int64`.
        case integer
        /// `Int8`.
        case int8
        /// `Int16`.
        case int16
        /// `Int32`.
        case int32
        /// `UInt`, `UInt64`.
        case unsigned
        /// `UInt8`.
        case uint8
        /// `UInt16`.
        case uint16
        /// `UInt32`.
        case uint32

        /// Whether the type has this value.
        func holds(_ value: Int64) -> Bool {
            switch self {
            case .integer: true
            case .int8: Int8(exactly: value) != nil
            case .int16: Int16(exactly: value) != nil
            case .int32: Int32(exactly: value) != nil
            case .unsigned: value >= 0
            case .uint8: UInt8(exactly: value) != nil
            case .uint16: UInt16(exactly: value) != nil
            case .uint32: UInt32(exactly: value) != nil
            }
        }
    }

    /// A structure without properties.
    public static let empty = AttributesShape.object([:])
}
