// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part13 = ##"""
                    - job_is_code
                    - too_many_jobs
                    - activity_type_not_found
                    - content_mismatch
                    - channel_not_found
                    - channel_exists
                    - channel_in_use
                    - channel_not_ready
                    - channel_limit
                    - broadcast_disabled
                    - no_credential
                    - apns_refused
                    - apns_unavailable
                    - conflict
                    - store_unavailable
                    - store_locked
                    - store_read_only
                    - store_full
                    - store_corrupt
                    - shutting_down
                    - internal_error
                detail: { type: string }
                errors:
                  description: The faults that were found, at most 20.
                  type: array
                  items: { $ref: "#/components/schemas/Fault" }
                errorCount:
                  description: How many faults there are in all.
                  type: integer
                requestID: { type: string }

        """##
}
