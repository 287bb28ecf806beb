// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The compact form in which a store keeps the targets of a batch: one value for all of them.
///
/// Layout: the format's number (1), then for each target the environment (0 sandbox, 1 production), the token's
/// length (1...100) and its bytes. Ten thousand targets of the usual 32 bytes take 340,001 bytes.
public enum TargetList {
    private static let format: UInt8 = 1

    /// Writes targets, in their order.
    public static func encode(_ targets: [Target]) -> [UInt8] {
        let size = targets.reduce(1) { $0 + 2 + $1.token.bytes.count }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            buffer[0] = self.format
            var end = 1
            for target in targets {
                let token = target.token.bytes
                buffer[end] = target.environment == .production ? 1 : 0
                buffer[end + 1] = UInt8(token.count)
                for byte in token.indices { buffer[end + 2 + byte] = token[byte] }
                end += 2 + token.count
            }
            count = end
        }
    }

    /// Reads what ``encode(_:)`` wrote.
    ///
    /// - Throws: ``TargetListError`` when the bytes are anything else.
    public static func decode(_ bytes: [UInt8]) throws(TargetListError) -> [Target] {
        guard bytes.first == self.format else { throw TargetListError(offset: 0) }
        var targets: [Target] = []
        targets.reserveCapacity(bytes.count / 34)
        var offset = 1
        while offset < bytes.count {
            guard offset + 2 <= bytes.count, bytes[offset] <= 1 else { throw TargetListError(offset: offset) }
            let start = offset + 2
            let end = start + Int(bytes[offset + 1])
            guard end <= bytes.count, let token = try? DeviceToken(bytes: Array(bytes[start..<end])) else {
                throw TargetListError(offset: offset)
            }
            targets.append(Target(token: token, environment: bytes[offset] == 1 ? .production : .sandbox))
            offset = end
        }
        return targets
    }
}

/// Bytes that are not a list of targets: the store's content is damaged.
public struct TargetListError: Error, Hashable, CustomStringConvertible {
    /// Where the first wrong byte is.
    public let offset: Int

    /// What is wrong, with the offset.
    public var description: String { "the list of targets is damaged at byte \(self.offset)" }
}
