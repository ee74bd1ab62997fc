import { quote } from '../../../core/schema/text.ts'
import { isObject } from '../../../core/schema/values.ts'
import { placesOf } from '../lines.ts'
import { type PolicyOptions, type PolicyPlace, type PolicyProtocol, PROTOCOLS } from '../options.ts'
import type { PlacedPolicyProblem, PolicyPath } from '../problem.ts'
import { type Event, readYaml } from '../yaml.ts'
import { readNodes, type YamlNode } from '../yaml-nodes.ts'
import { readInterpolations, UNKNOWN } from './interpolations.ts'
import { describeMissing, findKind, findMeantName, type Manifest, readManifest } from './manifests.ts'

/** A traffic policy in a file, with the facts that the file gives about its place. */
export interface FoundPolicy extends Pick<PolicyOptions, 'protocol' | 'place'> {
  /** The path in the file, such as `endpoints[0].traffic_policy`; empty for a file that is a policy. */
  readonly name: string
  /** The name of the endpoint or resource that has the policy; its URL if it has no name. */
  readonly owner?: string
  /** The policy, if the file was read to find it. A string is a policy in a string of the file. */
  readonly value?: unknown
  /** True if the policy has values that Terraform computes. The text has unknown ones in their places. */
  readonly isTemplate?: boolean
  /** The message about a manifest that lacks the policy. */
  readonly missing?: string
  /** Returns the text of the policy. It is slow compared to reading the value, and only needed for problems. */
  readonly slice: () => Slice
}

/** The text of a policy, and its place in the file. */
export interface Slice {
  /** The text. Blanks replace what precedes the text on its first line, so that columns are those of the file. */
  readonly text: string
  /** The number of lines of the file before the text. */
  readonly linesBefore: number
  /** The number of characters that the file has before each line of the text. */
  readonly indent: number
  /** True for a string that the file does not have in one piece: all its problems are at the start of the policy. */
  readonly isScattered?: boolean
}

/** The policies of a file, and the reasons why parts of the file cannot be read. */
export interface FoundPolicies {
  readonly policies: readonly FoundPolicy[]
  readonly problems: readonly PlacedPolicyProblem[]
  /** True if the file has templates instead of values, such as those of Helm, or policies that Terraform computes. */
  readonly isTemplate: boolean
}

const PHASE = 'on_\\w+|inbound|outbound'
const IS_PHASE = new RegExp(`^(?:${PHASE})$`)

/** Matches lines with a phase, which may be indented. */
const HAS_PHASE = new RegExp(`^\\s*\\{?\\s*(["']?)(?:${PHASE})\\1[ \\t]*:`, 'm')

/** Matches a document that is a policy. Such a document needs no search, and is parsed only once. */
const IS_POLICY = new RegExp(`^(?:\\s*\\{\\s*)?(["']?)(?:${PHASE})\\1[ \\t]*:`, 'm')

/** Matches documents that may have a policy in them. Others, such as most of Kubernetes' manifests, are not parsed. */
const MAY_HAVE_POLICY = new RegExp(`\\b(?:${PHASE}|(?:ngrok)?traffic_?policy|actions)\\b`, 'i')

/**
 * Finds the traffic policies of a file in YAML or JSON: the file itself or a document of it, values of `traffic_policy` in the
 * config of an agent, and the policies of Kubernetes manifests. In Terraform, finds those in heredocs.
 */
export function findPolicies(text: string): FoundPolicies {
  if (BLOCK.test(text)) return findHeredocs(text)
  const found = splitDocuments(text).map(({ text: document, linesBefore }): Search => {
    if (!MAY_HAVE_POLICY.test(document)) return { policies: [] }
    if (IS_POLICY.test(document))
      return { policies: [{ name: '', slice: () => ({ text: document, linesBefore, indent: 0 }) }] }
    return searchDocument(document, linesBefore)
  })
  return {
    policies: found.flatMap(({ policies }) => policies),
    problems: found.flatMap(({ problems = [] }) => problems),
    isTemplate: found.some(({ isTemplate = false }) => isTemplate),
  }
}

