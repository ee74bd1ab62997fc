const CHUNK_SIZE = 8192

/** Returns the bytes of a binary string: one byte per character, characters 0 to 255. */
export function toBytes(binary: string): Uint8Array {
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

/** Returns the bytes as a binary string: one character per byte. */
export function toBinary(bytes: Uint8Array): string {
  let binary = ''
  // Typed arrays are slow to spread.
  for (let i = 0; i < bytes.length; i += CHUNK_SIZE)
    binary += Reflect.apply(String.fromCharCode, null, bytes.subarray(i, i + CHUNK_SIZE))
  return binary
}

/**
 * Counts the bits of an unsigned number: 2048 for the modulus of a 2048-bit RSA key. Takes linear time, unlike the function of the noble
 * library.
 */
export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length
}
