// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Testing

@Suite("The kinds of events")
struct EventDocumentTests {
    @Test("each has its chapter in docs/events.md and is named in the API's description", arguments: EventType.known)
    func documented(kind: EventType) {
        #expect(ProjectFiles.read("docs/events.md").contains("\n### \(kind)\n"))
        #expect(ProjectFiles.read("docs/openapi.yaml").contains("`\(kind)`"))
    }
}