/** Matches the first line of a block of Terraform, with the type of its resource and its name. */
const BLOCK = /^[ \t]*(?:resource|module|data|locals|terraform)\b(?:[ \t]+"([^"\n]*)")??(?:[ \t]+"([^"\n]*)")?[ \t]*\{/m

/** Matches the start of a policy that Terraform makes of an object. */
const ENCODED = new RegExp(`=[ \\t]*(?:json|yaml)encode\\([\\s{]*"?(?:${PHASE})\\b`)

/** Matches a heredoc of Terraform: the name of its attribute, its end and its lines. */
const HEREDOC = /(\w+)[ \t]*=[ \t]*<<-?(\w+)[ \t]*\r?\n([\s\S]*?)^[ \t]*\2[ \t]*$/gm

/** Finds the policies in heredocs of Terraform. */
function findHeredocs(text: string): FoundPolicies {
  const blocks = [...text.matchAll(new RegExp(BLOCK, 'gm'))]
  const placeOf = placesOf(text)
  const heredocs = [...text.matchAll(HEREDOC)].flatMap(({ index, 0: whole, 1: name = '', 3: lines = '' }) => {
    if (!HAS_PHASE.test(lines)) return []
    const start = index + whole.indexOf('\n') + 1
    return { index, name, start, ...readInterpolations(lines) }
  })
  const policies = heredocs
    .filter(({ isStructure }) => !isStructure)
    .map(({ index, name, start, text: policy }): FoundPolicy => {
      const [block, next] = [blocks.findLast((each) => each.index < index), blocks.find((each) => each.index > index)]
      const [, url] = /^[ \t]*url[ \t]*=[ \t]*"([^"\n]*)"/m.exec(text.slice(block?.index ?? 0, next?.index)) ?? []
      const slice = () => ({ text: policy, linesBefore: placeOf(start).line - 1, indent: 0 })
      const { url: _, ...facts } = factsIn({ type: block?.[1], name: block?.[2], url })
      return { ...facts, name, slice, ...(policy.includes(UNKNOWN) && { isTemplate: true }) }
    })
  const problems = heredocs.flatMap(({ start, ofCel }) =>
    ofCel.map(({ source, index }) => {
      const { line, column } = placeOf(start + index)
      const message = `${quote(source)} is read by Terraform, which has no such value. Write $${source}.`
      return { ...problemAt(message, line, column), rule: 'terraform-value' }
    }),
  )
  const isTemplate =
    ENCODED.test(text) || heredocs.some(({ isStructure, text: policy }) => isStructure || policy.includes(UNKNOWN))
  return { policies, problems, isTemplate }
}

/** Splits a string into its YAML documents. A line that begins with three hyphens starts one, even inside a string. */
function splitDocuments(text: string): readonly Pick<Slice, 'text' | 'linesBefore'>[] {
  let linesBefore = 0
  return text.split(/^(?=---(?:\s|$))/m).map((document) => {
    const start = linesBefore
    linesBefore += document.split('\n').length - 1
    return { text: document.replace(/^---/, '   '), linesBefore: start }
  })
}

type Search = Pick<FoundPolicies, 'policies'> & Partial<FoundPolicies>

