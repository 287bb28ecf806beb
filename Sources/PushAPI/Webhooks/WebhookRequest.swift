// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

/// What a caller says of a new webhook.
struct WebhookRequest: Sendable {
    static let members = ["url", "kinds"]

    var url: WebhookURL
    var kinds: Set<EventKind>?

    /// Reads the body of a request.
    ///
    /// - Parameters:
    ///   - body: the body.
    ///   - allowsInsecure: whether `http` will do.
    /// - Throws: ``Problem`` with every fault of the request.
    init(_ body: [UInt8], allowsInsecure: Bool) throws(Problem) {
        var url: WebhookURL?
        var kinds: Set<EventKind>?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "url": url = try Self.url(&reader, path, allowsInsecure: allowsInsecure)
            case "kinds": kinds = try Self.kinds(&reader, path)
            default: try reader.skip()
            }
        } finish: { reader in
            reader.require(url, "url").map { WebhookRequest(url: $0, kinds: kinds) }
        }
    }

    private init(url: WebhookURL, kinds: Set<EventKind>?) {
        self.url = url
        self.kinds = kinds
    }

    /// Reads where events are posted.
    static func url(
        _ reader: inout JSONReader,
        _ path: FieldPath,
        allowsInsecure: Bool
    ) throws(JSONSyntaxError) -> WebhookURL? {
        guard let url = try reader.value(path, WebhookURL.init(validating:)) else { return nil }
        guard !url.isSecure, !allowsInsecure else { return url }
        reader.faults.add(path, expected: WebhookURL.rule, got: "an http URL, which webhooks.allowHttp would allow")
        return nil
    }

    /// Reads kinds; at least one.
    static func kinds(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> Set<EventKind>? {
        var kinds: Set<EventKind> = []
        let count = try reader.array(path) { reader, index throws(JSONSyntaxError) in
            let kind = try reader.value(path.element(index)) { text throws(ValidationFailure) in
                try EventKind(text, among: EventKind.forWebhooks)
            }
            if let kind { kinds.insert(kind) }
        }
        if count == 0 { reader.faults.add(path, expected: "at least one kind", got: "an empty array") }
        if kinds.count > 64 { reader.faults.add(path, expected: "at most 64 kinds", got: "\(kinds.count)") }
        return kinds.isEmpty ? nil : kinds
    }
}
