import type { Body, Inform } from '../../traffic/body.ts'
import type { MessageHeaders } from '../../traffic/message-headers.ts'
import type { ServedCall } from '../../traffic/upstreams.ts'

/** A request to an upstream. Its path is sent unchanged, under the upstream's path. */
export interface UpstreamCall extends ServedCall {
  readonly method: string
  readonly path: string
  readonly headers: MessageHeaders
  readonly body: Body
  readonly inform?: Inform | undefined
}

/** Thrown if the upstream was silent for too long. */
export class SilentUpstream extends Error {
  readonly code = 'ETIMEDOUT'
}
