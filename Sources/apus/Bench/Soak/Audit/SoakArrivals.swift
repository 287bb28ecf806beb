// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator

/// What devices got.
struct SoakArrivals: Sendable {
    /// What is unique to one notification to one device: no payload is handed over twice for the same device.
    private struct Content: Hashable {
        let payload: Int
        let device: VirtualDeviceID
    }

    /// The device that got it, by the `apns-id`.
    private(set) var devices: [APNsID: VirtualDeviceID] = [:]

    /// How often something came again under the same `apns-id`, as at-least-once delivery does.
    private(set) var duplicates = 0

    /// How many notifications reached their device under two `apns-id`s.
    private(set) var sentTwice = 0

    private var ids: [Content: APNsID] = [:]

    /// Takes note of an arrival.
    ///
    /// - Returns: what is wrong with it, or `nil`.
    mutating func take(_ arrival: Delivery) -> String? {
        let id = arrival.notification.apnsID
        if let earlier = self.devices.updateValue(arrival.device, forKey: id) {
            self.duplicates += 1
            guard earlier == arrival.device else { return "apns-id \(id) reached two devices" }
        }
        var hasher = Hasher()
        arrival.notification.payload.withUnsafeBytes { hasher.combine(bytes: $0) }
        let content = Content(payload: hasher.finalize(), device: arrival.device)
        guard let other = self.ids.updateValue(id, forKey: content), other != id else { return nil }
        self.sentTwice += 1
        let payload = String(decoding: arrival.notification.payload, as: UTF8.self)
        return "\(payload) reached device \(arrival.device) as \(other) and as \(id)"
    }
}
