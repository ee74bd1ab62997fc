import { dialectFamilies } from '../gateway/dialect-families.ts'
import { hasFilter } from '../operation/list.ts'
import { groupOf, type Operation } from '../operation/operation.ts'
import { type DialectName, dialects } from '../resources/dialects.ts'
import { tableOf } from '../table.ts'
import { extremeTexts, fieldsOf, otherThan, refusedChanges, refusedCreations } from './bodies.ts'
import { type Example, examplesWith, type Need, type Upload } from './examples.ts'
import { type Permission, reasonAgainst } from './permissions.ts'
import type { Scenario, Step } from './step.ts'

/** The requests that a run sends, and the operations that it leaves out. */
export interface Plan {
  readonly scenarios: readonly Scenario[]
  /** The reasons why operations are left out, by their names. */
  readonly notAsked: ReadonlyMap<string, string>
  /** All operations of the dialect, in the order of its table. */
  readonly operations: readonly string[]
  /** The number of requests, with those that read the lists before the run and after it. */
  readonly requests: number
}

export interface PlanOptions extends Permission {
  readonly dialect: DialectName
  readonly upload: Upload
  /** The families to call, by the group of their operations, such as `ip_policies`. Default: all. */
  readonly families?: readonly string[] | undefined
}

/** Returns the operations of a dialect with all of its families. */
function operationsOf(dialect: DialectName): readonly Operation[] {
  return tableOf(dialects[dialect], dialectFamilies[dialect]).api.operations
}

/** The reason against the families that `--only` leaves out. */
export const NOT_CHOSEN = 'not among the families of --only'

/** Returns the groups of a dialect's operations, which are the families that a run can call. */
export function operationGroups(dialect: DialectName): readonly string[] {
  return [...groupsOf(operationsOf(dialect)).keys()]
}

/** Derives the requests from the table of operations: a scenario for each family. */
export function planOf(options: PlanOptions): Plan {
  const operations = operationsOf(options.dialect)
  const examples = examplesWith(options.upload)
  const notAsked = new Map<string, string>()
  const scenarios: Scenario[] = []
  const groups = groupsOf(operations)
  for (const [group, own] of groups) {
    const isChosen = options.families?.includes(group) ?? true
    const reason = isChosen ? reasonAgainst(group, own[0]?.path ?? '', options) : NOT_CHOSEN
    const changing = own.filter(({ method }) => method !== 'GET')
    for (const { name } of reason === undefined ? [] : isChosen ? changing : own) notAsked.set(name, reason ?? '')
    const list = own.find(({ query, ids }) => query && Object.keys(ids).length === 0)
    if (!isChosen) continue
    if (!list) {
      scenarios.push({ family: group, path: '', steps: own.flatMap(readsOfUnknownIds) })
      continue
    }
    const example = reason === undefined ? examples[group] : undefined
    const on = stepsOn(group, list.path, hasFilter(list, dialects[options.dialect]))
    const steps = [...readingSteps(on, own), ...(example ? changingSteps(on, groups, example) : [])]
    scenarios.push({ family: group, path: list.path, steps })
  }
  const called = new Set(scenarios.flatMap(({ steps }) => steps.map(({ operation }) => operation)))
  for (const { name } of operations) {
    if (!called.has(name) && !notAsked.has(name)) notAsked.set(name, options.isReadOnly ? '--read-only' : NEEDS_OTHERS)
  }
  const lists = scenarios.filter(({ path }) => path !== '').length
  const steps = scenarios.reduce((sum, each) => sum + each.steps.length, 0)
  const requests = steps + lists * (options.isReadOnly ? 1 : 2)
  return { scenarios, notAsked, operations: operations.map(({ name }) => name), requests }
}

const NEEDS_OTHERS = 'it needs something that only an agent or another program makes'

type Groups = ReadonlyMap<string, readonly Operation[]>

function groupsOf(operations: readonly Operation[]): Groups {
  const groups = new Map<string, Operation[]>()
  for (const operation of operations) {
    const group = groupOf(operation)
    groups.set(group, [...(groups.get(group) ?? []), operation])
  }
  return groups
}

/** The end of an id that no resource has. */
const UNKNOWN_ID = 'fauxgateVerify0000000000000'

