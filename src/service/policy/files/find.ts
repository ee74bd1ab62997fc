import { isObject } from '../../../core/schema/values.ts'
import { ACTIONS } from '../actions/index.ts'
import { placesOf } from '../lines.ts'
import { PHASES } from '../phases.ts'
import type { PlacedPolicyProblem, PolicyPath } from '../problem.ts'
import { readYaml } from '../yaml.ts'
import { AGENT_CONFIG, findMeantAgentField } from './agent-config.ts'
import {
  type Facts,
  factsIn,
  IS_PHASE,
  IS_POLICY,
  isConfigOfAgent,
  isReadByAgent,
  MAY_BE_CONFIG,
  PHASE,
} from './facts.ts'
import { type FoundPolicies, type FoundPolicy, moveLines, problemAt, type Slice } from './found.ts'
import {
  CRDS,
  describeMissing,
  findKind,
  findMeantField,
  findMeantName,
  isShared,
  listMistakes,
  listWrongKinds,
  readManifest,
  readReference,
  sharedName,
} from './manifests.ts'
import { placer } from './slices.ts'
import { BLOCK, findInTerraform } from './terraform.ts'

/** Matches documents that may contain a policy. Others, such as most Kubernetes manifests, are not parsed. */
const MAY_HAVE_POLICY = new RegExp(`\\b(?:${PHASE}|(?:ngrok)?traffic_?policy|actions)\\b|trafficPolicyName`, 'i')

/**
 * Finds the traffic policies in a YAML or JSON file: the file itself or one of its documents, values of `traffic_policy` in an agent
 * config, and the policies in Kubernetes manifests. In Terraform, finds policies in heredocs and in `jsonencode`.
 */
