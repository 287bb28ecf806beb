// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import GRDB
import PushModel

extension APNsID {
    /// The id as 16 bytes, the most significant first, so that stored ids sort as ids do.
    var stored: Data {
        withUnsafeBytes(of: (self.high.bigEndian, self.low.bigEndian)) { Data($0) }
    }

    /// Reads the 16 bytes of `stored`.
    init?(stored bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        let high = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let low = bytes[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(high: high, low: low)
    }
}

extension APNsEnvironment {
    /// The number in which it is stored.
    var stored: Int { self == .production ? 1 : 0 }

    /// Reads the number of `stored`.
    init(stored number: Int) { self = number == 1 ? .production : .sandbox }
}

extension Lane {
    /// The number in which it is stored.
    var stored: Int { self == .urgent ? 0 : 1 }

    /// Reads the number of `stored`.
    init(stored number: Int) { self = number == 0 ? .urgent : .bulk }
}

extension DeviceToken {
    /// The bytes in which it is stored.
    var stored: Data { Data(self.bytes) }
}
