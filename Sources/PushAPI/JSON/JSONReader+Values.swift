// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

extension JSONReader {
    /// Reads a string of `sizes` UTF-8 bytes; anything else is noted as a fault.
    mutating func string(
        _ path: @autoclosure () -> FieldPath,
        bytes sizes: ClosedRange<Int> = 0...Int.max
    ) throws(JSONSyntaxError) -> String? {
        guard try self.isNext(.string, path()) else { return nil }
        let text = try self.withCursor { cursor throws(JSONSyntaxError) in cursor.text(of: try cursor.passString()) }
        guard sizes.contains(text.utf8.count) else {
            let rule = "\(sizes.lowerBound) to \(sizes.upperBound) bytes of UTF-8"
            self.faults.add(path(), expected: rule, got: "\(text.utf8.count) bytes")
            return nil
        }
        return text
    }

    /// Reads a string of `sizes` bytes as it is written between its quotation marks, escapes and all.
    mutating func rawString(
        _ path: @autoclosure () -> FieldPath,
        bytes sizes: ClosedRange<Int>
    ) throws(JSONSyntaxError) -> ArraySlice<UInt8>? {
        guard try self.isNext(.string, path()) else { return nil }
        let content = try self.withCursor { cursor throws(JSONSyntaxError) in
            let string = try cursor.passString()
            return cursor.bytes[string.content]
        }
        guard sizes.contains(content.count) else {
            let rule = "\(sizes.lowerBound) to \(sizes.upperBound) bytes of UTF-8"
            self.faults.add(path(), expected: rule, got: "\(content.count) bytes")
            return nil
        }
        return content
    }

    /// Reads a string that one of the model's types validates.
    mutating func value<Value>(
        _ path: @autoclosure () -> FieldPath,
        _ make: (String) throws(ValidationFailure) -> Value
    ) throws(JSONSyntaxError) -> Value? {
        guard let text = try self.string(path()) else { return nil }
        do {
            return try make(text)
        } catch {
            self.faults.add(error, at: path())
            return nil
        }
    }

    /// Reads a string that names one case of a closed set.
    mutating func oneOf<Value: RawRepresentable & CaseIterable>(
        _ type: Value.Type,
        _ path: @autoclosure () -> FieldPath
    ) throws(JSONSyntaxError) -> Value? where Value.RawValue == String {
        guard let text = try self.string(path()) else { return nil }
        if let value = Value(rawValue: text) { return value }
        let names = Value.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        self.faults.add(path(), expected: "one of \(names)", got: Self.shown(text))
        return nil
    }

    /// Reads a whole number in `range`, written without fraction and exponent.
    mutating func integer<Value: FixedWidthInteger>(
        _ path: @autoclosure () -> FieldPath,
        in range: ClosedRange<Value>
    ) throws(JSONSyntaxError) -> Value? {
        guard let text = try self.number(path()) else { return nil }
        if let value = Value(text), range.contains(value) { return value }
        self.faults.add(path(), expected: "a whole number from \(range.lowerBound) to \(range.upperBound)", got: text)
        return nil
    }

    /// Reads a number in `range`.
    mutating func double(
        _ path: @autoclosure () -> FieldPath,
        in range: ClosedRange<Double>
    ) throws(JSONSyntaxError) -> Double? {
        guard let text = try self.number(path()) else { return nil }
        if let value = Double(text), range.contains(value) { return value }
        self.faults.add(path(), expected: "a number from \(range.lowerBound) to \(range.upperBound)", got: text)
        return nil
    }

    /// Reads `true` or `false`.
    mutating func boolean(_ path: @autoclosure () -> FieldPath) throws(JSONSyntaxError) -> Bool? {
        guard try self.isNext(.boolean, path()) else { return nil }
        return try self.withCursor { cursor throws(JSONSyntaxError) in try cursor.passBoolean() }
    }

    /// Reads an object without looking into it: its very bytes, checked to be JSON.
    mutating func rawObject(_ path: @autoclosure () -> FieldPath) throws(JSONSyntaxError) -> [UInt8]? {
        guard try self.isNext(.object, path()) else { return nil }
        return try self.withCursor { cursor throws(JSONSyntaxError) in
            let range = try cursor.skipValue()
            return Array(cursor.bytes[range])
        }
    }

    /// Reads the digits of a device token; they are never made a string of.
    ///
    /// A fault is noted with the place of the token in the request and its size, never the token.
    mutating func deviceToken(_ path: @autoclosure () -> FieldPath) throws(JSONSyntaxError) -> DeviceToken? {
        guard try self.isNext(.string, path()) else { return nil }
        let result = try self.withCursor { cursor throws(JSONSyntaxError) -> Result<DeviceToken, ValidationFailure> in
            let string = try cursor.passString()
            return cursor.bytes.withUnsafeBufferPointer { bytes in
                let digits = UnsafeBufferPointer(rebasing: bytes[string.content])
                return Result { () throws(ValidationFailure) in try DeviceToken(hexUTF8: digits) }
            }
        }
        switch result {
        case .success(let token):
            return token
        case .failure(let failure):
            self.faults.add(failure, at: path(), code: .invalidDeviceToken)
            return nil
        }
    }

    /// Notes that a member is missing unless it was read, or was there and faulty.
    ///
    /// - Returns: the value itself.
    mutating func require<Value>(_ value: Value?, _ name: String, at path: FieldPath = .root) -> Value? {
        if value == nil, !self.faults.concern(path.member(name)) {
            self.faults.add(path.member(name), expected: "a value", got: "nothing")
        }
        return value
    }

    private mutating func number(_ path: @autoclosure () -> FieldPath) throws(JSONSyntaxError) -> String? {
        guard try self.isNext(.number, path()) else { return nil }
        return try self.withCursor { cursor throws(JSONSyntaxError) in
            let range = try cursor.passNumber()
            return String(decoding: cursor.bytes[range].prefix(40), as: UTF8.self)
        }
    }

    private static func shown(_ text: String) -> String {
        text.utf8.count <= 32 ? "'\(text)'" : "\(text.utf8.count) bytes"
    }
}

extension FaultList {
    /// Whether a fault at this path, or within the value at it, was noted among those that are listed.
    func concern(_ path: FieldPath) -> Bool {
        self.faults.contains { fault in
            guard fault.field.hasPrefix(path.description) else { return false }
            let rest = fault.field.dropFirst(path.description.count)
            return rest.isEmpty || rest.hasPrefix(".") || rest.hasPrefix("[")
        }
    }
}
