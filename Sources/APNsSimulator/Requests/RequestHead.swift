// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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

    /// Takes note of a field.
    ///
    /// The first value counts; a second one marks the request as having duplicates.
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

    /// Takes note of a piece of the body.
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