/** Queries and filters of a list that are refused, by what is wrong. */
const BAD_QUERIES = {
  'a limit of 0': 'limit=0',
  'a limit that is too great': 'limit=101',
  'a limit that is no number': 'limit=many',
  'a cursor that is no id': 'before_id=nonsense',
  'an unknown parameter': 'fauxgate_verify=1',
  'a parameter twice': 'limit=1&limit=2',
}
const BAD_FILTERS = { 'a filter that is none': 'obj.', 'a filter by an unknown field': 'obj.fauxgate_verify == "1"' }

/** Returns steps that read by ids that no resource has. */
function readsOfUnknownIds({ name, method, path, ids }: Operation): Step[] {
  if (method !== 'GET') return []
  const at = path.replaceAll(/\{(\w+)\}/g, (_, id) => `${ids[id]?.split('|')[0]}_${UNKNOWN_ID}`)
  return [{ operation: name, what: 'of ids that nothing has', method, path: at }]
}

function readingSteps(on: StepMaker, own: readonly Operation[]): Step[] {
  const get = own.find(({ name }) => name === `${on.group}.get`)
  const prefix = get?.ids.id?.split('|')[0]
  return [
    on.list('the whole list', ''),
    on.list('with the greatest limit', 'limit=100'),
    ...Object.entries(BAD_QUERIES).map(([what, query]) => on.list(`with ${what}`, query)),
    on.list('with a cursor of another kind', `before_id=op_${UNKNOWN_ID}`),
    ...Object.entries(BAD_FILTERS).map(([what, filter]) =>
      on.list(`with ${what}`, `filter=${encodeURIComponent(filter)}`),
    ),
    { ...on.list('without a key', ''), headers: { authorization: null } },
    { ...on.list('without a version', ''), headers: { '{version}': null } },
    { ...on.list('with an unknown version', ''), headers: { '{version}': '1' } },
    ...(get
      ? [
          on.get('of an id that nothing has', `${prefix}_${UNKNOWN_ID}`),
          on.get('of an id of another kind', `op_${UNKNOWN_ID}`),
          on.get('of an id that is none', 'nonsense'),
        ]
      : []),
  ]
}

function changingSteps(on: StepMaker, groups: Groups, example: Example): Step[] {
  const own = groups.get(on.group) ?? []
  const operation = (verb: string) => own.find(({ name }) => name === `${on.group}.${verb}`)
  const [create, update] = [operation('create'), operation('update')]
  if (!create || !update) return []
  const parents = Object.entries(example.needs ?? {})
  return [
    ...parents.map(([name, need]) => savedAs(name, ofNeed(need).create('that another thing needs', need.body))),
    savedAs('a', on.create('with every field', example.create)),
    on.get('after its creation', '{a}'),
    ...refusedCreations(example, create).map(([what, body]) => on.create(`with ${what}`, body)),
    ...unreadableCreations(on, example.create),
    savedAs('b', on.create('with few fields', example.second)),
    on.get('after its creation', '{b}'),
    on.list('both', ''),
    ...pages(on.list('of one', 'limit=1'), 'next'),
    on.list('a page after a cursor', 'limit=5&before_id={b}'),
    on.list('a page after the last', 'before_id={a}'),
    on.update('with every field', '{a}', example.update),
    on.get('after its change', '{a}'),
    on.update('without any field', '{a}', {}),
    on.update('with an unknown field', '{a}', { fauxgate_verify: 1 }),
    ...refusedChanges(example, update).map(([what, body]) => on.update(`with ${what}`, '{a}', body)),
    { ...on.update('with another content type', '{a}', example.update), headers: { 'content-type': 'text/plain' } },
    on.get('after refused changes', '{a}'),
    ...filtering(on, example.filter),
    on.list('both, after a change', ''),
    ...fieldsOf(create)
      .filter((field) => !fieldsOf(update).includes(field) && field in example.create)
      .map((field) =>
        on.update(`with its ${field}, which only a creation has`, '{a}', { [field]: example.create[field] }),
      ),
    ...extremeTexts(update).map(([what, body]) => on.update(`with ${what}`, '{a}', body)),
    on.get('after these changes', '{a}'),
    ...extremeTexts(update)
      .slice(0, 1)
      .map(([what, body]) => on.update(`with nothing but ${what}`, '{b}', body)),
    ...['{b}', '{a}'].flatMap((id) => partSteps(own, id, on.get('without its parts', id))),
    ...parents.flatMap(([name, { family }]) => partSteps(groups.get(family) ?? [], `{${name}}`)),
    ...on.removal('{b}'),
    on.list('with the one that is left', ''),
    on.list('a page after a deleted one', 'limit=5&before_id={b}'),
    ...parents.map(([name, need]) => ofNeed(need).remove('of what another thing needs', `{${name}}`)),
    on.get('after the deletion of what it needs', '{a}'),
    ...on.removal('{a}'),
    on.remove('a second time', '{a}'),
    on.update('after its deletion', '{a}', example.update),
    on.list('after both were deleted', ''),
    ...parents.reverse().flatMap(([name, need]) => ofNeed(need).removal(`{${name}}`)),
  ]
}

