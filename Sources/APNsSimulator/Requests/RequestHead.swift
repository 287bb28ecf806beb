// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// One request as it comes in: the fields that the rules read and the body, in one block of memory that is
/// used again for the next request of the same stream slot.
///
/// Values are borrowed: they stay valid until the next ``append(_:value:)``, ``appendBody(_:)`` or ``reset()``.
/// Not thread-safe: it belongs to its connection's event loop.
final class RequestHead {
    /// How much of a body is kept.
    ///
    /// More is counted only: it is more than any push may have.
    static let maximumStoredBody = 8192

    private struct Place {
        static let absent = Place(offset: .max, count: 0)
        var offset: UInt32
        var count: UInt32
    }

    private var block: UnsafeMutablePointer<UInt8>
    private var capacity = 1024
    private var used = 0
    private let places: UnsafeMutablePointer<Place>
    private var bodyOffset = 0
    private var storedBody = 0
    /// Whether a field that the rules read stood in the request more than once.
    private(set) var hasDuplicates = false
    /// The stream on which the request comes; 0 for one that comes on none.
    var streamID: Int32 = 0
    /// How many bytes of body came, kept or not.
    private(set) var bodyCount = 0

    init() {
        self.block = .allocate(capacity: self.capacity)
        self.places = .allocate(capacity: RequestField.allCases.count)
        self.places.initialize(repeating: .absent, count: RequestField.allCases.count)
    }

    deinit {
        self.block.deallocate()
        self.places.deallocate()
    }

    /// Forgets the request; the memory stays.
    func reset() {
        self.used = 0
        self.bodyCount = 0
        self.storedBody = 0
        self.hasDuplicates = false
        self.places.update(repeating: .absent, count: RequestField.allCases.count)
    }

    /// Stores a field.
    ///
    /// The first value is used; a second one marks the request as having duplicates.
    func append(_ field: RequestField, value: UnsafeBufferPointer<UInt8>) {
        guard self.places[field.rawValue].offset == .max else {
            self.hasDuplicates = true
            return
        }
        self.places[field.rawValue] = Place(
            offset: UInt32(truncatingIfNeeded: self.used),
            count: UInt32(truncatingIfNeeded: value.count)
        )
        self.store(value.baseAddress, count: value.count)
    }

    func appendBody(_ bytes: UnsafeRawBufferPointer) {
        if self.bodyCount == 0 { self.bodyOffset = self.used }
        self.bodyCount += bytes.count
        let kept = min(bytes.count, Self.maximumStoredBody - self.storedBody)
        guard kept > 0 else { return }
        self.store(bytes.assumingMemoryBound(to: UInt8.self).baseAddress, count: kept)
        self.storedBody += kept
    }

    /// The value of a field, or `nil` where the request has none.
    func value(_ field: RequestField) -> UnsafeBufferPointer<UInt8>? {
        let place = self.places[field.rawValue]
        guard place.offset != .max else { return nil }
        return UnsafeBufferPointer(start: self.block + Int(place.offset), count: Int(place.count))
    }

    /// The body, as far as it was kept.
    var body: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: self.block + self.bodyOffset, count: self.storedBody)
    }

    private func store(_ bytes: UnsafePointer<UInt8>?, count: Int) {
        guard let bytes, count > 0 else { return }
        if self.used + count > self.capacity { self.grow(to: self.used + count) }
        (self.block + self.used).update(from: bytes, count: count)
        self.used += count
    }

    private func grow(to needed: Int) {
        while self.capacity < needed { self.capacity *= 2 }
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: self.capacity)
        larger.update(from: self.block, count: self.used)
        self.block.deallocate()
        self.block = larger
    }
}

/// It belongs to one event loop and never leaves it.
@available(*, unavailable)
extension RequestHead: Sendable {}

/// A field of a request that the rules read.
///
/// All others are ignored, as APNs ignores them.
enum RequestField: Int, CaseIterable {
    case method, path, authorization, topic, pushType, apnsID, expiration, priority, collapseID, channelID,
        requestID

