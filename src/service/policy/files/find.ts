import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type ParsedNode, parseDocument, visit } from 'yaml'
import type { PolicyOptions, PolicyPlace, PolicyProtocol } from '../options.ts'
import type { PlacedPolicyProblem } from '../problem.ts'

/** A traffic policy in a file, with the facts that the file gives about its place. */
export interface FoundPolicy extends Pick<PolicyOptions, 'protocol' | 'place'> {
  /** The text of the policy. Blanks replace what precedes the text on its first line, so that columns are those of the file. */
  readonly text: string
  /** The path in the file, such as `endpoints[0].traffic_policy`; empty for a file that is a policy. */
  readonly name: string
  /** The number of lines of the file before the text. */
  readonly linesBefore: number
  /** The number of characters that the file has before each line of the text. */
  readonly indent: number
  /** True for a text that the file does not have in one piece: all its problems are at the start of the policy. */
  readonly isScattered?: boolean
}

/** The policies of a file, and the reasons why parts of the file cannot be read. */
export interface FoundPolicies {
  readonly policies: readonly FoundPolicy[]
  readonly problems: readonly PlacedPolicyProblem[]
  /** True if the file has templates, such as those of Helm, instead of values. */
  readonly isTemplate: boolean
}

const PHASE = 'on_\\w+|inbound|outbound'

/** Matches a document that is a policy. Such a document needs no search, and is parsed only once. */
const IS_POLICY = new RegExp(`^(?:\\s*\\{\\s*|(?:---[ \\t]+)?)(["']?)(?:${PHASE})\\1[ \\t]*:`, 'm')

/** Matches documents that may have a policy in them. Others, such as most of Kubernetes' manifests, are not parsed. */
const MAY_HAVE_POLICY = new RegExp(`\\b(?:${PHASE}|traffic_?policy|actions)\\b`, 'i')

/**
 * Finds the traffic policies of a file in YAML or JSON: the file itself or a document of it, values of `traffic_policy` in the
 * config of an agent, and the policies of Kubernetes manifests.
 */
export function findPolicies(text: string): FoundPolicies {
  const found = splitDocuments(text).map(({ text: document, linesBefore }) => {
    if (!MAY_HAVE_POLICY.test(document)) return { policies: [] }
    if (IS_POLICY.test(document)) return { policies: [{ text: document, name: '', linesBefore, indent: 0 }] }
    return searchDocument(document, linesBefore)
  })
  return {
    policies: found.flatMap(({ policies }) => policies),
    problems: found.flatMap(({ problems = [] }) => problems),
    isTemplate: found.some(({ isTemplate = false }) => isTemplate),
  }
}

/** Splits a text into its YAML documents. A line that begins with three hyphens starts one, even inside a text. */
function splitDocuments(text: string): readonly { readonly text: string; readonly linesBefore: number }[] {
  let linesBefore = 0
  return text.split(/^(?=---(?:\s|$))/m).map((document) => {
    const start = linesBefore
    linesBefore += countLines(document)
    return { text: document.replace(/^---/, '   '), linesBefore: start }
  })
}

const countLines = (text: string) => text.split('\n').length - 1

type Search = { readonly policies: readonly FoundPolicy[] } & Partial<FoundPolicies>

/** The deepest nesting of a document. Deeper ones could overflow the stack. */
const MAX_DEPTH = 256

