import { CONTROL_PATH } from '../control/address.ts'
import { createPageHeaders } from '../gateway/http/page-headers.ts'
import type { Address } from './address.ts'
import { account, inspector } from './documents.js'
import { isSandboxName } from './names.ts'

const documents = { account, inspector } as const

type PageName = keyof typeof documents

interface Page {
  readonly compressed: Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

/** The HTML pages. Everybody may load them, because they contain no data. Loading them wakes no sandbox. */
export class Pages {
  readonly #pages = new Map<PageName, Promise<Page>>()

  /** Returns the response to a request for a page; undefined for any other request. */
  respond(address: Address, { method, headers }: Request): Promise<Response> | Response | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    if (address.name === undefined) return address.path === '/' ? this.#response('account', method, headers) : undefined
    if (!isSandboxName(address.name)) return undefined
    const [path] = address.below.split('?', 1)
    if (path === `${CONTROL_PATH}/`) return this.#response('inspector', method, headers)
    if (path !== CONTROL_PATH) return undefined
    return new Response(null, { status: 308, headers: { Location: `${address.base}${CONTROL_PATH}/` } })
  }

  async #response(name: PageName, method: string, headers: Headers): Promise<Response> {
    const { compressed: packed, headers: pageHeaders } = await this.#page(name)
    const acceptsGzip = /\bgzip\b/.test(headers.get('accept-encoding') ?? '')
    const all = { ...pageHeaders, Vary: 'Accept-Encoding', ...(acceptsGzip && { 'Content-Encoding': 'gzip' }) }
    if (method === 'HEAD') return new Response(null, { headers: all })
    // Without `encodeBody`, a Worker would compress the body again.
    const init = { headers: all, encodeBody: 'manual' }
    return acceptsGzip ? new Response(packed, init) : new Response(unpack(packed), { headers: all })
  }

  #page(name: PageName): Promise<Page> {
    const page = this.#pages.get(name) ?? unpackPage(documents[name])
    this.#pages.set(name, page)
    return page
  }
}

async function unpackPage(text: string): Promise<Page> {
  const compressed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  return { compressed, headers: createPageHeaders(await new Response(unpack(compressed)).text()) }
}

function unpack(packed: Uint8Array<ArrayBuffer>): ReadableStream {
  return new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))
}
