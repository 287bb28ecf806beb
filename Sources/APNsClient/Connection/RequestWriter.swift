// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session

/// Lays out requests: constant fields once for a connection, a job's once for the job, and for each notification
/// nothing but its path and its `apns-id` into buffers that are used again.
///
/// Of a broadcast the path is the job's, and the channel and `apns-request-id` differ.
struct RequestWriter: ~Copyable {
    /// The field that says whom a notification is for, by its place among the fields.
    private enum Addressee {
        /// `:path`, which ends in the device's token.
        case path(field: Int)
        /// `apns-channel-id`.
        case channel(field: Int)
    }

    private static let prefix: StaticString = "/3/device/"
    /// The value of a field until the first notification is submitted.
    private static var unset: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: nil, count: 0) }

    private var fields = HTTP2HeaderList(capacity: 16)
    private var addressee = Addressee.path(field: 0)
    private let authority: UnsafeMutableBufferPointer<UInt8>
    /// ``prefix``, and behind it the token of the notification that is submitted.
    private let path: UnsafeMutablePointer<UInt8>
    /// The channel of the notification that is submitted.
    private let channel: UnsafeMutablePointer<UInt8>
    private let id: UnsafeMutableRawBufferPointer
    /// Every provider token of the connection's life: a value that was lent stays until no message with it waits.
    private var authorizations: [UnsafeMutableBufferPointer<UInt8>] = []
    /// The job whose fields are laid out.
    private var job: SendOperation?

    init(authority: String) {
        self.authority = .allocate(capacity: authority.utf8.count)
        _ = self.authority.initialize(from: authority.utf8)
        let prefix = Self.prefix
        self.path = .allocate(capacity: prefix.utf8CodeUnitCount + 2 * DeviceToken.sizes.upperBound)
        self.path.initialize(from: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
        self.channel = .allocate(capacity: APNsChannelID.sizes.upperBound)
        self.id = .allocate(byteCount: APNsID.canonicalCount, alignment: 1)
    }

    deinit {
        self.authority.deallocate()
        self.path.deallocate()
        self.channel.deallocate()
        self.id.deallocate()
        for authorization in self.authorizations { authorization.deallocate() }
    }

    /// Sends `value` as `authorization` from now on.
    mutating func authorize(with value: [UInt8]) {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: value.count)
        _ = copy.initialize(from: value)
        self.authorizations.append(copy)
        self.job = nil
    }

    /// Submits the request for one target.
    ///
    /// The job must live until the stream is closed.
    mutating func submit(
        _ index: Int,
        of job: SendOperation,
        to session: HTTP2Session
    ) throws(HTTP2SessionError) -> HTTP2Stream {
        if self.job !== job { self.layOut(job) }
        switch self.addressee {
        case .path(let field):
            let prefix = Self.prefix.utf8CodeUnitCount
            let digits = job.writeToken(index, into: self.path + prefix)
            self.fields.replaceValue(at: field, with: UnsafeBufferPointer(start: self.path, count: prefix + digits))
        case .channel(let field):
            let count = job.writeChannel(index, into: self.channel)
            self.fields.replaceValue(at: field, with: UnsafeBufferPointer(start: self.channel, count: count))
        }
        job.writeID(index, into: self.id)
        return try session.submitRequest(self.fields, body: job.payload(of: index))
    }

    private mutating func layOut(_ job: SendOperation) {
        self.job = job
        self.fields.truncate(to: 0)
        self.fields.append(":method", "POST")
        self.fields.append(":scheme", "https")
        self.fields.append(":authority", UnsafeBufferPointer(self.authority), .borrowed)
        if let path = job.broadcastPath {
            self.fields.append(":path", path, .borrowed)
            self.appendShared(of: job)
            self.addressee = .channel(field: self.fields.count)
            self.fields.append("apns-channel-id", Self.unset, .copiedUnindexed)
        } else {
            self.addressee = .path(field: self.fields.count)
            self.fields.append(":path", Self.unset, .copiedUnindexed)
            self.appendShared(of: job)
        }
        if job.hasIDs {
            let bytes = UnsafeRawBufferPointer(self.id).assumingMemoryBound(to: UInt8.self)
            self.fields.append(job.broadcastPath == nil ? "apns-id" : "apns-request-id", bytes, .copiedUnindexed)
        }
    }

    /// Adds the fields that are the same for every notification of the job.
    private mutating func appendShared(of job: SendOperation) {
        if let authorization = self.authorizations.last {
            self.fields.append("authorization", UnsafeBufferPointer(authorization), .borrowed)
        }
        job.appendFields(to: &self.fields)
    }

    /// Lets go of the job whose fields are laid out.
    mutating func forgetJob() {
        self.job = nil
    }
}
