/**
 * PUBLISHED TEST KEYS. Anyone can read them here, so anyone can make certificates with them: never put a certificate of
 * theirs in a trust store. They are for gateways inside a test's process.
 */
export const testKeys = {
  /** Published test key of the root authority: a P-256 secret in hex, the SHA-256 of "fauxgate test root". */
  root: '3468bab5d6e5746e72a88fdb9b14fd6ac4f7e022aa128bb13325e34c528ee456',
  /** Published test key of the intermediate authority: the same of "fauxgate test intermediate". */
  intermediate: 'f8ff8bde735a35eeab95718a66d612dcda8f176a7ae393d68315ccbb688a9eda',
  /** Published test key of all RSA leaves, PKCS#8, made once with openssl: a new one would take seconds each time. */
  rsaLeaf: `-----BEGIN PRIVATE KEY-----
MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCxCdfg8odUI0hk
HQ0zIhiPSDbdF7FIM9579FAipAxkwxvAMEnqwRtW1QFSzY9dr3vCB5CDltAPJbKf
Ym+1g4bVZv02IoFa9VC8xvvBCjpEMCVK2M+kee+JBwGElQ1DQybneD09v/Pyz976
hdesCjnIQKhkzsWjIHKEJZ+CxoVrtafqXDxY8AmXn460UaACaTo6gLfMj48+gbp4
Nnu3iPdx9SA1n84y4kLU+w9EwSo4p2K769XERVI8MfmLfHF0USccNlzITiOIsqtx
eWr5pgMaB/pE7SpESvAX9QXwscaUHlt2h3C8yOkKQzEO/Btmhb5UUzckhRkj2xXQ
VCcOjbbHAgMBAAECggEABVuuaHT+qom81abZcOw9wQxm+K8QYwaK28aLrFi5tU0A
aIMtoYjBqpGcziRBjAzVGoy/D3R/jI3QB6njhqNZ79iDnmFR9+5HyMbe9Ls6AzlP
z6GbOzeji8ql/ZzDP39nTIcjl1xZZkZrUbq+Scsvb4OhdRea/LJtNNmsp7kZbaaP
cLrFp6CTnmd76A/6IeJHHsFmSaWxyJLTH22H0ynwcID7tX+Z7aO/1FiAB0O4Gd41
fcFNJW67XtN2h6JrznvFB20PWwbw4vCM1ak2cDAcPfRnBKcu7eTHqOvz4X3yWJ+P
rMtW47u0ODlWLOEN6VbzqwRp7YhBItDDw7OgTiVVUQKBgQDXp8GvJ+5p3xiB54mV
h/EtOylqyFs8TzIZdH+JWk+pUyjfPLmigkX/R9m4FjdKK+GHkQjgycDGPthLOT7I
vqIVlsTID6enu1x52e5O2ykLpnQm7LVEyB8p3KcmwmySMyf1/T2jnLLW1RAUMnEX
bnvW3X9WumXjOc6whIQ3mPB5VwKBgQDSKKJf95tv+CSpm47nlZWKo0AxU3PVMO0x
FS7hPOxvCgdGAhZSP8jsnSgA7q8gszn30xWxMHuJqLSPp+G1PcXYxaRU4zQULbEV
n0f7vJYUKPWYe+D17k1CfrncJ6VQcPp86u2PjVPVr4u6jQJtbbLp2xm1L08zc/eK
macFXYaYEQKBgHqj5lvL46PFwdQubmnhM2C7omQdqPT1PNKJE/Zyq5bpufaqPA+U
8mWo4MH1sF+38Lv92QSs97pGBw9QcMoMz3Rjl2kGrhuPS5noO8QQkpkTgj6YosWI
4WAXId/C9ad2/CTCbYlcFcBizpAN146xwC+DK2WQ/1xnhYmQ8vgDO85lAoGAPMLK
z3xDUIgp8W+sTYCOD9tLP/ek0cqniT1apHx8z03S9Ia99WHDscVuP3bC421uIRzC
dMxTq2U/bxlWxJPrk9Twwio+cGcVf+7hXQMVURbWixOl4vTXGZaSHfjIbw17Hoq9
zHdL+cgbWgBS51iEFeDm+d+HwpSQyV3LUF3OAEECgYAG2TIKo1ShktlnvoHMZGkk
kPglLVdK7QJxGuDodQKOf5cTyoulKtUYv8vg7uZxt2oaja6W4KgWLDqGWaZK6qM9
H1coT+JlM+wULGlyHVQZOHqjxhNu7FLgWrksFFaub38EaLdOli2li0NJU0hveVjO
Gymi7XeMPcwaEYBJQ3BBUQ==
-----END PRIVATE KEY-----
`,
} as const
