const MIB = 1024 * 1024

/**
 * The documented limits on an object on the hosted platform, listed in docs/sandbox.md. Sandboxes keep within these limits on every
 * machine. Source: https://developers.cloudflare.com/durable-objects/platform/limits
 */
export const PLATFORM = {
  requestsPerSecond: 1000,
  /** The processor time per request. */
  cpuSeconds: 30,
  memoryMb: 128,
  storageGb: 10,
  /** The size of one row with its key, in bytes. */
  rowBytes: 2_000_000,
  /** The size of one call between objects, in bytes. Streams are not limited. */
  callBytes: 32 * MIB,
} as const

/** The maximum size in bytes of a sandbox in an archive, because one call restores it. */
export const MAX_LINE_BYTES = PLATFORM.callBytes - 4 * MIB
