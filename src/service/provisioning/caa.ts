import type { DnsRecord } from '../../generated/controls.ts'

/** A value of a CAA record: a certificate authority, and the parameters under which it may issue (RFC 8659, 4.2). */
interface Issuer {
  readonly authority: string
  readonly parameters: readonly (readonly [tag: string, value: string])[]
}

/** The reason that a CAA record forbids issuance. */
export type CaaProblem = 'not authorized' | 'account' | 'method'

/**
 * Parses the comma-separated values of a CAA record. After a semicolon, a comma before a string without a dot is part of a parameter, as in
 * `letsencrypt.org; validationmethods=dns-01,http-01`.
 */
export function parseIssuers(value: string): readonly Issuer[] {
  const texts: string[] = []
  for (const part of value.split(',')) {
    const last = texts.at(-1)
    if (last?.includes(';') && !part.includes('.')) texts.splice(-1, 1, `${last},${part.trim()}`)
    else if (part.trim() !== '') texts.push(part)
  }
  return texts.map(parseIssuer)
}

function parseIssuer(text: string): Issuer {
  const [name = '', ...rest] = text.split(';').map((part) => part.trim())
  const parameters = rest
    .filter((part) => part !== '')
    .map((part) => {
      const [tag = '', value = ''] = part.split(/\s*=\s*(.*)/s)
      return [tag.toLowerCase(), value] as const
    })
  return { authority: name.toLowerCase().replace(/\.$/, ''), parameters }
}

/** Returns whether a value's parameters have the syntax of RFC 8659, 4.2. */
export function hasValidParameters({ parameters }: Issuer): boolean {
  return parameters.every(([tag, value]) => /^[a-z0-9]+$/.test(tag) && /^[!-:<-~]+$/.test(value))
}

/** Formats the values of a CAA record in their normalized form. */
export function formatIssuers(value: string): string {
  return parseIssuers(value)
    .map(({ authority, parameters }) => [authority, ...parameters.map((each) => each.join('='))].join('; '))
    .join(', ')
}

/** Returns why a record forbids a certificate authority from issuing for a domain (rules: simulated-dns#caa). */
export function findCaaProblem(record: DnsRecord, authority: string, domain: string): CaaProblem | undefined {
  const { value } = findProperty(record, domain)
  if (value === undefined) return undefined
  const own = parseIssuers(value).filter(
    // The service names its authority by the first label of the CAA name, such as letsencrypt.org.
    (each) => each.authority === authority || each.authority.startsWith(`${authority}.`),
  )
  const problems = own.map(({ parameters }): CaaProblem | undefined => {
    const all = new Map(parameters)
    if (all.has('accounturi')) return 'account'
    const methods = all.get('validationmethods')?.split(',')
    return methods?.includes(methodFor(domain)) === false ? 'method' : undefined
  })
  return problems.includes(undefined) ? undefined : (problems[0] ?? 'not authorized')
}

/** Returns the property that applies to a domain, and its values. For a wildcard, the property is `issuewild`, if it exists. */
function findProperty({ value, issuewild }: DnsRecord, domain: string) {
  const isWild = domain.startsWith('*.') && issuewild !== undefined
  return isWild ? { property: 'issuewild', value: issuewild } : { property: 'issue', value }
}

/** The service validates wildcards with DNS-01, and other domains with HTTP-01. */
function methodFor(domain: string): string {
  return domain.startsWith('*.') ? 'dns-01' : 'http-01'
}

/** Describes a record that forbids a certificate authority from issuing, and how to fix it, as a fragment for a message. */
export function describeCaa(record: DnsRecord, domain: string, problem: CaaProblem, authority: string): string {
  const { property, value } = findProperty(record, domain)
  const described = describeIssuers(property === 'issue' ? { value } : { issuewild: value })
  if (problem === 'account') return `${described}. Remove accounturi, which cannot be checked`
  if (problem === 'method') return `${described}. Add ${methodFor(domain)} to validationmethods`
  return `${described}. Add ${identifierOf(authority)} to ${property}, or remove the record`
}

/** Returns the values of a record with which a certificate authority may issue too. */
export function addIssuer({ value = '' }: DnsRecord, authority: string): string {
  return [...(value === '' ? [] : [value]), identifierOf(authority)].join(', ')
}

/** The service uses one certificate authority, whose CAA name is longer. */
function identifierOf(authority: string): string {
  return authority === 'letsencrypt' ? 'letsencrypt.org' : authority
}

/** Describes the certificate authorities that a record allows. */
export function describeIssuers({
  value,
  issuewild,
}: {
  value?: string | undefined
  issuewild?: string | undefined
}): string {
  if (value !== undefined) return value === '' ? 'allows no authority' : `allows only ${value}`
  return issuewild === '' ? 'allows no authority for wildcards' : `allows only ${issuewild} for wildcards`
}
