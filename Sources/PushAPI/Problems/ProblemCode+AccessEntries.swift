// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension ProblemCode {
    var accessEntry: ProblemDescription {
        switch self {
        case .missingAPIKey:
            ProblemDescription(
                401,
                "Missing API key",
                "The request has no `Authorization` header.",
                fix: "Send `Authorization: Bearer apus_...`. `apus keys create` creates the first key."
            )
        case .expiredAPIKey:
            ProblemDescription(
                401,
                "Expired API key",
                "The key was created with an expiration time, which has passed.",
                fix: "Create another key."
            )
        case .revokedAPIKey:
            ProblemDescription(
                401,
                "Revoked API key",
                "The key was revoked with `DELETE /v1/keys/{key}` or `apus keys revoke`.",
                fix: "Create another key."
            )
        case .sessionExpired:
            ProblemDescription(
                401,
                "Expired session",
                "The cookie of the console is not valid, or no longer valid: 8 hours after an open page renewed it last, "
                    + "or 24 hours after the sign-in.",
                fix: "Sign in at /console again."
            )
        case .crossOriginRequest:
            ProblemDescription(
                403,
                "Request from another origin",
                "A cookie of the console authenticates only requests of the console's own pages.",
                fix: "Send `Authorization: Bearer apus_...` instead of the cookie."
            )
        case .tooManyFailures:
            ProblemDescription(
                429,
                "Too many requests without a valid key",
                "The address of the client has sent too many unknown keys, or all clients have, and this process does "
                    + "not know the key of this request.",
                fix:
                    "Correct the key. An address can name 60 unknown keys at once, then 20 per second; all addresses "
                    + "together 200, then 100 per second. Existing keys still work.",
                retryAfter: 60
            )
        case .rateLimited:
            ProblemDescription(
                429,
                "Too many requests of the API key",
                "The key has sent more requests per second than one key may (`keyRequestsPerSecond`).",
                fix: "Send fewer requests: batches, streams and files of devices need one request for many items.",
                retryAfter: 1
            )
        case .tooManyCalls:
            ProblemDescription(
                429,
                "Too many concurrent calls of the API key",
                "The key has its share of open calls of this kind: estimates, exports, imports, streams, or live feeds. "
                    + "Or the server has its maximum number of them; the last quarter is for keys that have none.",
                fix: "Wait until a call of the key ends, or close one. The parts of a process can share a feed or a "
                    + "stream.",
                retryAfter: 2
            )
        case .callTimeout:
            ProblemDescription(
                503,
                "Timeout of the call",
                "The server has not counted the devices of the audience within 15 minutes.",
                fix: "Use fewer conditions in the audience, or repeat the request when the server has less load.",
                retryAfter: 60
            )
        case .insufficientScope:
            ProblemDescription(
                403,
                "Missing scope of the API key",
                "The key lacks the scope that the route requires; `detail` names it.",
                fix: "Use a key with that scope. The scopes of a key cannot be changed."
            )
        case .policyDenied:
            ProblemDescription(
                403,
                "Denied by the policy of the API key",
                "The policy of the key does not allow what the route does; `detail` names the action of SNS. A key with "
                    + "a policy may use only routes that correspond to an action.",
                fix: "Use a key whose policy allows the action. The policy of a key cannot be changed."
            )
        case .addressNotAllowed:
            ProblemDescription(
                403,
                "Address not allowed for the API key",
                "The key may be used only from the addresses in its `allowedAddresses`, and the client has another one. "
                    + "Behind a proxy, this is the address of the proxy unless the server trusts the proxy.",
                fix: "Use the key from an allowed address, or create a key that allows this one."
            )
        case .apiKeyAppMismatch:
            ProblemDescription(
                403,
                "API key of another app",
                "The key is bound to one app. It gives access to the routes of that app, and to its items of "
                    + "`/v1/quarantine`.",
                fix: "Use a key of the app in the path, or a key that is not bound to an app."
            )
        default:
            ProblemDescription(
                401,
                "Unknown API key",
                "The `Authorization` header is not `Bearer` with an API key, or the key does not exist.",
                fix: "Send the key as it was shown when it was created: `apus_`, 16 digits, `_`, 64 digits."
            )
        }
    }
}
