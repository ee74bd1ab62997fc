const MIB = 1024 * 1024

/**
 * The documented limits of an object on the hosted platform, which docs/sandbox.md names. Sandboxes keep to them on every
 * machine. Source: https://developers.cloudflare.com/durable-objects/platform/limits
 */
export const PLATFORM = {
  requestsPerSecond: 1000,
  /** The processor time of a request. */
  cpuSeconds: 30,
  memoryMb: 128,
  storageGb: 10,
  /** The bytes of one row with its key. */
  rowBytes: 2_000_000,
  /** The bytes of one call between objects. Streams are not limited. */
  callBytes: 32 * MIB,
} as const

/** The maximum number of bytes of a sandbox in an archive: one call restores it. */
export const MAX_LINE_BYTES = PLATFORM.callBytes - 4 * MIB
