import { nearest } from '../../../core/schema/nearest.ts'
import { quote } from '../../../core/schema/text.ts'
import { isObject, lookUp } from '../../../core/schema/values.ts'
import type { PolicyPlace } from '../options.ts'
import type { PolicyPath } from '../problem.ts'

/** The policy of a kind of Kubernetes resource. */
interface Kind {
  /** The path of the policy in a manifest. */
  readonly path: readonly string[]
  /** The place of the endpoint. */
  readonly place?: PolicyPlace
  /** The path of the field that names another resource with a policy instead. */
  readonly reference?: readonly string[]
  /** True if the resource serves no purpose without its policy. */
  readonly isRequired?: true
  /** The fields of the operator's resource, by the path of the object that has them. */
  readonly fields: Readonly<Record<string, readonly string[]>>
}

/** The `spec` fields that all endpoints have. */
const OF_SPEC = ['url', 'trafficPolicy', 'description', 'metadata', 'bindings']

const KINDS: Readonly<Record<string, Kind>> = {
  CloudEndpoint: {
    path: ['spec', 'trafficPolicy', 'policy'],
    place: 'cloud',
    reference: ['spec', 'trafficPolicyName'],
    fields: { spec: [...OF_SPEC, 'trafficPolicyName', 'poolingEnabled'], 'spec.trafficPolicy': ['policy'] },
  },
  AgentEndpoint: {
    path: ['spec', 'trafficPolicy', 'inline'],
    place: 'agent',
    reference: ['spec', 'trafficPolicy', 'targetRef'],
    fields: {
      spec: [...OF_SPEC, 'upstream', 'clientCertificateRefs'],
      'spec.trafficPolicy': ['type', 'inline', 'targetRef'],
      'spec.trafficPolicy.targetRef': ['name', 'namespace'],
      'spec.upstream': ['url', 'protocol', 'proxyProtocolVersion'],
    },
  },
  NgrokTrafficPolicy: { path: ['spec', 'policy'], isRequired: true, fields: { spec: ['policy'] } },
}

/** Returns the facts about a kind of Kubernetes resource, or undefined for a kind without a policy. */
export function findKind(kind: string | undefined): Kind | undefined {
  return kind === undefined ? undefined : lookUp(KINDS, kind)
}

/** Returns whether other resources refer to a kind of resource for their policy. */
export function isShared(kind: string | undefined): boolean {
  return kind === 'NgrokTrafficPolicy'
}

/** Returns the name of the resource with a policy that a manifest's field refers to, or undefined for all other fields. */
export function readReference(field: string, value: unknown): string | undefined {
  const name = field === 'targetRef' && isObject(value) ? value.name : field === 'trafficPolicyName' ? value : undefined
  return typeof name === 'string' ? name : undefined
}

/** Returns the name of a resource with its namespace. */
export function sharedName(namespace = 'default', name: string): string {
  return `${namespace}/${name}`
}