/** Matches a value that a template computes. YAML would read it as a map whose key is a map. */
const IS_TEMPLATE = /:[ \t]+\{\{/

function searchDocument(text: string, linesBefore: number): Search {
  if (IS_TEMPLATE.test(text)) return { policies: [], isTemplate: true }
  const lines = new LineCounter()
  const depth = measureDepth(text)
  if (depth > MAX_DEPTH) return { policies: [], problems: [unreadable('It is nested too deeply', 1 + linesBefore, 1)] }
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false, uniqueKeys: false })
  const [error] = document.errors
  if (error) {
    if (text.includes('{{')) return { policies: [], isTemplate: true }
    const { line, col } = lines.linePos(error.pos[0])
    return { policies: [], problems: [unreadable(error.message, line + linesBefore, col)] }
  }
  const policies: FoundPolicy[] = []
  const seen = new Set<Node>()
  const search = (node: Node | null | undefined, path: string, facts: Facts): void => {
    if (isSeq(node)) for (const [index, item] of node.items.entries()) search(item as Node, `${path}[${index}]`, facts) // A parsed list has nodes.
    if (!isMap<ParsedNode, ParsedNode | null>(node)) return
    const own = { ...facts, ...factsIn(node) }
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : ''
      const inner = `${path}${path && '.'}${name}`
      const target = isAlias(value) ? value.resolve(document) : value
      if (!target || seen.has(target)) continue
      if (isPolicyAt(name, target, own)) {
        seen.add(target)
        policies.push({ ...own, ...sliceOf(target), name: inner })
      } else if (!isAlias(value)) search(target, inner, own)
    }
  }
  const sliceOf = (node: Node): Omit<FoundPolicy, 'name'> => {
    const [start, end] = node.range ?? [0, 0]
    const { line, col } = lines.linePos(start)
    const first = linesBefore + line - 1
    if (isScalar(node) && node.type === 'BLOCK_LITERAL') {
      const [indent = ''] = /^[ ]*(?=\S)/m.exec(text.slice(text.indexOf('\n', start) + 1, end)) ?? []
      return { text: String(node.value), linesBefore: first + 1, indent: indent.length }
    }
    const isText = isScalar(node)
    if (!isText && !hasAliases(node))
      return { text: ' '.repeat(col - 1) + text.slice(start, end), linesBefore: first, indent: 0 }
    const whole = isText ? String(node.value) : JSON.stringify(node.toJS(document, { maxAliasCount: 100 }))
    return { text: whole, linesBefore: first, indent: col - 1, isScattered: true }
  }
  search(document.contents, '', {})
  return { policies }
}

interface Facts {
  readonly kind?: string
  readonly protocol?: PolicyProtocol
  readonly place?: PolicyPlace
}

/** The kinds of Kubernetes resources with policies, and the places of these. */
const KINDS: Readonly<Record<string, PolicyPlace | undefined>> = {
  CloudEndpoint: 'cloud',
  AgentEndpoint: 'agent',
  NgrokTrafficPolicy: undefined,
}

/** Returns what an object says about the policies in it: the kind of a manifest, the URL of an endpoint, the protocol of a tunnel. */
function factsIn(node: { get(key: string): unknown }): Facts {
  const [kind, url, proto] = ['kind', 'url', 'proto'].map((key) => textOf(node.get(key)))
  const [, scheme, host = ''] = /^(?:(https?|tcp|tls):\/\/)?([^/:]*)/.exec(url ?? '') ?? []
  const place = /\.internal$/.test(host) ? 'internal' : kind && KINDS[kind]
  const protocol = scheme ?? (/^(?:https?|tcp|tls)$/.test(proto ?? '') ? proto : undefined)
  return {
    ...(kind !== undefined && { kind }),
    ...(place && { place }),
    // The patterns allow only names of protocols.
    ...(protocol !== undefined && { protocol: protocol as PolicyProtocol }),
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Returns whether a value is a policy, by its key and by its own keys. */
function isPolicyAt(name: string, node: Node, { kind = '' }: Facts): boolean {
  const isPolicy = isScalar(node)
    ? typeof node.value === 'string' && IS_POLICY.test(node.value)
    : isMap(node) && node.items.some(({ key }) => isScalar(key) && new RegExp(`^(?:${PHASE})$`).test(String(key.value)))
  if (name === 'traffic_policy') return isPolicy || isMap(node)
  if (isPolicy) return /policy|inline/i.test(name) || isScalar(node)
  return Object.hasOwn(KINDS, kind) && /^(?:policy|inline)$/.test(name) && isMap(node)
}

function hasAliases(node: Node): boolean {
  let has = false
  visit(node, {
    Alias: () => {
      has = true
      return visit.BREAK
    },
  })
  return has
}

/** Returns an upper bound of the nesting of a text, without parsing it. */
function measureDepth(text: string): number {
  let brackets = 0
  let deepest = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    brackets = Math.max(0, brackets + (bracket === '[' || bracket === '{' ? 1 : -1))
    deepest = Math.max(deepest, brackets)
  }
  return /^[ \t?:-]{256}/m.test(text) ? MAX_DEPTH + 1 : deepest
}

function unreadable(message: string, line: number, column: number): PlacedPolicyProblem {
  return {
    severity: 'error',
    path: [],
    message: `The file cannot be read as YAML or JSON, so that no policy in it is checked: ${message}.`,
    line,
    column,
    endLine: line,
    endColumn: column + 1,
  }
}
