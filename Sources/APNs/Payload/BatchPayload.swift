// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The payloads of a batch: one for all targets, or one for each target.
public enum BatchPayload: Hashable, Sendable {
    /// Every target receives this payload.
    case shared(APNsPayload)

    /// Each target receives the payload at its index; there is one for each target.
    case distinct(PayloadList)

    /// The first byte of stored distinct payloads; no JSON text starts with it.
    private static let format: UInt8 = 1

    /// The payload of the target with this index.
    public subscript(index: Int) -> APNsPayload {
        switch self {
        case .shared(let payload): payload
        case .distinct(let list): list[index]
        }
    }

    /// Whether there is a payload for each of `count` targets.
    public func fits(targets count: Int) -> Bool {
        switch self {
        case .shared: true
        case .distinct(let list): list.count == count
        }
    }

    /// Returns the payloads of some targets, in the order of `indices`.
    public func selecting(_ indices: some Collection<Int>) -> BatchPayload {
        switch self {
        case .shared: self
        case .distinct(let list): .distinct(list.selecting(indices))
        }
    }

    /// The stored form: a single value, which for a shared payload is the payload itself.
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
    /// - Throws: ``InvalidValueError`` for `payload` if the bytes have another form.
    public init(encoded bytes: [UInt8]) throws(InvalidValueError) {
        guard bytes.first == Self.format else {
            self = .shared(try APNsPayload(storedJSON: bytes))
            return
        }
        guard let list = PayloadList(encoded: bytes.dropFirst()) else {
            throw InvalidValueError(field: "payload", rule: "a list of payloads", value: "\(bytes.count) other bytes")
        }
        self = .distinct(list)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: UInt32) {
        Swift.withUnsafeBytes(of: number.bigEndian) { self.append(contentsOf: $0) }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func number(at offset: Int) -> UInt32? {
        guard self.count >= offset + 4 else { return nil }
        let start = self.startIndex + offset
        return self[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// Payloads packed end to end, one for each target of a batch.
///
/// It has two allocations in total, instead of one for each payload.
public struct PayloadList: Hashable, Sendable {
    /// The bytes of all payloads, end to end.
    public private(set) var bytes: [UInt8] = []

    /// The end offset of each payload in ``bytes``; each payload starts at the end of the previous one.
    public private(set) var ends: [UInt32] = []

    /// Creates an empty list.
    public init() {}

    /// Creates a list of these payloads, in order.
    public init(_ payloads: some Sequence<APNsPayload>) {
        for payload in payloads { self.append(payload) }
    }

    /// The number of payloads.
    public var count: Int { self.ends.count }

    /// Appends a payload.
    public mutating func append(_ payload: APNsPayload) {
        self.append(checked: payload.bytes[...])
    }

    /// Appends without validation, for hot paths: the caller guarantees that the payload is a JSON object.
    public mutating func append(checked payload: ArraySlice<UInt8>) {
        self.bytes.append(contentsOf: payload)
        self.ends.append(UInt32(self.bytes.count))
    }

    /// Reserves capacity for `count` payloads with a total of `bytes` bytes.
    public mutating func reserveCapacity(_ count: Int, bytes: Int) {
        self.bytes.reserveCapacity(bytes)
        self.ends.reserveCapacity(count)
    }

    /// The range of a payload in ``bytes``.
    public func range(at index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(self.ends[index - 1]))..<Int(self.ends[index])
    }

    /// A list of some of the payloads, in the order of the indices.
    public func selecting(_ indices: some Collection<Int>) -> PayloadList {
        var list = PayloadList()
        list.reserveCapacity(indices.count, bytes: indices.reduce(0) { $0 + self.range(at: $1).count })
        for index in indices { list.append(checked: self.bytes[self.range(at: index)]) }
        return list
    }

    /// One payload, as a copy.
    public subscript(index: Int) -> APNsPayload { APNsPayload(written: Array(self.bytes[self.range(at: index)])) }
}

extension PayloadList {
    /// The list as one value: how many there are, where each ends (32 bits each, the most significant byte first), and
    /// the payloads.
    func encode(into output: inout [UInt8]) {
        output.reserveCapacity(output.count + 4 + 4 * self.ends.count + self.bytes.count)
        output.append(UInt32(self.ends.count))
        for end in self.ends { output.append(end) }
        output.append(contentsOf: self.bytes)
    }

    /// Reads the result of ``encode(into:)``; `nil` for invalid bytes.
    init?(encoded: ArraySlice<UInt8>) {
        guard let count = encoded.number(at: 0), encoded.count - 4 >= 4 * Int(count) else { return nil }
        self.ends.reserveCapacity(Int(count))
        for place in 0..<Int(count) {
            guard let end = encoded.number(at: 4 + 4 * place), end >= self.ends.last ?? 0 else { return nil }
            self.ends.append(end)
        }
        self.bytes = Array(encoded.dropFirst(4 + 4 * Int(count)))
        guard self.bytes.count == Int(self.ends.last ?? 0) else { return nil }
    }
}
