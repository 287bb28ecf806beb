// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension Rejection {
    /// The rejection that an answer of APNs stands for: `{"reason":"Unregistered","timestamp":1754982000000}`.
    ///
    /// Never fails: a body that is no JSON object, or that names no reason, keeps the status and has
    /// ``RejectionReason/unknown``. Of the timestamp only whole milliseconds are read, and only with status 410.
    public init(status: Int, body: UnsafeBufferPointer<UInt8>) {
        self.init(status: status, reason: .unknown)
        guard let members = try? JSONScanner.members(of: body) else { return }
        for member in members {
            let value = UnsafeBufferPointer(rebasing: body[member.value])
            switch member.key {
            case "reason":
                guard let text = JSONScanner.string(value), !text.isEmpty else { continue }
                self.reason = RejectionReason(wire: text)
            case "timestamp" where status == 410:
                self.inactiveSince = JSONScanner.integer(value)
            default: continue
            }
        }
    }

    /// The rejection that an answer of APNs stands for; a body that cannot be read keeps the status.
    public init(status: Int, body: [UInt8]) {
        self = body.withUnsafeBufferPointer { Rejection(status: status, body: $0) }
    }

    /// The body with which APNs answers this rejection.
    public var body: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("reason", string: self.reason.rawValue)
        if self.status == 410, let inactiveSince = self.inactiveSince {
            writer.member("timestamp", integer: inactiveSince)
        }
        writer.endObject()
        return writer.bytes
    }
}

extension RejectionReason {
    /// The reason of a wire string.
    ///
    /// Apple's page prints one of them with a space: `Service Unavailable`.
    init(wire: String) {
        self = wire == "Service Unavailable" ? .serviceUnavailable : RejectionReason(rawValue: wire)
    }
}
