// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The catalogue of problems as a document for people: `docs/problems.md`.
public enum ProblemCatalogue {
    /// The whole document in Markdown.
    public static var markdown: String {
        self.introduction + self.table + ProblemCode.allCases.map(self.section).joined(separator: "\n")
    }

    /// What the document says of one code.
    static func section(_ code: ProblemCode) -> String {
        let entry = code.entry
        let retry = entry.retryAfter.map { " It comes with `Retry-After: \($0)`." } ?? ""
        return """
            ## \(code.rawValue)

            **\(entry.title).** Status \(entry.status).\(retry)

            \(entry.meaning)

            *What to do:* \(entry.fix)

            """
    }

    private static let introduction = """
        # Problems

        Whenever the API says no, it answers with `application/problem+json` (RFC 9457):

        ```json
        {
          "type": "/problems/invalid_device_token",
          "title": "A device token is not one",
          "status": 422,
          "code": "invalid_device_token",
          "detail": "targets.tokens[3]: expected 2...200 hexadecimal digits, two for each byte, got 63 characters",
          "errors": [
            {
              "field": "targets.tokens[3]",
              "rule": "2...200 hexadecimal digits, two for each byte",
              "value": "63 characters"
            }
          ],
          "errorCount": 1,
          "requestID": "8c1f30a2b4d6e9070000000000000001"
        }
        ```

        Switch on `code`; it never changes its meaning. `detail` and `errors` are for people and logs: they name the
        field, the rule and the value's size or kind, and never hold a secret or a whole device token. At most 20 faults
        are listed; `errorCount` counts them all. `requestID` is also in the header `X-Request-ID` and in the server's
        log. The server answers with the text below at the path in `type`.

        This file is made from the code (`ProblemCode`); do not edit it by hand.


        """

    private static var table: String {
        let rows = ProblemCode.allCases.map { code in
            "| [`\(code.rawValue)`](#\(code.rawValue)) | \(code.entry.status) | \(code.entry.title) |"
        }
        return (["| code | status | title |", "|---|---|---|"] + rows).joined(separator: "\n") + "\n\n"
    }
}
