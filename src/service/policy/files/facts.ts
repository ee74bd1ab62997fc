import { isObject } from '../../../core/schema/values.ts'
import { type PolicyPlace, type PolicyProtocol, PROTOCOLS } from '../options.ts'
import type { PolicyPath } from '../problem.ts'
import { findKind, type Manifest } from './manifests.ts'

/** Matches the names of phases, including older names and names in Kubernetes style. */
export const PHASE = 'on_(?!error\\b)\\w+|on(?:Tcp|Http|EventStream)[A-Z]\\w+|inbound|outbound'
export const IS_PHASE = new RegExp(`^(?:${PHASE})$`)

/** Matches lines that contain a phase, even if it is indented. */
export const HAS_PHASE = new RegExp(`^\\s*\\{?\\s*(["']?)(?:${PHASE})\\1[ \\t]*:`, 'm')

/**
 * Matches a document that is a policy. Such a document does not need to be searched, and is parsed only once. JavaScript comments may come
 * first; a document with such comments cannot be read.
 */
export const IS_POLICY = new RegExp(
  `^(?:\\s*\\{\\s*(?:/\\*(?:[^*]|\\*(?!/))*\\*/\\s*|//.*\\n\\s*)*)?(["']?)(?:${PHASE})\\1[ \\t]*:`,
  'm',
)

/** The facts about the policies in an object. */
export interface Facts {
  readonly manifest?: Manifest
  readonly kind?: string
  readonly owner?: string
  readonly namespace?: string
  /** True in an agent config. */
  readonly isOfAgent?: true
  readonly url?: string
  readonly protocol?: PolicyProtocol
  readonly place?: PolicyPlace
}

/**
 * Returns the facts about its policies that an object states: the kind of a manifest or resource, the URL of an endpoint, or the protocol
 * of a tunnel.
 */
export function factsIn(value: Readonly<Record<string, unknown>>): Facts {
  const [kind, type, url = '', proto = ''] = ['kind', 'type', 'url', 'proto'].map((key) =>
    typeof value[key] === 'string' ? value[key] : undefined,
  )
  const [, scheme, host = ''] = /^(?:(https?|tcp|tls):\/\/)?([^/:]*)/.exec(url) ?? []
  const { name, namespace } = isObject(value.metadata) ? value.metadata : { ...value, namespace: undefined }
  const place = /\.internal$/.test(host)
    ? 'internal'
    : type === 'ngrok_cloud_endpoint'
      ? 'cloud'
      : findKind(kind)?.place
  const protocol = PROTOCOLS.find((name) => name === (scheme ?? proto))
  return {
    ...(kind !== undefined && { kind }),
    ...(typeof name === 'string' && { owner: name }),
    ...(typeof namespace === 'string' && { namespace }),
    ...(url !== '' && { url }),
    ...(isConfigOfAgent(value) && { isOfAgent: true }),
    ...(place && { place }),
    ...(protocol !== undefined && { protocol }),
  }
}

/** Matches a document that may be an agent config. */
export const MAY_BE_CONFIG = /^(?:\s*\{\s*)?(["']?)(?:endpoints|tunnels)\1[ \t]*:/m

/** Returns whether an object is an agent config, that is, whether it has endpoints or tunnels, and a version or agent settings. */
export function isConfigOfAgent(value: unknown): boolean {
  if (!isObject(value)) return false
  const hasEndpoints = typeof value.endpoints === 'object' || isObject(value.tunnels)
  return ('version' in value || 'agent' in value) && hasEndpoints
}

/** Returns whether an agent reads the policy of an object at a path of its config. */
export function isReadByAgent(path: PolicyPath): boolean {
  const [above, key] = path.slice(-2)
  return (above === 'endpoints' && typeof key === 'number') || (above === 'tunnels' && typeof key === 'string')
}
