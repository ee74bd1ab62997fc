import type { History } from './history.ts'
import { type SourceWriter, toPlace } from './source.ts'

/** Matches the IDs that a gateway generates. */
const ID = /\b[a-z][a-z0-9]*_[0-9A-Za-z]{27}\b/g

/** The fields of responses whose values later requests use. */
const USED_FIELD = /^(\w+_)?(id|cname_target|addr|hostport|url)$/

/** The fields of requests that name a reserved domain or address. */
const URL_FIELD = /^(url|hostports)$/

/** Strings in resources that don't describe the resources. */
const OWN_TEXT = /^(id|uri|\w+_at|cname_target)$/

/** The strings that clients have sent in a copied test, and the values that its gateway generates. */
export class TestValues {
  readonly #sent = new Set<string>()
  /** The IDs of a loaded snapshot. */
  readonly #loaded = new Set<string>()
  readonly #source: SourceWriter
  /** Returns whether the test's gateway generates an ID at startup. */
  readonly #isInitial: (id: string) => boolean

  constructor(source: SourceWriter, { isInitial, used }: Pick<History, 'isInitial' | 'used'>) {
    this.#source = source
    this.#isInitial = isInitial
    this.rememberSent(Reflect.get(used.options, 'initial'))
  }

  isSent(text: string): boolean {
    return this.#sent.has(text)
  }

  /**
   * Returns why a value can't be sent: the first ID that is in none of the test's responses. Returns undefined if there is no
   * such ID.
   */
  findUnknown(value: unknown): string | undefined {
    const unknown = JSON.stringify(value)
      .match(ID)
      ?.find((id) => !this.#source.known.has(id) && !this.#loaded.has(id) && !this.#isInitial(id))
    return unknown && `${unknown} is not from this test`
  }

  /** Returns the first host in a URL that the test has not reserved with a request. */
  findMissingHost(request: unknown): string | undefined {
    const urls = Object.entries(Object(request)).flatMap(([name, value]) => (URL_FIELD.test(name) ? value : []))
    const hosts = urls.map((url) => String(url).replace(/^\w+:\/\/|[:/].*$/g, ''))
    const missing = hosts.find((host) => host.includes('.') && !host.endsWith('.internal') && !this.#sent.has(host))
    return missing && `${missing} may be left out`
  }

  /** Records the strings in a snapshot that the test loads. */
  rememberLoaded(snapshot: object): void {
    this.rememberSent(snapshot)
    for (const [id] of JSON.stringify(snapshot).matchAll(ID)) this.#loaded.add(id)
  }

  /**
   * Returns a resource that exists from the start, for the test to check, without its strings. Returns undefined for any other resource.
   */
  findBeginning(id: string, response: object): object | undefined {
    if (!this.#loaded.has(id) && !this.#isInitial(id)) return undefined
    const isText = ([name, value]: [string, unknown]) => typeof value === 'string' && !OWN_TEXT.test(name)
    return Object.fromEntries(Object.entries(response).map((each) => (isText(each) ? [each[0], ''] : each)))
  }

  rememberSent(value: unknown): void {
    if (typeof value === 'string') this.#sent.add(value)
    else for (const inner of Object.values(Object(value))) this.rememberSent(inner)
  }

  /** Stores the values that a server generated and later requests use, such as IDs. */
  rememberMade(value: unknown, place: string, isPartial: boolean): void {
    for (const [name, inner] of Object.entries(Object(value))) {
      // If something is left out, the test's lists may be shorter.
      if (Array.isArray(inner) && isPartial) continue
      if (typeof inner !== 'string') this.rememberMade(inner, toPlace(place, name), isPartial)
      else if (USED_FIELD.test(name) && isRandom(inner) && !this.#sent.has(inner) && !this.#source.known.has(inner))
        this.#source.known.set(inner, toPlace(place, name))
    }
  }
}

/** Returns whether a gateway may have generated a string. */
function isRandom(text: string): boolean {
  return text.length >= 12 && /^[\w.:/-]+$/.test(text)
}
