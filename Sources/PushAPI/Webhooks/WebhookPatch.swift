// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

/// What a caller wants to be changed about a webhook.
struct WebhookPatch: Sendable {
    /// The states that a caller may set.
    private enum State: String, CaseIterable {
        case active
        case paused
    }

    static let members = ["url", "kinds", "allKinds", "state"]

    let changes: [WebhookChange]

    /// Reads the body of a request; at least one member has to be there.
    ///
    /// - Parameters:
    ///   - body: the body.
    ///   - allowsInsecure: whether `http` will do.
    /// - Throws: ``Problem`` with every fault of the request.
    init(_ body: [UInt8], allowsInsecure: Bool) throws(Problem) {
        var url: WebhookURL?
        var kinds: Set<EventKind>?
        var allKinds: Bool?
        var state: State?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "url": url = try WebhookRequest.url(&reader, path, allowsInsecure: allowsInsecure)
            case "kinds": kinds = try WebhookRequest.kinds(&reader, path)
            case "allKinds": allKinds = try reader.boolean(path)
            case "state": state = try reader.oneOf(State.self, path)
            default: try reader.skip()
            }
        } finish: { reader in
            if kinds != nil, allKinds == true {
                reader.faults.add(.root, expected: "one of the members 'kinds', 'allKinds'", got: "both")
            }
            var changes: [WebhookChange] = []
            if let url { changes.append(.url(url)) }
            if let kinds { changes.append(.kinds(kinds)) }
            if allKinds == true { changes.append(.kinds(nil)) }
            if let state { changes.append(state == .active ? .activate : .pause) }
            if changes.isEmpty, reader.faults.count == 0 {
                reader.faults.add(.root, expected: "something to change", got: "nothing")
            }
            return WebhookPatch(changes: changes)
        }
    }

    private init(changes: [WebhookChange]) {
        self.changes = changes
    }
}