export function findPolicies(file: string): FoundPolicies {
  // YAML also ends lines with a lone carriage return.
  const text = file.replaceAll(/\r(?!\n)/g, '\n')
  if (BLOCK.test(text)) return findInTerraform(text)
  const found = splitDocuments(text).map(({ text: document, linesBefore }): Search => {
    if (!MAY_HAVE_POLICY.test(document)) return { policies: [] }
    if (IS_POLICY.test(document) && !MAY_BE_CONFIG.test(document))
      return { policies: [{ name: '', slice: () => ({ text: document, linesBefore, indent: 0 }) }] }
    return searchDocument(document, linesBefore)
  })
  const uses = found.flatMap((each) => each.uses ?? [])
  return {
    policies: found.flatMap(({ policies }) => policies).map((each) => withUses(each, uses)),
    problems: found.flatMap(({ problems = [] }) => problems),
    computedLines: found.flatMap(({ computedLines = [] }) => computedLines),
  }
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

type Search = Pick<FoundPolicies, 'policies'> & Partial<FoundPolicies> & { readonly uses?: readonly Use[] }

/** An endpoint's reference to a policy in another manifest. */
interface Use extends Pick<FoundPolicy, 'protocol' | 'place'> {
  readonly of: string
}

/** Returns a policy with the facts about the endpoints that refer to it. */
function withUses(policy: FoundPolicy, uses: readonly Use[]): FoundPolicy {
  const own = uses.filter(({ of }) => of === policy.sharedAs).map(({ of: _, ...facts }) => facts)
  const [first, ...others] = [...new Map(own.map((each) => [`${each.protocol} ${each.place}`, each])).values()]
  return { ...policy, ...first, ...(others.length > 0 && { others }) }
}

/** Matches a template expression. YAML would read it as a map whose key is a map. */
const IS_TEMPLATE = /:[ \t]+\{\{/

function searchDocument(text: string, linesBefore: number): Search {
  const skipTemplate = (): Search => {
    const { line } = placesOf(text)(text.indexOf('{{'))
    return { policies: [], computedLines: [line + linesBefore] }
  }
  if (IS_TEMPLATE.test(text)) return skipTemplate()
  const { value: whole, events = [], problem } = readYaml(text)
  if (problem) {
    if (text.includes('{{')) return skipTemplate()
    const { line, column } = placesOf(text)(problem.offset)
    return {
      policies: [],
      problems: [problemAt(moveLines(`${UNREADABLE}: ${problem.message}.`, linesBefore), line + linesBefore, column)],
    }
  }
  // The lines of such a policy are indented.
  if ((hasPhase(whole) && !isConfigOfAgent(whole)) || isRuleList(whole) || isPolicyList(whole))
    return { policies: [{ name: '', slice: () => ({ text, linesBefore, indent: 0 }) }] }
  const { sliceAt, keyAt } = placer(text, linesBefore, events)
  const policies: FoundPolicy[] = []
  const problems: PlacedPolicyProblem[] = []
  const uses: Use[] = []
  const report = (place: PolicyPath, message: string, more: Pick<PlacedPolicyProblem, 'rule' | 'hint' | 'docs'>) => {
    const { line, column } = keyAt(place)
    problems.push({ ...problemAt(message, line, column), ...more })
  }
  // A value that has aliases is there several times, and is checked once.
  const seen = new Set<unknown>()
  const search = (value: unknown, path: PolicyPath, name: string, facts: Facts): void => {
    if (Array.isArray(value))
      for (const [index, item] of value.entries()) search(item, [...path, index], `${name}[${index}]`, facts)
    if (!isObject(value) || seen.has(value)) return
    const manifest = readManifest(value, path)
    const own: Facts = { ...facts, ...factsIn(value), ...(manifest && { manifest }) }
    for (const { at, message, rule } of manifest ? listMistakes(manifest, value) : listWrongKinds(value))
      report([...path, ...at], message, { rule, docs: manifest?.docs ?? CRDS })
    const unread = problems.length
    for (const [key, below] of Object.entries(value)) {
      if (typeof below === 'string' && isFreeText(key, path)) continue
      const [inner, place] = [`${name}${name && '.'}${key}`, [...path, key]]
      const isOfManifest = own.manifest?.path.join() === place.join()
      const isPolicy = hasRules(below) || (IS_PHASE.test(key) && own.isOfAgent)
      const hint = isOfManifest || !isPolicy ? undefined : findRightPlace(key, value, own, path)
      if (hint !== undefined) {
        const { docs } = own.manifest ?? {}
        const more = { rule: 'policy-unread', hint, ...(docs !== undefined && { docs }) }
        report(place, `Nothing reads the policy at ${inner}.`, more)
      }
      if (own.manifest && isOfManifest && isPolicy && typeof below === 'string')
        report(
          place,
          `In the manifest, ${own.manifest.policy} is a string. Allowed: an object whose keys are phases.`,
          {
            rule: 'manifest-field',
            hint: 'Remove the string indicator, such as "|".',
            docs: own.manifest.docs,
          },
        )
      const field = isPolicy ? undefined : findMeant(own, path, key)
      if (field !== undefined && !(isObject(below) && Object.values(below).some(hasRules)))
        report(place, `The ${own.manifest?.kind ?? 'config of the agent'} has no field ${inner}.`, {
          rule: own.manifest ? 'manifest-field' : 'config-field',
          hint: `Did you mean ${field}?`,
          docs: own.manifest?.docs ?? AGENT_CONFIG,
        })
      const reference = own.manifest && readReference(key, below)
      if (reference !== undefined) uses.push({ ...optionsOf(own), of: sharedName(own.namespace, reference) })
      // A policy that nothing reads is checked too, once.
      const isUnread = hint !== undefined && hasRules(below)
      if ((isUnread || isPolicyAt(key, below, isOfManifest, own.manifest !== undefined)) && !seen.has(below)) {
        if (isObject(below)) seen.add(below)
        const { url, owner = url, namespace } = own
        policies.push({
          ...optionsOf(own),
          ...(isModule(key, below, own) && { place: 'module' }),
          ...(owner !== undefined && { owner }),
          ...(owner !== undefined && isShared(own.kind) && { sharedAs: sharedName(namespace, owner) }),
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
  return { policies, problems, uses }
}

/** Returns the field that was probably meant by an unknown field in a manifest or an agent config. */
function findMeant({ manifest, isOfAgent }: Facts, path: PolicyPath, key: string): string | undefined {
  if (manifest) return findMeantField(manifest, path, key)
  return isOfAgent ? findMeantAgentField(path, key) : undefined
}

/** Returns the options of a check that follow from facts. */
function optionsOf({ protocol, place }: Facts): Pick<FoundPolicy, 'protocol' | 'place'> {
  return { ...(protocol && { protocol }), ...(place && { place }) }
}

/** Returns whether a value is a policy, either because a manifest has its policy at that path or because of its key and the keys in it. */
function isPolicyAt(name: string, value: unknown, isOfManifest: boolean, isInManifest: boolean): boolean {
  const isText = typeof value === 'string'
  const isPolicy = isText ? IS_POLICY.test(value) : hasPhase(value)
  if (name === 'traffic_policy' && !isInManifest) return isPolicy || isObject(value) || isRuleList(value)
  if (isPolicy) return /policy|inline/i.test(name) || isText
  return isOfManifest && value !== null
}

/** Returns whether a string under a key is for people or other programs. Text in the service's own annotations may be a misplaced policy. */
function isFreeText(key: string, path: PolicyPath): boolean {
  const isAnnotation = path.at(-1) === 'annotations' && !key.startsWith('k8s.ngrok.com/')
  return isAnnotation || key === 'description' || key === 'metadata'
}

/** Returns whether a value is certainly a policy, regardless of its key. */
function hasRules(value: unknown): boolean {
  if (typeof value === 'string') return IS_POLICY.test(value)
  return isObject(value) && Object.entries(value).some(([key, each]) => IS_PHASE.test(key) && Array.isArray(each))
}

/** Returns where a policy under a key would be read, or undefined if, as far as the file shows, it is already there. */
function findRightPlace(
  key: string,
  owner: object,
  { manifest, isOfAgent }: Facts,
  path: PolicyPath,
): string | undefined {
  if (key === 'k8s.ngrok.com/traffic-policy')
    return "Put it in an NgrokTrafficPolicy, and write that resource's name here."
  if (manifest) return `Move it to ${manifest.policy}.`
  if (isOfAgent && path.at(-2) === 'endpoints' && !isReadByAgent(path))
    return 'Make endpoints a list: put a hyphen before each endpoint, and move its name to the field "name".'
  if (isOfAgent && (IS_PHASE.test(key) || (key === 'traffic_policy' && !isReadByAgent(path))))
    return 'Move it to traffic_policy of an endpoint.'
  const meant = findMeantName(key, owner, isOfAgent === true)
  return meant === undefined ? undefined : `Did you mean ${meant}?`
}

/** Returns whether a policy is the older `policy` module of agent tunnels and edges. */
function isModule(name: string, value: unknown, { kind }: Facts): boolean {
  return name === 'policy' && !findKind(kind) && isObject(value) && ('inbound' in value || 'outbound' in value)
}

/** Returns whether a value is a list of rules without the phase that each rule needs. */
function isRuleList(value: unknown): boolean {
  const isAction = (each: unknown) => isObject(each) && ACTIONS.some(({ type }) => type === each.type)
  const isRule = (each: unknown) => isObject(each) && Array.isArray(each.actions) && each.actions.some(isAction)
  return Array.isArray(value) && value.some(isRule)
}

/** Returns whether a value is a list of phases instead of an object. */
function isPolicyList(value: unknown): boolean {
  const isPhases = (each: unknown) => isObject(each) && PHASES.some((phase) => Array.isArray(each[phase]))
  return Array.isArray(value) && value.some(isPhases)
}

function hasPhase(value: unknown): boolean {
  return isObject(value) && Object.keys(value).some((key) => IS_PHASE.test(key))
}

const UNREADABLE = 'The file cannot be read as YAML or JSON, so no policy in it is checked'
