/**
 * PUBLISHED TEST KEYS. Anyone can read them here, so anyone can make certificates with them: never put a certificate of
 * theirs in a trust store. They are for gateways inside a test's process.
 */
export const testKeys = {
  /** Published test key of the root authority: a P-256 secret in hex, the SHA-256 of "fauxgate test root". */
  root: '3468bab5d6e5746e72a88fdb9b14fd6ac4f7e022aa128bb13325e34c528ee456',
  /** Published test key of the intermediate authority: the same of "fauxgate test intermediate". */
  intermediate: 'f8ff8bde735a35eeab95718a66d612dcda8f176a7ae393d68315ccbb688a9eda',
  /** Published test key of all RSA leaves, its two primes in hex, made once with openssl: a new one would take seconds each time. */
  rsaLeaf: [
    'd7a7c1af27ee69df1881e7899587f12d3b296ac85b3c4f3219747f895a4fa95328df3cb9a28245ff47d9b816374a2be1879108e0c9c0c63ed84b393ec8bea21596c4c80fa7a7bb5c79d9ee4edb290ba67426ecb544c81f29dca726c26c923327f5fd3da39cb2d6d510143271176e7bd6dd7f56ba65e339ceb084843798f07957',
    'd228a25ff79b6ff824a99b8ee795958aa340315373d530ed31152ee13cec6f0a07460216523fc8ec9d2800eeaf20b339f7d315b1307b89a8b48fa7e1b53dc5d8c5a454e334142db1159f47fbbc961428f5987be0f5ee4d427eb9dc27a55070fa7ceaed8f8d53d5af8bba8d026d6db2e9db19b52f4f3373f78a99a7055d869811',
  ],
} as const
