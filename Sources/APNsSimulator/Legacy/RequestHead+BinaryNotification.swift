// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension RequestHead {
    /// The request of the provider API that stands for a notification of the binary protocol.
    convenience init(_ notification: BinaryNotification, topic: String) {
        self.init()
        self.append(.method, "POST")
        self.append(.path, "/3/device/" + HexDigit.string(notification.token))
        self.append(.topic, topic)
        if let expiry = notification.expiry { self.append(.expiration, String(expiry)) }
        self.append(.priority, String(notification.priority))
        notification.payload.withUnsafeBytes { self.appendBody($0) }
    }

    private func append(_ field: RequestField, _ text: String) {
        var text = text
        text.withUTF8 { self.append(field, value: $0) }
    }
}
