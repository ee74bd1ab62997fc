import { CONTROL_PATH } from '../control/address.ts'
import { createPageHeaders, PAGE_SCRIPTS, SCRIPT_HEADERS } from '../gateway/http/page-headers.ts'
import type { Address } from './address.ts'
import { account, inspector, page, resources, state, traffic } from './documents.js'
import { isSandboxName } from './names.ts'

const documents = { account, inspector, page, resources, state, traffic } as const

type PageName = keyof typeof documents

/** The paths under a sandbox's URL, with the names of their documents. */
const PATHS: ReadonlyMap<string, PageName> = new Map([
  [`${CONTROL_PATH}/`, 'inspector'],
  ...PAGE_SCRIPTS.map((name) => [`${CONTROL_PATH}/${name}.js`, name] as const),
])

interface Page {
  readonly compressed: Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

/** The pages and their scripts. Anyone may load them because they contain no data. Loading them does not wake a sandbox. */
export class Pages {
  readonly #pages = new Map<PageName, Promise<Page>>()

  /** Returns the response to a request for a page, or undefined for any other request. */
  respond(address: Address, { method, headers }: Request): Promise<Response> | Response | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    if (address.name === undefined) return address.path === '/' ? this.#response('account', method, headers) : undefined
    if (!isSandboxName(address.name)) return undefined
    const name = PATHS.get(address.path)
    if (name) return this.#response(name, method, headers)
    if (address.path !== CONTROL_PATH) return undefined
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
    const page = this.#pages.get(name) ?? unpackPage(name)
    this.#pages.set(name, page)
    return page
  }
}

async function unpackPage(name: PageName): Promise<Page> {
  const compressed = Uint8Array.from(atob(documents[name]), (character) => character.charCodeAt(0))
  const isScript = PAGE_SCRIPTS.some((each) => each === name)
  const headers = isScript ? SCRIPT_HEADERS : createPageHeaders(await new Response(unpack(compressed)).text())
  return { compressed, headers }
}

function unpack(packed: Uint8Array<ArrayBuffer>): ReadableStream {
  return new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))
}