    /// The name on the wire.
    var name: StaticString {
        switch self {
        case .method: ":method"
        case .path: ":path"
        case .authorization: "authorization"
        case .topic: "apns-topic"
        case .pushType: "apns-push-type"
        case .apnsID: "apns-id"
        case .expiration: "apns-expiration"
        case .priority: "apns-priority"
        case .collapseID: "apns-collapse-id"
        case .channelID: "apns-channel-id"
        case .requestID: "apns-request-id"
        }
    }

    /// The fields that are recorded with a notification on a device.
    static let notification: [RequestField] = [.topic, .pushType, .apnsID, .expiration, .priority, .collapseID]

    /// The field of this name, or `nil` for one that is not read.
    ///
    /// The length decides, then one comparison.
    init?(_ name: UnsafeBufferPointer<UInt8>) {
        let candidate: RequestField
        switch name.count {
        case 5: candidate = .path
        case 7: candidate = name[0] == UInt8(ascii: ":") ? .method : .apnsID
        case 10: candidate = .topic
        case 13: candidate = name[1] == UInt8(ascii: "u") ? .authorization : .priority
        case 14: candidate = .pushType
        case 15:
            switch name[5] {
            case UInt8(ascii: "c"): candidate = .channelID
            case UInt8(ascii: "r"): candidate = .requestID
            default: candidate = .expiration
            }
        case 16: candidate = .collapseID
        default: return nil
        }
        guard name.equals(candidate.name) else { return nil }
        self = candidate
    }
}

/// The parsed `:path` of a request.
enum DevicePath {
    /// `/3/device/` and the rest: the device token in hexadecimal, or nothing.
    case device(UnsafeBufferPointer<UInt8>)
    /// A path that APNs does not serve.
    case unknown

    private static let prefix: StaticString = "/3/device/"

    init(_ path: UnsafeBufferPointer<UInt8>) {
        guard path.hasPrefix(Self.prefix) else {
            self = .unknown
            return
        }
        self = .device(UnsafeBufferPointer(rebasing: path[Self.prefix.utf8CodeUnitCount...]))
    }
}

/// Comparison of bytes in memory without copies.
extension UnsafeBufferPointer<UInt8> {
    func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard self.count == other.count else { return false }
        guard let left = self.baseAddress, let right = other.baseAddress else { return self.isEmpty }
        return memcmp(left, right, self.count) == 0
    }

    func equals(_ other: [UInt8]) -> Bool {
        other.withUnsafeBufferPointer { self.equals($0) }
    }

    func equals(_ other: StaticString) -> Bool {
        self.equals(UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
    }

    func hasPrefix(_ prefix: StaticString) -> Bool {
        self.count >= prefix.utf8CodeUnitCount && self[..<prefix.utf8CodeUnitCount].equals(prefix)
    }

    func hasSuffix(_ suffix: [UInt8]) -> Bool {
        self.count >= suffix.count && self[(self.count - suffix.count)...].equals(suffix)
    }

    /// Whether these bytes contain the non-empty constant.
    func contains(_ text: StaticString) -> Bool {
        var rest = self[...]
        while rest.count >= text.utf8CodeUnitCount {
            let bytes = UnsafeBufferPointer(rebasing: rest)
            guard let start = bytes.baseAddress,
                let found = memchr(start, Int32(text.utf8Start.pointee), bytes.count)
            else { return false }
            let offset = UnsafeRawPointer(found) - UnsafeRawPointer(start)
            if UnsafeBufferPointer(rebasing: bytes[offset...]).hasPrefix(text) { return true }
            rest = rest.dropFirst(offset + 1)
        }
        return false
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    func equals(_ other: [UInt8]) -> Bool { UnsafeBufferPointer(rebasing: self).equals(other) }

    func equals(_ other: StaticString) -> Bool { UnsafeBufferPointer(rebasing: self).equals(other) }
}
