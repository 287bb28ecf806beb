// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The parsed header fields of a request: values if they are well-formed, marks if they are not.
struct ParsedRequestHeaders {
    /// A field that may be absent, right or wrong.
    enum Field<Value: Equatable>: Equatable {
        case absent
        case value(Value)
        case malformed

        /// The value, where there is a well-formed one.
        var value: Value? { if case .value(let value) = self { value } else { nil } }
    }

    private(set) var apnsID: Field<APNsID> = .absent
    private(set) var expiration: Field<Int64> = .absent
    private(set) var priority: Field<Int> = .absent
    private(set) var collapseID: Field<Int> = .absent
    /// The index in ``PushTypeRules/all``.
    private(set) var kind: Field<Int> = .absent

    init(_ request: RequestHead, switches: APNsSimulatorOptions) {
        if let text = request.value(.apnsID) { self.apnsID = Self.apnsID(text, switches: switches) }
        if let text = request.value(.expiration) { self.expiration = Self.expiration(text) }
        if let text = request.value(.priority) { self.priority = Self.priority(text) }
        if let text = request.value(.collapseID) {
            let isAllowed = text.count <= 64 && (!text.isEmpty || switches.emptyCollapseID == .accept)
            self.collapseID = isAllowed ? .value(text.count) : .malformed
        }
        if let text = request.value(.pushType) {
            self.kind = PushTypeRules.index(named: text).map { .value($0) } ?? .malformed
        }
    }

    /// The effective push type: the named one, or alert.
    var pushKind: PushTypeRules { PushTypeRules.all[self.kind.value ?? 0] }

    /// The effective priority: the named one, or 10.
    var effectivePriority: Int { self.priority.value ?? 10 }

    private static func apnsID(
        _ text: UnsafeBufferPointer<UInt8>,
        switches: APNsSimulatorOptions
    ) -> Field<APNsID> {
        guard let id = APNsID(canonicalUTF8: text) else {
            let isUndashed = text.count == 32 && text.allSatisfy { Hex.nibble($0) < 16 }
            return isUndashed && switches.undashedMessageID == .accept ? .absent : .malformed
        }
        if switches.upperCaseMessageID == .reject,
            text.contains(where: { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "F") })
        {
            return .malformed
        }
        return .value(id)
    }

    private static func expiration(_ text: UnsafeBufferPointer<UInt8>) -> Field<Int64> {
        guard (1...18).contains(text.count) else { return .malformed }
        var seconds: Int64 = 0
        for character in text {
            let digit = character &- UInt8(ascii: "0")
            guard digit < 10 else { return .malformed }
            seconds = seconds * 10 + Int64(digit)
        }
        return .value(seconds)
    }

    private static func priority(_ text: UnsafeBufferPointer<UInt8>) -> Field<Int> {
        if text.equals("10") { return .value(10) }
        if text.equals("5") { return .value(5) }
        if text.equals("1") { return .value(1) }
        return .malformed
    }
}
