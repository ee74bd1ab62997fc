import type { VisitorRequest } from './message.ts'

/** The maximum number of bytes to keep of a request body. */
export const MAX_KEPT_BYTES = 16_384

/** Returns the part of a request body that has passed through so far, null if there is no body, or undefined if it is longer than 16 KB. */
export type KeptBody = () => readonly Uint8Array[] | null | undefined

const noBody: KeptBody = () => null

/** Stores a request body as it passes through. */
export function keepBody(request: VisitorRequest): KeptBody {
  const { body, headers } = request
  if (body === null) return noBody
  const length = Number(headers.get('content-length'))
  // A stream without a length may be long, and would pass through yet another function.
  if (!(length <= MAX_KEPT_BYTES) || headers.get('content-length') === undefined) return () => undefined
  const parts: Uint8Array[] = []
  let size = 0
  request.watchBody((part) => {
    size += part.length
    if (size <= MAX_KEPT_BYTES) parts.push(part)
  })
  return () => (size === length ? parts : undefined)
}
