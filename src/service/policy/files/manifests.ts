import { nearest } from '../../../core/schema/nearest.ts'
import { isObject, lookUp } from '../../../core/schema/values.ts'
import type { PolicyPlace } from '../options.ts'
import type { PolicyPath } from '../problem.ts'

/** The policy of a kind of Kubernetes resources. */
interface Kind {
  /** The path of the policy in a manifest. */
  readonly path: readonly string[]
  /** The place of the endpoint. */
  readonly place?: PolicyPlace
  /** The field beside the policy that names another resource with a policy. */
  readonly reference?: string
  /** True if the resource is nothing without its policy. */
  readonly isRequired?: true
}

const KINDS: Readonly<Record<string, Kind>> = {
  CloudEndpoint: { path: ['spec', 'trafficPolicy', 'policy'], place: 'cloud' },
  AgentEndpoint: { path: ['spec', 'trafficPolicy', 'inline'], place: 'agent', reference: 'targetRef' },
  NgrokTrafficPolicy: { path: ['spec', 'policy'], isRequired: true },
}

/** Returns what is known about a kind of Kubernetes resources, or undefined for a kind without a policy. */
export function findKind(kind: string | undefined): Kind | undefined {
  return kind === undefined ? undefined : lookUp(KINDS, kind)
}

/** A manifest of a resource with a policy. */
export interface Manifest {
  readonly kind: string
  /** The place of its policy in the document, and its name in the manifest. */
  readonly path: PolicyPath
  readonly policy: string
  readonly docs: string
}

/** Returns the manifest that a value at a path is, if it is one of a resource with a policy. A reference to one has a name and no more. */
export function readManifest(value: Readonly<Record<string, unknown>>, path: PolicyPath): Manifest | undefined {
  const { kind, apiVersion, spec } = value
  const known = typeof kind === 'string' ? findKind(kind) : undefined
  if (typeof kind !== 'string' || !known || (apiVersion === undefined && spec === undefined)) return undefined
  const docs = `https://ngrok.com/docs/k8s/crds/${kind.toLowerCase()}`
  return { kind, path: [...path, ...known.path], policy: known.path.join('.'), docs }
}

/** Returns the message for a manifest that lacks its policy, or undefined for one that has it, or needs none. */
export function describeMissing({ kind }: Manifest, value: object): string | undefined {
  const { path, reference = '', isRequired } = findKind(kind) ?? { path: [] }
  const above = path.slice(0, -1)
  const field = String(path.at(-1))
  const owner = above.reduce<unknown>((below, name) => (isObject(below) ? below[name] : undefined), value)
  const given = isObject(owner) ? (owner[field] ?? owner[reference]) : undefined
  if ((given !== undefined && given !== null) || !(isRequired || isObject(owner))) return undefined
  const lacks = reference === '' ? `no ${field}` : `neither ${field} nor ${reference}`
  return `In the manifest, ${above.join('.')} of the ${kind} has ${lacks}. Allowed: a policy, whose keys are phases.`
}

/** The names under which a file may have a policy. */
const NAMES = ['traffic_policy', 'trafficPolicy', 'policy', 'inline']

/** The fields that endpoints and tunnels have. */
const OF_ENDPOINT = ['url', 'addr', 'proto', 'upstream']

/**
 * Returns the name that was meant by the name of a policy of an endpoint, or undefined if the name is right, or far from the
 * right one.
 */
export function findMeantName(name: string, endpoint: object): string | undefined {
  const isEndpoint = OF_ENDPOINT.some((field) => field in endpoint) && !('traffic_policy' in endpoint)
  return isEndpoint && !NAMES.includes(name) ? nearest(name, ['traffic_policy']) : undefined
}
