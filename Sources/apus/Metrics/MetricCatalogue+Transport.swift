// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Telemetry

extension MetricCatalogue {
    /// The metrics of TLS.
    static let transport: [MetricDescription] = [
        MetricDescription(
            "apus_tls_certificate_expiry_timestamp_seconds",
            .gauge,
            "When the certificate that new connections are served with expires, in seconds since 1970. Only with "
                + "`tls.certificate`."
        ),
        MetricDescription(
            "apus_tls_reloads_total",
            .counter,
            labels: ["result"],
            "Changes of the TLS files: `loaded`, or `failed` (the former certificate stays in use; the log has the reason)."
        ),
    ]
}
