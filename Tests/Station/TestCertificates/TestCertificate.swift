// Certificates for tests of TLS and its settings, valid for a hundred years unless stated otherwise.

/// Made only for these tests. `certificate` is for the name localhost; each is its own authority, and all have the same
/// `key`.
public enum TestCertificate {
  public static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBYjCCAQegAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
    c3QwIBcNMjQwMTAxMDAwMDAwWhgPMjEyNDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
    CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBkidqZ9wNDmO+EY
    uDnL/F8xr8P6kAnsmd89jhwDAhe7ZJs5YuJpTg6EIVG6pjjMq4nVHlBSnqqPQhGJ
    g8RfbgajSDBGMBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAPBgNVHRMBAf8EBTADAQH/
    MB0GA1UdDgQWBBQvgdkjAWKzZD5qXbvdQHFbIJUcETAKBggqhkjOPQQDAgNJADBG
    AiEAntP6nJL4EeY5Xa59wvjWMsCcxgMhhZMFPvXrNM9bJjUCIQDe7kPmZbmLMISX
    sPT6ZU0ZXuvk/2+WPTA49cEAeMp6QA==
    -----END CERTIFICATE-----
    """

  public static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAf+gNCyfH95ZF/PD
    uVmY1t3l01nCJsUS0Mbb1snh+JChRANCAAQZInamfcDQ5jvhGLg5y/xfMa/D+pAJ
    7JnfPY4cAwIXu2SbOWLiaU4OhCFRuqY4zKuJ1R5QUp6qj0IRiYPEX24G
    -----END PRIVATE KEY-----
    """

  /// Names localhost only as its common name.
  public static let commonNameOnly = """
    -----BEGIN CERTIFICATE-----
    MIIBSTCB8aADAgECAgECMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
    dDAgFw0yNDAxMDEwMDAwMDBaGA8yMTI0MDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
    bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEGSJ2pn3A0OY74Ri4
    Ocv8XzGvw/qQCeyZ3z2OHAMCF7tkmzli4mlODoQhUbqmOMyridUeUFKeqo9CEYmD
    xF9uBqMyMDAwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUL4HZIwFis2Q+al27
    3UBxWyCVHBEwCgYIKoZIzj0EAwIDRwAwRAIgWEYkmg2fEcMEPaKbsJYLqHcpxUKl
    GihAzQhPTJp4RcsCIATEGJSzct1WVLiyT6rFwVRB9NicTtMWpzvDDFMYyvWy
    -----END CERTIFICATE-----
    """

  /// Names 127.0.0.1 only as its common name.
  public static let commonNameOfAddress = """
    -----BEGIN CERTIFICATE-----
    MIIBSjCB8aADAgECAgEDMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCTEyNy4wLjAu
    MTAgFw0yNDAxMDEwMDAwMDBaGA8yMTI0MDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
    MTI3LjAuMC4xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEGSJ2pn3A0OY74Ri4
    Ocv8XzGvw/qQCeyZ3z2OHAMCF7tkmzli4mlODoQhUbqmOMyridUeUFKeqo9CEYmD
    xF9uBqMyMDAwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUL4HZIwFis2Q+al27
    3UBxWyCVHBEwCgYIKoZIzj0EAwIDSAAwRQIgPlpv+ivtocNIZ+y9Oyj8BspYa+df
    BiS47CQCwCmbQUoCIQD1BoL+KNl8KmGfX2EKM/MnoAGs/77uxFMlxi1MsxFnoQ==
    -----END CERTIFICATE-----
    """

  /// Has 127.0.0.1 as a subject alternative name and another common name.
  public static let alternativeNameOfAddress = """
    -----BEGIN CERTIFICATE-----
    MIIBWjCCAQCgAwIBAgIBBDAKBggqhkjOPQQDAjATMREwDwYDVQQDDAhyZWNlaXZl
    cjAgFw0yNDAxMDEwMDAwMDBaGA8yMTI0MDEwMTAwMDAwMFowEzERMA8GA1UEAwwI
    cmVjZWl2ZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQZInamfcDQ5jvhGLg5
    y/xfMa/D+pAJ7JnfPY4cAwIXu2SbOWLiaU4OhCFRuqY4zKuJ1R5QUp6qj0IRiYPE
    X24Go0MwQTAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBQvgdkjAWKzZD5qXbvd
    QHFbIJUcETAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUCIAaGQD+J
    bDm03g95+TZw6h+hvcntdyON1uZZNE8gJfXsAiEA7etpfcpPJefAR50irlNk+4a6
    etWXdtivVg98f6ZbSd4=
    -----END CERTIFICATE-----
    """

  /// For localhost, for the year 2020.
  public static let expired = """
    -----BEGIN CERTIFICATE-----
    MIIBYDCCAQWgAwIBAgIBBTAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
    c3QwHhcNMjAwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjAUMRIwEAYDVQQDDAls
    b2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQZInamfcDQ5jvhGLg5
    y/xfMa/D+pAJ7JnfPY4cAwIXu2SbOWLiaU4OhCFRuqY4zKuJ1R5QUp6qj0IRiYPE
    X24Go0gwRjAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBQvgdkjAWKzZD5qXbvd
    QHFbIJUcETAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwIDSQAwRgIh
    ALF0borHVrgHUzLF/4X8rP2CPCweFZfjMNyFIp0MXpeeAiEA32nOzuAidIzrRbft
    OU1HiOYdSXB+zR723oxq4gVbGyk=
    -----END CERTIFICATE-----
    """

  /// The key of another certificate.
  public static let otherKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgD1s7u1l165FlmF8y
    g0m2ILCrHQnpGohbz3u0del9Bc6hRANCAASyb1TktDJ6A0+aJQUzGojopUZLY1rB
    quE4De5WDHWOpBFpJYrYGLjE67MlhFGcbw2Ag2MrHocDC0qYMOr1iwaa
    -----END PRIVATE KEY-----
    """

  /// `key`, encrypted with a passphrase.
  public static let lockedKey = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjhRpVPe8qwBwICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEGkW1mfebVvoYZFMyxzhcj8EgZBf
    2gVDqn/lhEquXVbSWES79+KFg+CkIvn7H069tj73Qemd65PrQfz2STf1HMkm/QDN
    XS4pXIDSZS+/pbJbFx33E/aZVfIulUVaodAw5lkIepPEsqDN5DN8v9zYQiYnV3Tj
    oTpSZXplXYNSwKFF+kdQGk8EYYVp3eVauG0HlqYWjIcggPZ5iw+byAsfqKmFmBw=
    -----END ENCRYPTED PRIVATE KEY-----
    """
}
