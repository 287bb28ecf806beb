// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PostgresStore
import Testing

@Suite("The verification of a database's certificate")
struct VerificationTests {
    @Test(
        "is missing for another host without verify-full",
        arguments: [
            ("postgres://u:p@db.example.com/apus", "db.example.com"), ("postgres://10.0.0.7:5433/apus", "10.0.0.7"),
            ("postgres://db.example.com/apus?sslmode=require", "db.example.com"),
            ("postgres://db.example.com/apus?sslmode=verify-ca", "db.example.com"),
            ("postgres://localhost,db.example.com/apus", "db.example.com"),
            ("host=localhost hostaddr=10.0.0.7 dbname=apus", "10.0.0.7"),
            ("postgres://db.example.com/apus?sslmode=verify-full", nil),
            ("postgres://db.example.com/apus?sslrootcert=system", nil), ("postgres://localhost/apus", nil),
            ("postgres://127.0.0.1,[::1]/apus", nil), ("postgres:///apus?host=/run/postgresql", nil),
            ("host=@apus dbname=apus", nil), ("postgres:///apus", nil), ("no connection string", nil),
        ] as [(String, String?)]
    )
    func hosts(url: String, host: String?) {
        #expect(PostgresStoreConfiguration(url: url).unverifiedHost(environment: [:]) == host)
    }

    @Test("is found in the variables of libpq for parameters that the URL omits")
    func environment() {
        let configuration = PostgresStoreConfiguration(url: "postgres:///apus")
        #expect(configuration.unverifiedHost(environment: ["PGHOST": "db.example.com"]) == "db.example.com")
        let verified = ["PGHOST": "db.example.com", "PGSSLMODE": "verify-full"]
        #expect(configuration.unverifiedHost(environment: verified) == nil)
        let named = PostgresStoreConfiguration(url: "postgres://localhost/apus")
        #expect(named.unverifiedHost(environment: ["PGHOST": "db.example.com"]) == nil)
    }
}