/** A manifest of a resource that has a policy. */
export interface Manifest {
  readonly kind: string
  /** The location of the policy in the document. `policy` is the policy's name in the manifest. */
  readonly path: PolicyPath
  readonly policy: string
  /** The fields of each object in the document, by the object's path as a string. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly docs: string
}

export const CRDS = 'https://ngrok.com/docs/k8s/crds/'

/** Returns the manifest at a path if its resource can have a policy. A reference to such a resource consists of its name. */
export function readManifest(value: Readonly<Record<string, unknown>>, path: PolicyPath): Manifest | undefined {
  const { kind, apiVersion, spec } = value
  const known = typeof kind === 'string' ? findKind(kind) : undefined
  if (typeof kind !== 'string' || !known || (apiVersion === undefined && spec === undefined)) return undefined
  const fields = Object.entries(known.fields).map(([at, names]) => [[...path, ...at.split('.')].join(), names] as const)
  const at = { path: [...path, ...known.path], policy: known.path.join('.') }
  return { kind, ...at, fields: new Map(fields), docs: CRDS + kind.toLowerCase() }
}

/** Returns the field that was probably meant by an unknown field in a manifest, or undefined for all other fields. */
export function findMeantField({ fields }: Manifest, owner: PolicyPath, name: string): string | undefined {
  const names = fields.get(owner.join()) ?? []
  return names.includes(name) ? undefined : nearest(name.replaceAll(/[-_]/g, ''), names)
}

/** Returns the message for a manifest without its policy, or undefined for a manifest that has it or doesn't need one. */
export function describeMissing({ kind }: Manifest, value: object): string | undefined {
  const { path, reference = [], isRequired } = findKind(kind) ?? { path: [] }
  const above = path.slice(0, -1)
  const field = String(path.at(-1))
  const owner = readAt(value, above)
  const beside = reference.length === path.length ? reference.at(-1) : undefined
  const given = isObject(owner) ? (owner[field] ?? owner[beside ?? field]) : undefined
  if ((given !== undefined && given !== null) || !(isRequired || isObject(owner))) return undefined
  const lacks = beside === undefined ? `no ${field}` : `neither ${field} nor ${beside}`
  return `In the manifest, ${above.join('.')} of the ${kind} has ${lacks}. Allowed: a policy, whose keys are phases.`
}

/** A mistake in a manifest, with the path of its field in the manifest. */
interface Mistake {
  readonly at: readonly string[]
  readonly rule: string
  readonly message: string
}

const VERSION = 'ngrok.k8s.ngrok.com/v1alpha1'

/**
 * Lists the mistakes in a manifest outside its policy: both a policy and the name of a policy, and an API version that the service's
 * operator does not have.
 */
export function listMistakes({ kind }: Manifest, value: Readonly<Record<string, unknown>>): readonly Mistake[] {
  const { path, reference = [] } = findKind(kind) ?? { path: [] }
  const { apiVersion } = value
  const mistakes: Mistake[] = []
  if (typeof apiVersion === 'string' && /ngrok/i.test(apiVersion) && apiVersion !== VERSION)
    mistakes.push({
      at: ['apiVersion'],
      rule: 'manifest-version',
      message: `In the manifest, apiVersion of the ${kind} is ${quote(apiVersion)}. Allowed: ${VERSION}.`,
    })
  const isGiven = (at: readonly string[]) => at.length > 0 && (readAt(value, at) ?? undefined) !== undefined
  if (isGiven(path) && isGiven(reference))
    mistakes.push({
      at: reference,
      rule: 'two-policies',
      message: `In the manifest, the ${kind} has both ${path.join('.')} and ${reference.join('.')}. Allowed: only one of them.`,
    })
  return mistakes
}

/** The operator's resource kinds without a policy, and similar names. */
const OTHER_KINDS = ['BoundEndpoint', 'KubernetesOperator', 'PrivateEndpoint']

/** Reports a misspelled kind in a manifest for the service's operator. */
export function listWrongKinds({ kind, apiVersion }: Readonly<Record<string, unknown>>): readonly Mistake[] {
  if (typeof kind !== 'string' || typeof apiVersion !== 'string' || !/ngrok\.com\//.test(apiVersion)) return []
  const meant = OTHER_KINDS.includes(kind) ? undefined : nearest(kind, Object.keys(KINDS))
  const isUnknown = apiVersion === VERSION && !OTHER_KINDS.includes(kind)
  if (meant === undefined && !isUnknown) return []
  const what = meant === undefined ? `Allowed: ${Object.keys(KINDS).join(', ')}.` : `Did you mean ${meant}?`
  return [{ at: ['kind'], rule: 'manifest-kind', message: `The kind is ${quote(kind)}. ${what}` }]
}

function readAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((below, name) => (isObject(below) ? below[name] : undefined), value)
}

/** The names under which a file may contain a policy. */
const NAMES = ['traffic_policy', 'trafficPolicy', 'policy', 'inline']

/** The fields of endpoints and tunnels. */
const OF_ENDPOINT = ['url', 'addr', 'proto', 'upstream']

/**
 * Returns the field name that was probably meant for an endpoint's policy, or undefined if the name is correct or not similar. Agents read
 * only `traffic_policy`; older agents read a tunnel's `policy`.
 */
export function findMeantName(name: string, endpoint: object, isOfAgent: boolean): string | undefined {
  const isEndpoint = OF_ENDPOINT.some((field) => field in endpoint) && !('traffic_policy' in endpoint)
  if (!isEndpoint || name === 'traffic_policy') return undefined
  if (!NAMES.includes(name)) return nearest(name, ['traffic_policy'])
  const isOfTunnel = name === 'policy' && 'addr' in endpoint
  return (isOfAgent || 'upstream' in endpoint) && !isOfTunnel ? 'traffic_policy' : undefined
}
