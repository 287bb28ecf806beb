// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

@testable import APNsSimulator

/// The parser of the legacy binary protocol, fed in pieces.
///
/// The first byte is the size of the pieces.
struct BinaryTarget: FuzzTarget {
    func feed(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let whole = Self.read(bytes.dropFirst(), by: max(1, bytes.count))
        let pieces = Self.read(bytes.dropFirst(), by: max(1, Int(first)))
        precondition(whole == pieces, "pieces of another size make other notifications")
    }

    private static func read(_ bytes: ArraySlice<UInt8>, by size: Int) -> [BinaryNotificationParser.Result] {
        var parser = BinaryNotificationParser()
        var results: [BinaryNotificationParser.Result] = []
        var rest = bytes
        while !rest.isEmpty {
            var piece = ByteBuffer(bytes: rest.prefix(size))
            rest = rest.dropFirst(size)
            parser.append(&piece)
            while true {
                let result = parser.next()
                if result == .needsMore { break }
                results.append(result)
                if case .failure = result { return results }
            }
        }
        return results
    }
}