/** Matches a value that a template computes. YAML would read it as a map whose key is a map. */
const IS_TEMPLATE = /:[ \t]+\{\{/

function searchDocument(text: string, linesBefore: number): Search {
  if (IS_TEMPLATE.test(text)) return { policies: [], isTemplate: true }
  const { value: whole, events = [], problem } = readYaml(text)
  if (problem) {
    if (text.includes('{{')) return { policies: [], isTemplate: true }
    const { line, column } = placesOf(text)(problem.offset)
    return { policies: [], problems: [problemAt(`${UNREADABLE}: ${problem.message}.`, line + linesBefore, column)] }
  }
  // The lines of such a policy are indented.
  if (hasPhase(whole)) return { policies: [{ name: '', slice: () => ({ text, linesBefore, indent: 0 }) }] }
  const { sliceAt, keyAt } = placer(text, linesBefore, events)
  const policies: FoundPolicy[] = []
  const problems: PlacedPolicyProblem[] = []
  // A value that has aliases is there several times, and is checked once.
  const seen = new Set<unknown>()
  const search = (value: unknown, path: PolicyPath, name: string, facts: Facts): void => {
    if (Array.isArray(value))
      for (const [index, item] of value.entries()) search(item, [...path, index], `${name}[${index}]`, facts)
    if (!isObject(value) || seen.has(value)) return
    const manifest = readManifest(value, path)
    const own: Facts = { ...facts, ...factsIn(value), ...(manifest && { manifest }) }
    const unread = problems.length
    for (const [key, below] of Object.entries(value)) {
      const [inner, place] = [`${name}${name && '.'}${key}`, [...path, key]]
      const isOfManifest = own.manifest?.path.join() === place.join()
      const hint = isOfManifest || !hasRules(below) ? undefined : findRightPlace(key, value, own)
      if (hint !== undefined) {
        const { line, column } = keyAt(place)
        const { docs } = own.manifest ?? {}
        const problem = problemAt(`Nothing reads the policy at ${inner}.`, line, column)
        problems.push({ ...problem, rule: 'policy-unread', hint, ...(docs !== undefined && { docs }) })
      }
      if (isPolicyAt(key, below, isOfManifest) && !seen.has(below)) {
        if (isObject(below)) seen.add(below)
        const { protocol, url, owner = url } = own
        const kind = isModule(key, below, own) ? 'module' : own.place
        policies.push({
          ...(protocol && { protocol }),
          ...(kind && { place: kind }),
          ...(owner !== undefined && { owner }),
          name: inner,
          value: below,
          slice: () => sliceAt(place, below),
        })
      } else search(below, place, inner, own)
    }
    // A policy that nothing reads is one mistake.
    const missing = manifest && problems.length === unread ? describeMissing(manifest, value) : undefined
    if (manifest && missing !== undefined) {
      const slice = () => ({ ...sliceAt(manifest.path, null), text: 'null', isScattered: true })
      policies.push({ name: `${name}${name && '.'}${manifest.policy}`, slice, missing })
    }
  }
  search(whole, [], '', {})
  return { policies, problems }
}

/** Returns functions that return the text of the policy at a path of a document, and the place of a key. */
function placer(text: string, linesBefore: number, events: readonly Event[]) {
  let root: YamlNode | undefined
  const find = (path: PolicyPath) => {
    root ??= readNodes(text, events)
    let node = root
    for (const step of path) node = node?.below.get(step) ?? node
    return node
  }
  const keyAt = (path: PolicyPath) => {
    const { line, column } = placesOf(text)(find(path)?.key?.start ?? 0)
    return { line: line + linesBefore, column }
  }
  const sliceAt = (path: PolicyPath, value: unknown): Slice => {
    const { kind, start, end, hasAlias } = find(path) ?? { kind: 'scalar', start: 0, end: 0, hasAlias: false }
    const { line, column } = placesOf(text)(start)
    const first = linesBefore + line - 1
    if (kind === 'literal') {
      const [indent = ''] = /^[ ]*(?=\S)/m.exec(text.slice(text.indexOf('\n', start) + 1, end)) ?? []
      return { text: String(value), linesBefore: first + 1, indent: indent.length }
    }
    if ((kind === 'map' || kind === 'list') && !hasAlias)
      return { text: ' '.repeat(column - 1) + text.slice(start, end), linesBefore: first, indent: 0 }
    const whole = typeof value === 'string' ? value : JSON.stringify(value)
    return { text: whole, linesBefore: first, indent: column - 1, isScattered: true }
  }
  return { sliceAt, keyAt }
}

interface Facts {
  readonly manifest?: Manifest
  readonly kind?: string
  readonly owner?: string
  readonly url?: string
  readonly protocol?: PolicyProtocol
  readonly place?: PolicyPlace
}

/**
 * Returns the facts in an object about its policies: the kind of a manifest or resource, the URL of an endpoint, the protocol of
 * a tunnel.
 */
function factsIn(value: Readonly<Record<string, unknown>>): Facts {
  const [kind, type, url = '', proto = ''] = ['kind', 'type', 'url', 'proto'].map((key) =>
    typeof value[key] === 'string' ? value[key] : undefined,
  )
  const [, scheme, host = ''] = /^(?:(https?|tcp|tls):\/\/)?([^/:]*)/.exec(url) ?? []
  const { name } = isObject(value.metadata) ? value.metadata : value
  const place = /\.internal$/.test(host)
    ? 'internal'
    : type === 'ngrok_cloud_endpoint'
      ? 'cloud'
      : findKind(kind)?.place
  const protocol = PROTOCOLS.find((name) => name === (scheme ?? proto))
  return {
    ...(kind !== undefined && { kind }),
    ...(typeof name === 'string' && { owner: name }),
    ...(url !== '' && { url }),
    ...(place && { place }),
    ...(protocol !== undefined && { protocol }),
  }
}

/** Returns whether a value is a policy: because a manifest has its policy there, or by its key and by its own keys. */
function isPolicyAt(name: string, value: unknown, isOfManifest: boolean): boolean {
  const isText = typeof value === 'string'
  const isPolicy = isText ? IS_POLICY.test(value) : hasPhase(value)
  if (name === 'traffic_policy') return isPolicy || isObject(value)
  if (isPolicy) return /policy|inline/i.test(name) || isText
  return isOfManifest && value !== null
}

/** Returns whether a value is certainly a policy, whatever its key. */
function hasRules(value: unknown): boolean {
  if (typeof value === 'string') return IS_POLICY.test(value)
  return isObject(value) && Object.entries(value).some(([key, each]) => IS_PHASE.test(key) && Array.isArray(each))
}

/**
 * Returns the place where the policy with a key would take effect, or undefined if it takes effect there, as far as the file
 * shows.
 */
function findRightPlace(key: string, owner: object, { manifest }: Facts): string | undefined {
  if (manifest) return `Move it to ${manifest.policy}.`
  const meant = findMeantName(key, owner)
  return meant === undefined ? undefined : `Did you mean ${meant}?`
}

/** Returns whether a policy is the older `policy` module of agent tunnels and edges. */
function isModule(name: string, value: unknown, { kind }: Facts): boolean {
  return name === 'policy' && !findKind(kind) && isObject(value) && ('inbound' in value || 'outbound' in value)
}

function hasPhase(value: unknown): boolean {
  return isObject(value) && Object.keys(value).some((key) => IS_PHASE.test(key))
}

const UNREADABLE = 'The file cannot be read as YAML or JSON, so no policy in it is checked'

function problemAt(message: string, line: number, column: number): PlacedPolicyProblem {
  return {
    severity: 'error',
    path: [],
    message,
    line,
    column,
    endLine: line,
    endColumn: column + 1,
  }
}
