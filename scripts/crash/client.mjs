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
  /** By name: whether it must be there. False: it can be. */
  domains = new Map()
  answered = 0
  #next = 0

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
    if (answer) this.domains.set(domain, true)
    return answer
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
    if (this.#next % 3 > 0) return made
    states.push(null)
    const deleted = await ask(url, 'DELETE', path)
    if (deleted) states.splice(0, 1)
    return deleted
  }

  /** What is wrong with what a gateway has after a restart: one line each. From then on, that is what is known. */
  async problemsAt(url) {
    const problems = []
    const addresses = new Map((await all(url, '/reserved_addrs', 'reserved_addrs')).map((each) => [each.id, each]))
    for (const [id, states] of this.addresses) {
      const is = addresses.get(id)?.description ?? null
      if (!states.includes(is)) problems.push(`the address ${id} has the description ${is}, and could have ${states}`)
      if (is === null) this.addresses.delete(id)
      else this.addresses.set(id, [is])
    }
    const certificates = await all(url, '/tls_certificates', 'tls_certificates')
    const domains = await all(url, '/reserved_domains', 'reserved_domains')
    const [used, there] = [domains.map(({ certificate }) => certificate?.id), certificates.map(({ id }) => id)]
    if (used.sort().join() !== there.sort().join())
      problems.push(`half a domain: ${used} use certificates, ${there} are there`)
    const names = new Set(domains.map(({ domain }) => domain))
    for (const [name, must] of this.domains) {
      if (must && !names.has(name)) problems.push(`the domain ${name} is gone`)
      if (!names.has(name)) this.domains.delete(name)
      else this.domains.set(name, true)
    }
    return problems
  }
}
