// What a client of a gateway knows, from the answers that it had, and what it may only guess.

const HEADERS = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }

/** Asks a gateway. Undefined where no answer came. */
export async function ask(url, method, path, body) {
  const init = { method, headers: HEADERS, ...(body && { body: JSON.stringify(body) }) }
  const response = await fetch(url + path, init).catch(() => undefined)
  const text = await response?.text().catch(() => undefined)
  if (text === undefined) return undefined
  const { status } = response
  if (status >= 400) throw new Error(`${method} ${path} answers ${status}: ${text}`)
  return { status, body: text === '' ? undefined : JSON.parse(text) }
}

/** Every item of a list. */
export async function all(url, path, name) {
  const found = []
  for (let next = `${path}?limit=100`; next; ) {
    const { body } = await ask(url, 'GET', next)
    found.push(...body[name])
    next = body.next_page_uri?.slice(url.length)
  }
  return found
}

/** The addresses and domains that one writer after another has made, changed and deleted. */
export class Known {
  /** By id: which descriptions it can have; null for that it can be gone. */
  addresses = new Map()
  /** By name: whether it must be there (true), can be (false), or must not be ('gone'). */
  domains = new Map()
  answered = 0
  #next = 0
  #most
  /** What may be deleted, the oldest first: ids of addresses; names and ids of domains. */
  #oldAddresses = []
  #oldDomains = []

  /** With more than `most` addresses, and a quarter as many domains, the oldest are deleted. */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most
  }

  /** Writes until no answer comes any more. */
  async write(url) {
    for (;;) {
      const went = this.#next++ % 4 === 0 ? this.#domain(url) : this.#address(url)
      if (!(await went)) return
      this.answered++
    }
  }

  async #domain(url) {
    const domain = `d${this.#next++}.example.com`
    this.domains.set(domain, false)
    const certificate_management_policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' }
    const answer = await ask(url, 'POST', '/reserved_domains', { domain, certificate_management_policy })
    if (!answer) return undefined
    this.domains.set(domain, true)
    this.#oldDomains.push([domain, answer.body.id])
    if (this.#oldDomains.length <= this.#most / 4) return answer
    const [name, id] = this.#oldDomains.shift()
    this.domains.set(name, false)
    const deleted = await ask(url, 'DELETE', `/reserved_domains/${id}`)
    if (deleted) this.domains.set(name, 'gone')
    return deleted
  }

  async #address(url) {
    const description = `x${this.#next++}`
    const made = await ask(url, 'POST', '/reserved_addrs', { description })
    if (!made) return undefined
    const path = `/reserved_addrs/${made.body.id}`
    const states = [description]
    this.addresses.set(made.body.id, states)
    const changed = `y${this.#next++}`
    states.push(changed)
    if (!(await ask(url, 'PATCH', path, { description: changed }))) return undefined
    states.splice(0, 1)
    if (this.#next % 3 === 0) return this.#delete(url, made.body.id)
    this.#oldAddresses.push(made.body.id)
    return this.#oldAddresses.length > this.#most ? this.#delete(url, this.#oldAddresses.shift()) : made
  }

  async #delete(url, id) {
    const states = this.addresses.get(id)
    states.push(null)
    const deleted = await ask(url, 'DELETE', `/reserved_addrs/${id}`)
    if (deleted) states.splice(0, states.length - 1)
    return deleted
  }

  /** What is wrong with what a gateway has after a restart: one line each. From then on, that is what is known. */
  async problemsAt(url) {
    const problems = []
    const found = await all(url, '/reserved_addrs', 'reserved_addrs')
    const addresses = new Map(found.map((each) => [each.id, each]))
    for (const [id, states] of this.addresses) {
      const is = addresses.get(id)?.description ?? null
      if (!states.includes(is)) problems.push(`the address ${id} has the description ${is}, and could have ${states}`)
    }
    this.addresses = new Map(found.map(({ id, description }) => [id, [description]]))
    const certificates = await all(url, '/tls_certificates', 'tls_certificates')
    const domains = await all(url, '/reserved_domains', 'reserved_domains')
    const [used, there] = [domains.map(({ certificate }) => certificate?.id), certificates.map(({ id }) => id)]
    if (used.sort().join() !== there.sort().join())
      problems.push(`half a domain: ${used} use certificates, ${there} are there`)
    const names = new Set(domains.map(({ domain }) => domain))
    for (const [name, must] of this.domains) {
      if (must === true && !names.has(name)) problems.push(`the domain ${name} is gone`)
      if (must === 'gone' && names.has(name)) problems.push(`the domain ${name} is there again`)
    }
    this.domains = new Map([...names].map((name) => [name, true]))
    this.#oldAddresses = [...this.addresses.keys()].reverse()
    this.#oldDomains = domains.map(({ domain, id }) => [domain, id]).reverse()
    return problems
  }
}
