// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import PushAPI
import Testing

@Suite("The catalogue of problems", .timeLimit(.minutes(20)))
struct ProblemCatalogueTests {
    @Test("stands in docs/problems.md as it is in the code")
    func document() throws {
        if ProjectFiles.isUpdating { try ProjectFiles.write(ProblemCatalogue.markdown, to: "docs/problems.md") }
        #expect(ProjectFiles.read("docs/problems.md") == ProblemCatalogue.markdown, "run with APUS_UPDATE_GENERATED=1")
    }

    @Test("says for every code when it occurs and what to do", arguments: ProblemCode.allCases)
    func entries(_ code: ProblemCode) {
        let entry = code.entry
        #expect((400..<600).contains(entry.status))
        #expect(!entry.title.hasSuffix("."))
        #expect(entry.meaning.hasSuffix("."))
        #expect(entry.fix.hasSuffix("."))
        #expect(code.rawValue.allSatisfy { $0.isLowercase || $0 == "_" })
        #expect((entry.retryAfter != nil) == (entry.status > 500 || entry.status == 429))
    }

    @Test("gives no two codes the same title")
    func titles() {
        #expect(Set(ProblemCode.allCases.map(\.entry.title)).count == ProblemCode.allCases.count)
    }

    @Test("never loses a code")
    func stable() {
        let published: Set = [
            "malformed_json", "unsupported_media_type", "body_too_large", "route_not_found", "method_not_allowed",
            "invalid_request", "invalid_device_token", "payload_too_large", "too_many_targets", "no_reachable_targets",
            "invalid_credential", "wrong_certificate_password", "master_key_missing", "missing_api_key",
            "invalid_api_key", "expired_api_key", "revoked_api_key", "insufficient_scope", "api_key_app_mismatch",
            "app_not_found", "app_exists", "credential_not_found",
            "key_not_found", "device_not_found", "notification_not_found", "notification_not_completed",
            "notification_already_resent", "nothing_to_resend", "campaign_not_found", "campaign_completed",
            "webhook_not_found",
            "too_many_webhooks", "cursor_expired", "conflict", "store_unavailable",
            "idempotency_key_reused", "line_too_long", "stream_gap", "stream_in_use", "too_many_streams",
            "store_locked", "store_read_only", "store_full", "store_corrupt", "shutting_down", "internal_error",
        ]
        #expect(published.isSubset(of: ProblemCode.allCases.map(\.rawValue)))
    }

    @Test("is served at the path that the type of a problem names")
    func served() async throws {
        try await withAPI { api async throws in
            let problem = try await api.call(.get, "/v1/apps", key: "")
            let type = try #require(problem.json["type"]?.text)
            let answer = try await api.call(.get, type, key: "")
            #expect(answer.status == 200)
            #expect(answer.text.hasPrefix("## missing_api_key"))
            #expect(try await api.call(.get, "/problems/other", key: "").code == "route_not_found")
        }
    }
}
