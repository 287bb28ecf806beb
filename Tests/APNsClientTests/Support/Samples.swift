// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator

/// The app that every test sends to.
let app = "com.example.app"

extension NotificationHeaders {
    /// An alert for the app.
    static func sample() throws -> NotificationHeaders { NotificationHeaders(topic: try Topic(app)) }
}

extension APNsPayload {
    /// An alert with this text.
    static func sample(_ text: String = "Hello") throws -> APNsPayload {
        try APNsPayload(json: #"{"aps":{"alert":"\#(text)"}}"#)
    }
}

extension SendBatch {
    /// An alert with this text for these devices.
    static func sample(_ text: String = "Hello", tokens: [DeviceToken], firstID: APNsID? = nil) throws -> SendBatch {
        SendBatch(
            headers: try .sample(),
            payload: .shared(try .sample(text)),
            tokens: TokenList(tokens),
            firstID: firstID
        )
    }

    /// An alert with this text for as many devices as nobody knows.
    static func sample(_ text: String = "Hello", count: Int) throws -> SendBatch {
        try .sample(text, tokens: (0..<count).map { try .sample($0) })
    }
}

extension DeviceToken {
    /// A token of 32 bytes that no simulator gave out.
    static func sample(_ number: Int) throws -> DeviceToken {
        try DeviceToken(bytes: Array(repeating: 0xA5, count: 28) + (0..<4).map { UInt8(number >> (8 * $0) & 255) })
    }
}

extension APNsID {
    /// The id of a batch's target.
    func advanced(by offset: Int) -> APNsID { APNsID(high: self.high, low: self.low &+ UInt64(offset)) }
}

extension APNsSimulator {
    /// The simulator as a client's destination; by default with its demo key.
    func destination(host: String = "127.0.0.1", credential: APNsCredential? = nil) throws -> APNsDestination {
        let key = try ProviderKey(keyID: self.demoKey.keyID, teamID: self.demoKey.teamID, pem: self.demoKey.p8)
        let trust = TrustRoots.certificateAuthority(pem: Array(self.caPEM.utf8))
        return APNsDestination(
            endpoint: APNsEndpoint(host: host, port: self.port, trust: trust),
            credential: credential ?? .key(key)
        )
    }

    /// What every device has received, in the order of booting.
    func received() -> [[ReceivedNotification]] {
        (self.devices(limit: .max) ?? []).map { self.device($0.id)?.notifications ?? [] }
    }
}

extension SendOutcome {
    /// The code of a failure.
    var failure: SendFailure.Code? { if case .failed(let failure) = self { failure.code } else { nil } }

    /// The reason of a rejection.
    var reason: RejectionReason? { if case .rejected(let rejection) = self { rejection.reason } else { nil } }

    /// What a failure says.
    var message: String { if case .failed(let failure) = self { failure.message } else { "\(self)" } }
}
