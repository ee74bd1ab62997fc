import type * as v from 'valibot'
import { refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { quote } from '../../core/schema/text.ts'
import type { endpointFields, labelledFields } from '../../service/ngrok/session-declaration.ts'
import { readText } from '../../service/policy/text.ts'
import { NAME_BY_DEFAULT, type TunnelDefinition } from './definition.ts'

/** An endpoint that the agent starts. By default, it has a new URL with the given scheme or, if there is none, with https. */
export interface EndpointStart extends v.InferInput<typeof endpointFields> {
  readonly name: string
  readonly scheme?: string
  /** The URL of the replaced endpoint. The new endpoint keeps it unless it specifies another URL. */
  readonly urlBefore?: string | undefined
}

/** A tunnel that the agent starts: either with an endpoint or with labels. */
export type Start = EndpointStart | (v.InferInput<typeof labelledFields> & { readonly name: string })

/** Returns the tunnels that a definition starts: two for http tunnels with both schemes. */
export function toStarts(definition: TunnelDefinition): Start[] {
  const { proto, labels, metadata, inspect, pooling_enabled } = definition
  const name = definition.name || NAME_BY_DEFAULT
  const transport = proto === 'https' ? 'http' : proto
  const forwards_to = toUpstream(definition.addr, transport)
  const kept = { name, forwards_to, ...(metadata !== undefined && { metadata }) }
  if (labels) return [{ ...kept, labels: readLabels(labels) }]
  const traffic_policy = readPolicy(definition)
  const common = {
    ...kept,
    ...(inspect !== undefined && { inspect }),
    ...(pooling_enabled !== undefined && { pooling_enabled }),
    ...(traffic_policy !== undefined && { traffic_policy }),
  }
  return readSchemes(definition, transport).map((scheme, index) => {
    const place = readPlace(readUrl(definition, scheme), scheme)
    // Agents give the second tunnel this name, and pyngrok looks it up by this name.
    return { ...common, scheme, ...place, ...(index > 0 && { name: `${name} (${scheme})` }) }
  })
}

/**
 * Returns the scheme and the URL that a string specifies: a URL, a host, or a scheme such as `tcp://`, which means a new URL. Without a
 * string, returns neither (rules: agent#addresses).
 */
export function readPlace(sent: string | undefined, schemeOfHost = 'https'): { scheme?: string; url?: string } {
  if (!sent) return {}
  const alone = /^(https?|tcp|tls):\/\/$/.exec(sent)?.[1]
  if (alone !== undefined) return { scheme: alone }
  const url = sent.includes('://') ? sent : `${schemeOfHost}://${sent}`
  return { scheme: url.slice(0, url.indexOf(':')), url }
}

/** Returns the URL of a place that an agent forwards to (rules: agent#addresses). */
export function toUpstream(addr: string | number, transport = 'http', field = 'addr'): string {
  const text = String(addr).replace(/^(https?:\/\/)$/, '$1localhost')
  const host = /^:?\d+$/.test(text) ? `localhost:${text.replace(':', '')}` : text
  const url = host.includes('://') ? host : `${transport}://${host}`
  const isPort = typeof addr === 'string' || (Number.isInteger(addr) && addr > 0)
  if (
    !isPort ||
    /[\s\p{Cc}]/u.test(text) ||
    !URL.canParse(url) ||
    /^-|=/.test(new URL(url).hostname) ||
    new URL(url).port === '0'
  ) {
    refuse(general.field_invalid, {
      field,
      received: quote(addr),
      allowed: 'a port, an address such as "localhost:80", or a URL',
    })
  }
  const usual = { http: ':80', https: ':443' }[new URL(url).protocol.slice(0, -1)]
  return /^https?:\/\/[^/:]+$/.test(url) ? url + usual : url
}

/** Returns the URL schemes that a definition requests, https first. */
function readSchemes({ proto, schemes, bind_tls, url }: TunnelDefinition, transport: string): string[] {
  if (transport !== 'http') return [transport]
  const named = /^(https?):\/\//.exec(url ?? '')?.[1]
  if (named !== undefined) return [named]
  if (proto === 'https') return ['https']
  const wanted = schemes ?? { false: ['http'], both: ['https', 'http'] }[String(bind_tls)] ?? []
  const sent = ['https', 'http'].filter((each) => wanted.some((scheme) => scheme === each))
  return sent.length === 0 ? ['https'] : sent
}

function readUrl({ url, domain, hostname, subdomain, remote_addr }: TunnelDefinition, scheme: string) {
  const below = subdomain ? `${subdomain}.ngrok.app` : undefined
  return url || domain || hostname || (scheme === 'tcp' ? remote_addr : below)
}

/** Returns a definition's policy as a string, with a rule for its passwords. */
function readPolicy({ traffic_policy, policy, basic_auth }: TunnelDefinition): string | undefined {
  const sent = traffic_policy ?? policy
  if (!basic_auth?.length) return typeof sent === 'object' ? JSON.stringify(sent) : sent
  const value = typeof sent === 'string' ? readText(sent).value : (sent ?? {})
  const { on_http_request: rules = [], ...rest }: { on_http_request?: unknown } = Object(value)
  const passwords = { actions: [{ type: 'basic-auth', config: { credentials: basic_auth } }] }
  return JSON.stringify({ on_http_request: [passwords, ...(Array.isArray(rules) ? rules : [])], ...rest })
}

function readLabels(labels: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    labels.map((label, index) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(label) ?? []
      if (name !== undefined && value !== undefined) return [name, value]
      const [field, received] = [`labels.${index}`, quote(label)]
      return refuse(general.field_invalid, { field, received, allowed: 'a label such as "env=prod"' })
    }),
  )
}
