// Makes the resources of `writes.ts` in a gateway.
import type { Gateway } from '../../../../src/index.ts'
import { headers } from './client.ts'
import { bodyOf, type Kind, NEEDS } from './writes.ts'

/** Sends a request to a gateway at once. */
export function send(gateway: Gateway, [method, url, json]: Change): Record<'id' | 'addr' | 'domain', string> {
  const header = (name: string) => new Headers(headers).get(name)
  const body = json ? JSON.stringify(json) : ''
  const response = gateway.transport.exchange({ method, url, header, body })
  if (response.status >= 300) throw new Error(`${method} ${url} ${body}: ${response.status} ${response.body}`)
  return JSON.parse(response.body || '{}')
}

/** Creates the resources whose names are in braces, and replaces the names by id. */
export class Needs {
  readonly #texts = new Map<string, string>()

  constructor(readonly gateway: Gateway) {}

  fill<T>(value: T): T {
    return JSON.parse(JSON.stringify(value).replace(/\{([a-z0-9]+)\}/g, (_, name: string) => this.#textOf(name)))
  }

  #textOf(name: string): string {
    const [path, body, field = 'id'] = NEEDS[name] ?? []
    if (path === undefined) throw new Error(`No need has the name ${name}.`)
    const text = this.#texts.get(name) ?? send(this.gateway, ['POST', this.fill(path), this.fill(body)])[field]
    this.#texts.set(name, text)
    return text
  }
}

/** A request that changes something. */
export type Change = readonly [method: string, path: string, body?: object | undefined]

/** Makes a resource of a kind. Returns its path. */
export function make(needs: Needs, { path, create, fields }: Kind, before: object = {}): string {
  const filled = needs.fill(path)
  if (!create) {
    send(needs.gateway, ['PUT', filled, needs.fill(bodyOf(fields))])
    return filled
  }
  const one = `${filled}/${send(needs.gateway, ['POST', filled, needs.fill(create)]).id}`
  if (Object.keys(before).length > 0) send(needs.gateway, ['PATCH', one, needs.fill(before)])
  return one
}
