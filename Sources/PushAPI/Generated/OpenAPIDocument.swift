// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

/// The API's own description, as it is served at `/openapi.yaml`.
enum OpenAPIDocument {
    /// The document (OpenAPI 3.1).
    static let yaml = [
        part1, part2, part3, part4, part5, part6, part7, part8, part9, part10,
        part11, part12, part13,
    ].joined()
}
