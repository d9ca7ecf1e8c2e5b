// A certificate for tests of TLS and of its settings, valid for a hundred years.

/// Made for these tests alone, for the name localhost; it is its own authority.
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
}
