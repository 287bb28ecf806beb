// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension ProblemCode {
    /// The problems of requests with a client key for a device or an activity that is not the installation's.
    var installationEntry: ProblemDescription {
        switch self {
        case .installationSecretRequired:
            ProblemDescription(
                403,
                "Missing installation secret",
                "With a client key, the app requires the header `Apus-Installation-Secret`, or the device has a secret.",
                fix:
                    "Draw 32 random bytes in each installation, keep them, and send them as base64url with each request; "
                    + "ApusKit does so. For apps of before, set `installationSecrets` of the app to `optional`."
            )
        case .installationSecretMismatch:
            ProblemDescription(
                403,
                "Wrong installation secret",
                "The device belongs to an installation with another secret.",
                fix:
                    "Register under a new device ID. If the installation has lost its secret, reset it with a key of "
                    + "scope `devices`: `DELETE /v1/apps/{app}/devices/{device}/secret`."
            )
        case .installationNotBound:
            ProblemDescription(
                403,
                "Device without a secret",
                "The device was registered without a secret, and the time in which the first one binds it is over.",
                fix:
                    "Register under a new device ID. Or allow it for this device with "
                    + "`DELETE /v1/apps/{app}/devices/{device}/secret`, or for all until a date with "
                    + "`installationsBindUntil` of the app."
            )
        default:
            ProblemDescription(
                403,
                "Activity of others",
                "The activity belongs to the backend or to another installation, and neither was started on this device "
                    + "nor names it or its user.",
                fix:
                    "Let the backend name the device or its user: with `participants` of `POST /v1/apps/{app}/activities`, "
                    + "or `POST /v1/apps/{app}/activities/{activity}/participants`."
            )
        }
    }
}
