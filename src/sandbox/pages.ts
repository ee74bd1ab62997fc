import { CONTROL_PATH } from '../control/control.ts'
import { pageHeaders } from '../http/page-headers.ts'
import { type Address, isSandboxName } from './address.ts'
import { account, inspector } from './documents.js'

const documents = { account, inspector } as const

/** A page as it is sent. */
interface Page {
  readonly packed: Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

/** The pages for people. They tell nothing by themselves, so that they wake no sandbox and are for everybody. */
export class Pages {
  readonly #pages = new Map<keyof typeof documents, Promise<Page>>()

  /** The answer to a request for a page; undefined for any other request. */
  at(address: Address, { method, headers }: Request): Promise<Response> | Response | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const path = address.name === undefined ? address.path : pathOf(address.below)
    if (address.name === undefined) return path === '/' ? this.#answer('account', method, headers) : undefined
    if (!path.startsWith(CONTROL_PATH) || !isSandboxName(address.name)) return undefined
    if (path === `${CONTROL_PATH}/`) return this.#answer('inspector', method, headers)
    if (path !== CONTROL_PATH) return undefined
    return new Response(null, { status: 308, headers: { Location: `${address.base}${CONTROL_PATH}/` } })
  }

  async #answer(name: keyof typeof documents, method: string, headers: Headers): Promise<Response> {
    const { packed, headers: own } = await this.#page(name)
    const takesPacked = /\bgzip\b/.test(headers.get('accept-encoding') ?? '')
    const all = { ...own, Vary: 'Accept-Encoding', ...(takesPacked && { 'Content-Encoding': 'gzip' }) }
    if (method === 'HEAD') return new Response(null, { headers: all })
    // A Worker packs what says that it is packed, unless told that it is already.
    const how = { headers: all, encodeBody: 'manual' }
    return takesPacked ? new Response(packed, how) : new Response(unpacked(packed), { headers: all })
  }

  #page(name: keyof typeof documents): Promise<Page> {
    const page = this.#pages.get(name) ?? pageOf(documents[name])
    this.#pages.set(name, page)
    return page
  }
}

function pathOf(below: string): string {
  const end = below.indexOf('?')
  return end === -1 ? below : below.slice(0, end)
}

async function pageOf(text: string): Promise<Page> {
  const packed = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))
  return { packed, headers: pageHeaders(await new Response(unpacked(packed)).text()) }
}

function unpacked(packed: Uint8Array<ArrayBuffer>): ReadableStream {
  return new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))
}
