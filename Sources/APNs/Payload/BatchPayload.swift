// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What the devices of a batch receive: all the same, or each its own.
public enum BatchPayload: Hashable, Sendable {
    /// Every device receives this.
    case shared(APNsPayload)

    /// Each device receives its own, by the index of its target; as many as there are targets.
    case distinct(PayloadList)

    /// The first byte of distinct payloads as a store keeps them; no JSON begins with it.
    private static let format: UInt8 = 1

    /// What one target receives.
    public subscript(index: Int) -> APNsPayload {
        switch self {
        case .shared(let payload): payload
        case .distinct(let list): list[index]
        }
    }

    /// Whether there is a payload for each of so many targets.
    public func fits(targets count: Int) -> Bool {
        switch self {
        case .shared: true
        case .distinct(let list): list.count == count
        }
    }

    /// The payloads of some targets, in the order of their indices.
    public func selecting(_ indices: some Collection<Int>) -> BatchPayload {
        switch self {
        case .shared: self
        case .distinct(let list): .distinct(list.selecting(indices))
        }
    }

    /// The form in which a store keeps it: one value, which for a shared payload is the payload itself.
    public var encoded: [UInt8] {
        switch self {
        case .shared(let payload): return payload.bytes
        case .distinct(let list):
            var bytes = [Self.format]
            list.encode(into: &bytes)
            return bytes
        }
    }

    /// Reads the value of ``encoded``.
    ///
    /// - Throws: ``ValidationFailure`` for `payload` when the bytes are anything else.
    public init(encoded bytes: [UInt8]) throws(ValidationFailure) {
        guard bytes.first == Self.format else {
            self = .shared(try APNsPayload(json: bytes))
            return
        }
        guard let list = PayloadList(encoded: bytes.dropFirst()) else {
            throw ValidationFailure(field: "payload", rule: "a list of payloads", value: "\(bytes.count) other bytes")
        }
        self = .distinct(list)
    }
}
