// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a call is answered: a status, and a body in XML.
public struct SNSAnswer: Hashable, Sendable {
    /// The namespace of every answer.
    static let namespace = "http://sns.amazonaws.com/doc/2010-03-31/"

    /// The value of `Content-Type`.
    public static let contentType = "text/xml"
    /// The header that repeats the id of the request.
    public static let requestIDHeader = "x-amzn-RequestId"

    /// The HTTP status.
    public let status: Int
    /// The body in UTF-8.
    public let body: [UInt8]

    /// The answer to a call that was carried out.
    ///
    /// - Parameters:
    ///   - result: what came of it.
    ///   - requestID: a UUID.
    public init(_ result: SNSResult, requestID: String) {
        let name = result.action.rawValue
        var writer = XMLWriter()
        writer.element("\(name)Response", xmlns: Self.namespace) { writer in
            if result.hasElement { result.write(into: &writer, named: "\(name)Result") }
            writer.element("ResponseMetadata") { $0.element("RequestId", requestID) }
        }
        self.status = 200
        self.body = writer.bytes
    }

    /// The answer to a call that was refused.
    ///
    /// - Parameters:
    ///   - error: why.
    ///   - requestID: a UUID.
    public init(_ error: SNSError, requestID: String) {
        var writer = XMLWriter()
        writer.element("ErrorResponse", xmlns: Self.namespace) { writer in
            writer.element("Error") { writer in
                writer.element("Type", error.code.isSenderFault ? "Sender" : "Receiver")
                writer.element("Code", error.code.rawValue)
                writer.element("Message", error.message)
            }
            writer.element("RequestId", requestID)
        }
        self.status = error.code.status
        self.body = writer.bytes
    }
}
