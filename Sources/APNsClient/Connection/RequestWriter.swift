// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session

/// Lays out requests: constant fields once for a connection, a job's once for the job, and for each notification
/// nothing but its path and its `apns-id` into buffers that are used again.
///
/// Of a broadcast the path is the job's, and the channel and `apns-request-id` differ.
struct RequestWriter: ~Copyable {
    private static let prefix: StaticString = "/3/device/"
    private static let pathField = 3

    private var fields = HTTP2FieldTable(capacity: 16)
    private let authority: UnsafeMutableBufferPointer<UInt8>
    private let path: UnsafeMutableBufferPointer<UInt8>
    private let id: UnsafeMutableRawBufferPointer
    /// Every provider token of the connection's life: a value that was lent stays until no message with it waits.
    private var authorizations: [UnsafeMutableBufferPointer<UInt8>] = []
    private var job: SendJob?
    /// The place of `apns-channel-id` among the fields; `nil` when the job's targets are devices.
    private var channelField: Int?

    init(authority: String) {
        self.authority = .allocate(capacity: authority.utf8.count)
        _ = self.authority.initialize(from: authority.utf8)
        let prefixCount = Self.prefix.utf8CodeUnitCount
        self.path = .allocate(capacity: prefixCount + 2 * DeviceToken.sizes.upperBound)
        self.path.initialize(repeating: 0)
        for offset in 0..<prefixCount { self.path[offset] = Self.prefix.utf8Start[offset] }
        self.id = .allocate(byteCount: APNsID.canonicalCount, alignment: 1)
    }

    deinit {
        self.authority.deallocate()
        self.path.deallocate()
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
        of job: SendJob,
        to session: HTTP2Session
    ) throws(HTTP2SessionError) -> HTTP2Stream {
        if self.job !== job { self.layOut(job) }
        let prefixCount = Self.prefix.utf8CodeUnitCount
        guard let path = self.path.baseAddress else { preconditionFailure("the path's buffer is never empty") }
        if let channelField {
            let count = job.writeChannel(index, into: path + prefixCount)
            self.fields.replaceValue(
                at: channelField,
                with: UnsafeBufferPointer(start: path + prefixCount, count: count)
            )
        } else {
            let digits = job.writeToken(index, into: path + prefixCount)
            self.fields.replaceValue(
                at: Self.pathField,
                with: UnsafeBufferPointer(start: path, count: prefixCount + digits)
            )
        }
        job.writeID(index, into: self.id)
        return try session.submitRequest(self.fields, body: job.payload(of: index))
    }

    private mutating func layOut(_ job: SendJob) {
        self.job = job
        self.fields.truncate(to: 0)
        self.fields.append(":method", "POST")
        self.fields.append(":scheme", "https")
        self.fields.append(":authority", UnsafeBufferPointer(self.authority), .borrowed)
        if let path = job.broadcastPath {
            self.fields.append(":path", path, .borrowed)
        } else {
            self.fields.append(":path", UnsafeBufferPointer(self.path), .copiedUnindexed)
        }
        if let authorization = self.authorizations.last {
            self.fields.append("authorization", UnsafeBufferPointer(authorization), .borrowed)
        }
        job.appendFields(to: &self.fields)
        self.channelField = job.broadcastPath == nil ? nil : self.fields.count
        if self.channelField != nil {
            self.fields.append("apns-channel-id", UnsafeBufferPointer(self.path), .copiedUnindexed)
        }
        if job.hasIDs {
            let bytes = UnsafeRawBufferPointer(self.id).assumingMemoryBound(to: UInt8.self)
            self.fields.append(self.channelField == nil ? "apns-id" : "apns-request-id", bytes, .copiedUnindexed)
        }
    }

    /// Lets go of the job whose fields are laid out.
    mutating func forgetJob() {
        self.job = nil
    }
}
