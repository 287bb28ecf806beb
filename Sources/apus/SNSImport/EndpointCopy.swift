// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
import Foundation
import PushModel

/// What SNS knows of an endpoint: as the source has it, or as a device stands here.
struct EndpointCopy: Hashable {
    var token: DeviceToken
    var isEnabled: Bool

    /// Empty for nothing.
    var userData: String

    init(token: DeviceToken, isEnabled: Bool = true, userData: String = "") {
        self.token = token
        self.isEnabled = isEnabled
        self.userData = userData
    }

    /// What a device has of it.
    init(_ device: Device) {
        self.init(token: device.token, isEnabled: device.status.isEnabled, userData: device.userData ?? "")
    }

    /// When a device is said to have registered that was copied like this.
    ///
    /// SNS tells no times. One of those that stand for none is chosen by what was copied: a device that has another one than its
    /// own copy would have was changed, or given up, after it had been copied.
    var mark: Date {
        var hash = SHA256()
        hash.update(data: [UInt8(self.token.bytes.count)] + self.token.bytes + [self.isEnabled ? 1 : 0])
        hash.update(data: Array(self.userData.utf8))
        let number = hash.finalize().prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return Date(millisecondsSince1970: number % DeviceRegistration.copyTimes.upperBound)
    }
}
