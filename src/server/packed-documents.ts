import { gzipSync } from 'node:zlib'
import { CONTROL_PATH } from '../control/address.ts'
import type { HttpRequest, HttpResponse } from '../gateway/http/messages.ts'

const DOCUMENT = new RegExp(`${CONTROL_PATH}/openapi(?:\\.control)?\\.json$`)

/** A response whose body is compressed. */
export interface PackedResponse {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The OpenAPI documents of a gateway. Each is compressed only once, because it is hundreds of kilobytes long. */
export class PackedDocuments {
  readonly #packed = new Map<string, { readonly text: string; readonly body: Uint8Array }>()

  /** Returns the compressed response for a document if the client accepts gzip, or undefined for any other response. */
  pack({ url, header }: HttpRequest, { status, headers, body }: HttpResponse): PackedResponse | undefined {
    const [path = ''] = url.split('?', 1)
    if (status !== 200 || !body || !DOCUMENT.test(path)) return undefined
    if (!/\bgzip\b/.test(header('accept-encoding') ?? '')) return undefined
    let known = this.#packed.get(path)
    // The document contains the gateway's URL, and the URL can change.
    if (known?.text !== body) known = { text: body, body: gzipSync(body) }
    this.#packed.set(path, known)
    return { headers: { ...headers, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }, body: known.body }
  }
}