/** Returns a creation that saves the id of its resource under a name. */
const savedAs = (name: string, creation: Step): Step => ({ ...creation, saves: { [name]: 'id' } })

/**
 * Returns the steps about parts of a resource. One that reads is sent once. One that detaches is sent twice, and then the
 * resource is read by `look`.
 */
function partSteps(own: readonly Operation[], id: string, look?: Step): Step[] {
  return own.flatMap(({ name, method, path }) => {
    const [, at, part] = /^(.*)\{id\}(\/\w+)$/.exec(path) ?? []
    if (part === undefined || (method !== 'GET' && method !== 'DELETE')) return []
    const step: Step = { operation: name, what: 'of its own', method, path: `${at}${id}${part}` }
    return method === 'GET' || !look ? [step] : [step, { ...step, what: 'twice' }, look]
  })
}

/** Returns steps that read a first page, and the next one, whose address the first one names. */
function pages(first: Step, next: string): Step[] {
  return [
    { ...first, what: `a first page ${first.what}`, saves: { [next]: 'next_page_uri' } },
    { ...first, what: `the next page ${first.what}`, path: `{${next}}` },
  ]
}

/**
 * Returns steps that filter the list, after the first resource was changed. `filter` selects that resource, the older one
 * of two.
 */
function filtering(on: StepMaker, filter = 'obj.id == "{a}"'): Step[] {
  const field = /^obj\.\w+/.exec(filter)?.[0]
  const list = (what: string, expression: string, limit = ''): Step => {
    // The names of values stay as they are.
    const encoded = encodeURIComponent(expression).replaceAll('%7B', '{').replaceAll('%7D', '}')
    return on.list(what, `${limit}filter=${encoded}`)
  }
  return [
    list('with a filter', filter, 'limit=1&'),
    list('with a filter that nothing matches', `${field}.startsWith("none")`),
    list('with a filter in other capitals', filter.replaceAll('{mark}', '{capital_mark}')),
    list('with a filter for all but one', 'obj.id != "{b}"'),
    ...(on.isFiltered
      ? pages(list('with a filter', 'obj.id == "{a}" || obj.id == "{b}"', 'limit=1&'), 'filtered')
      : []),
  ]
}

function ofNeed({ family, path = `/${family}` }: Need) {
  return stepsOn(family, path)
}

type StepMaker = ReturnType<typeof stepsOn>

/** Returns functions that make the steps of a group of operations, whose list is at this path. */
function stepsOn(group: string, path: string, isFiltered = false) {
  const step = (verb: string, what: string, method: Step['method'], at: string): Step => ({
    operation: `${group}.${verb}`,
    what,
    method,
    path: at,
  })
  const on = {
    group,
    isFiltered,
    create: (what: string, body: object): Step => ({
      ...step('create', what, 'POST', path),
      body: JSON.stringify(body),
    }),
    get: (what: string, id: string): Step => step('get', what, 'GET', `${path}/${id}`),
    list: (what: string, query: string): Step => step('list', what, 'GET', `${path}${query && `?${query}`}`),
    update: (what: string, id: string, body: object): Step => ({
      ...step('update', what, 'PATCH', `${path}/${id}`),
      body: JSON.stringify(body),
    }),
    remove: (what: string, id: string): Step => step('delete', what, 'DELETE', `${path}/${id}`),
    removal: (id: string): Step[] => [on.remove('of its own', id), on.get('after its deletion', id)],
  }
  return on
}

function unreadableCreations(on: StepMaker, create: object): Step[] {
  const other = otherThan(create)
  const json = JSON.stringify(other)
  return [
    { ...on.create('with a body that is no JSON', other), body: `${json.slice(0, -1)},` },
    on.create('with a list for a body', [other]),
    { ...on.create('with another content type', other), headers: { 'content-type': 'text/plain' } },
  ]
}
