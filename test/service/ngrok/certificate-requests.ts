// openssl created these requests once, with P-256 keys that were not stored.
/** A certificate request (PKCS #10) of an operator. */
export const CSR = `-----BEGIN CERTIFICATE REQUEST-----
MIHQMHgCAQAwFjEUMBIGA1UEAwwLYW4gb3BlcmF0b3IwWTATBgcqhkjOPQIBBggq
hkjOPQMBBwNCAATk7nWTpPnqft/hydDJL7z1QRwxWI8+qOc5Y/u5DR+cs+uUbkp6
6v43LFtlkpT3fLBlJLOcvaoNQwOwWEJ3/ieGoAAwCgYIKoZIzj0EAwIDSAAwRQIg
Ek58rvP209GOIpNqPGP4dtgjU50S8JVdldfoDRFN4PcCIQDg1Jrs9hYum4nAuX4T
Vd3xYrhd9xV1CaG5uR8yl5YhwQ==
-----END CERTIFICATE REQUEST-----
`

/** The request for another key. */
export const OTHER_CSR = `-----BEGIN CERTIFICATE REQUEST-----
MIHRMHgCAQAwFjEUMBIGA1UEAwwLYW4gb3BlcmF0b3IwWTATBgcqhkjOPQIBBggq
hkjOPQMBBwNCAASGmFG95wZ/k+5wXB9yi1SJsrVYquC5p5tWI91FV1QitjR7BxLW
gRkKBTHtNQkqZoy3LNvyrHnNywlKLFqxriXnoAAwCgYIKoZIzj0EAwIDSQAwRgIh
APEIc6hEKM9rEt5/5cYrUVFYmB+8B5YZAzbDt5riSt0PAiEAkmPxy4UagA0J65FY
LmIMGkDU5Huo63J5D3QbeIyGaws=
-----END CERTIFICATE REQUEST-----
`
