// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// The targets of a batch packed end to end: two allocations for all, and none for each.
///
/// Its bytes are the very value that a store keeps: the format's number (1), then for each target the environment
/// (0 sandbox, 1 production), the token's length (1...100) and its bytes. Ten thousand targets of the usual 32 bytes
/// take 340,001 bytes.
public struct TargetList: Hashable, Sendable {
    private static let format: UInt8 = 1

    /// The environments of each value of ``environmentBits``.
    private static let environmentSets: [Set<APNsEnvironment>] = [
        [], [.sandbox], [.production], [.sandbox, .production],
    ]

    public private(set) var encoded: [UInt8] = [Self.format]

    /// Where each target begins, at its environment.
    private var starts: [UInt32] = []

    /// One bit for each environment among the targets.
    private var environmentBits: UInt8 = 0

    public init() {}

    public init(_ targets: some Sequence<Target>) {
        self.reserveCapacity(targets.underestimatedCount)
        for target in targets { self.append(target) }
    }

    /// Reads the value of ``encoded``.
    ///
    /// - Throws: ``TargetListError`` when the bytes are anything else.
    public init(encoded bytes: [UInt8]) throws(TargetListError) {
        guard bytes.first == Self.format else { throw TargetListError(offset: 0) }
        self.starts.reserveCapacity(bytes.count / 34)
        var offset = 1
        while offset < bytes.count {
            guard offset + 2 <= bytes.count, bytes[offset] <= 1 else { throw TargetListError(offset: offset) }
            let size = Int(bytes[offset + 1])
            guard DeviceToken.sizes.contains(size), offset + 2 + size <= bytes.count else {
                throw TargetListError(offset: offset)
            }
            self.starts.append(UInt32(offset))
            self.environmentBits |= 1 << bytes[offset]
            offset += 2 + size
        }
        self.encoded = bytes
    }

    /// Makes room for `count` targets with tokens of 32 bytes.
    public mutating func reserveCapacity(_ count: Int) {
        self.encoded.reserveCapacity(1 + 34 * count)
        self.starts.reserveCapacity(count)
    }

    public mutating func append(_ target: Target) {
        target.token.bytes.withUnsafeBufferPointer { self.append($0, environment: target.environment) }
    }

    /// Adds a target whose token is given in hexadecimal digits: the form for hot paths.
    ///
    /// - Returns: whether the digits are a token; nothing is added when they are not.
    public mutating func append(hexUTF8: UnsafeBufferPointer<UInt8>, environment: APNsEnvironment) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DeviceToken.sizes.upperBound) { output in
            guard let count = DeviceToken.decode(hexUTF8, into: output) else { return false }
            self.append(UnsafeBufferPointer(rebasing: output[..<count]), environment: environment)
            return true
        }
    }

    private mutating func append(_ token: UnsafeBufferPointer<UInt8>, environment: APNsEnvironment) {
        let number: UInt8 = environment == .production ? 1 : 0
        self.starts.append(UInt32(self.encoded.count))
        self.encoded.append(number)
        self.encoded.append(UInt8(token.count))
        self.encoded.append(contentsOf: token)
        self.environmentBits |= 1 << number
    }

    public var environments: Set<APNsEnvironment> {
        Self.environmentSets[Int(self.environmentBits & 3)]
    }

    public func environment(at index: Int) -> APNsEnvironment {
        self.encoded[Int(self.starts[index])] == 1 ? .production : .sandbox
    }

    /// Lends the bytes of one target's token.
    public func withToken<Value>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        let range = self.tokenRange(at: index)
        return self.encoded.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
    }

    private func tokenRange(at index: Int) -> Range<Int> {
        let start = Int(self.starts[index])
        return start + 2..<start + 2 + Int(self.encoded[start + 1])
    }
}

extension TargetList: RandomAccessCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int { self.starts.count }

    /// One target, as a copy.
    public subscript(index: Int) -> Target {
        guard let token = try? DeviceToken(bytes: Array(self.encoded[self.tokenRange(at: index)])) else {
            // Cannot trap: `append` and `init(encoded:)` admit tokens of 1 to 100 bytes only.
            preconditionFailure("every token was checked when it was added")
        }
        return Target(token: token, environment: self.environment(at: index))
    }
}

extension TargetList: ExpressibleByArrayLiteral {
    public init(arrayLiteral targets: Target...) {
        self.init(targets)
    }
}

/// Bytes that are not a list of targets: the store's content is damaged.
public struct TargetListError: Error, Hashable, CustomStringConvertible {
    public let offset: Int

    public var description: String { "the list of targets is corrupt at byte \(self.offset)" }
}

/// One receiver of a batch: a token and the environment in which it is good.
public struct Target: Hashable, Sendable {
    public var token: DeviceToken
    public var environment: APNsEnvironment

    public init(token: DeviceToken, environment: APNsEnvironment) {
        self.token = token
        self.environment = environment
    }

    /// The same token in the other environment.
    public var inOtherEnvironment: Target { Target(token: self.token, environment: self.environment.other) }
}
