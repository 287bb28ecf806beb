// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part12 = ##"""
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
