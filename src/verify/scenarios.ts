import { hasFilter } from '../core/operation/list.ts'
import { groupOf, type Operation } from '../core/operation/operation.ts'
import { dialectFamilies } from '../gateway/dialect-families.ts'
import { tableOf } from '../gateway/table.ts'
import { type DialectName, dialects } from '../service/resources/dialects.ts'
import { extremeTexts, fieldsOf, invalidChanges, invalidCreations, withOtherNames } from './bodies.ts'
import { examplesWith, type FamilyExample, type Need, type Upload } from './examples.ts'
import { type Permission, reasonAgainst } from './permissions.ts'
import type { Scenario, Step } from './step.ts'

/** The requests that a run sends, and the operations that it leaves out. */
export interface RequestPlan {
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
export function planOf(options: PlanOptions): RequestPlan {
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
    const make = stepMaker(group, list.path, hasFilter(list, dialects[options.dialect]))
    const steps = [...readingSteps(make, own), ...(example ? changingSteps(make, groups, example) : [])]
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

function readingSteps(make: StepMaker, own: readonly Operation[]): Step[] {
  const get = own.find(({ name }) => name === `${make.group}.get`)
  const prefix = get?.ids.id?.split('|')[0]
  return [
    make.list('the whole list', ''),
    make.list('with the greatest limit', 'limit=100'),
    ...Object.entries(BAD_QUERIES).map(([what, query]) => make.list(`with ${what}`, query)),
    make.list('with a cursor of another kind', `before_id=op_${UNKNOWN_ID}`),
    ...Object.entries(BAD_FILTERS).map(([what, filter]) =>
      make.list(`with ${what}`, `filter=${encodeURIComponent(filter)}`),
    ),
    { ...make.list('without a key', ''), headers: { authorization: null } },
    { ...make.list('without a version', ''), headers: { '{version}': null } },
    { ...make.list('with an unknown version', ''), headers: { '{version}': '1' } },
    ...(get
      ? [
          make.get('of an id that nothing has', `${prefix}_${UNKNOWN_ID}`),
          make.get('of an id of another kind', `op_${UNKNOWN_ID}`),
          make.get('of an id that is none', 'nonsense'),
        ]
      : []),
  ]
}

function changingSteps(make: StepMaker, groups: Groups, example: FamilyExample): Step[] {
  const own = groups.get(make.group) ?? []
  const operation = (verb: string) => own.find(({ name }) => name === `${make.group}.${verb}`)
  const [create, update] = [operation('create'), operation('update')]
  if (!create || !update) return []
  const parents = Object.entries(example.needs ?? {})
  return [
    ...parents.map(([name, need]) => saveIdAs(name, makerFor(need).create('that another thing needs', need.body))),
    saveIdAs('a', make.create('with every field', example.create)),
    make.get('after its creation', '{a}'),
    ...invalidCreations(example, create).map(([what, body]) => make.create(`with ${what}`, body)),
    ...unreadableCreations(make, example.create),
    saveIdAs('b', make.create('with few fields', example.second)),
    make.get('after its creation', '{b}'),
    make.list('both', ''),
    ...pageSteps(make.list('of one', 'limit=1'), 'next'),
    make.list('a page after a cursor', 'limit=5&before_id={b}'),
    make.list('a page after the last', 'before_id={a}'),
    make.update('with every field', '{a}', example.update),
    make.get('after its change', '{a}'),
    make.update('without any field', '{a}', {}),
    make.update('with an unknown field', '{a}', { fauxgate_verify: 1 }),
    ...invalidChanges(example, update).map(([what, body]) => make.update(`with ${what}`, '{a}', body)),
    { ...make.update('with another content type', '{a}', example.update), headers: { 'content-type': 'text/plain' } },
    make.get('after refused changes', '{a}'),
    ...filterSteps(make, example.filter),
    make.list('both, after a change', ''),
    ...fieldsOf(create)
      .filter((field) => !fieldsOf(update).includes(field) && field in example.create)
      .map((field) =>
        make.update(`with its ${field}, which only a creation has`, '{a}', { [field]: example.create[field] }),
      ),
    ...extremeTexts(update).map(([what, body]) => make.update(`with ${what}`, '{a}', body)),
    make.get('after these changes', '{a}'),
    ...extremeTexts(update)
      .slice(0, 1)
      .map(([what, body]) => make.update(`with nothing but ${what}`, '{b}', body)),
    ...['{b}', '{a}'].flatMap((id) => partSteps(own, id, make.get('without its parts', id))),
    ...parents.flatMap(([name, { family }]) => partSteps(groups.get(family) ?? [], `{${name}}`)),
    ...make.removal('{b}'),
    make.list('with the one that is left', ''),
    make.list('a page after a deleted one', 'limit=5&before_id={b}'),
    ...parents.map(([name, need]) => makerFor(need).remove('of what another thing needs', `{${name}}`)),
    make.get('after the deletion of what it needs', '{a}'),
    ...make.removal('{a}'),
    make.remove('a second time', '{a}'),
    make.update('after its deletion', '{a}', example.update),
    make.list('after both were deleted', ''),
    ...parents.reverse().flatMap(([name, need]) => makerFor(need).removal(`{${name}}`)),
  ]
}

/** Returns a creation that saves the id of its resource under a name. */
const saveIdAs = (name: string, creation: Step): Step => ({ ...creation, saves: { [name]: 'id' } })

/**
 * Returns the steps about parts of a resource. One that reads is sent once. One that detaches is sent twice, and then the
 * resource is read by `get`.
 */
function partSteps(own: readonly Operation[], id: string, get?: Step): Step[] {
  return own.flatMap(({ name, method, path }) => {
    const [, at, part] = /^(.*)\{id\}(\/\w+)$/.exec(path) ?? []
    if (part === undefined || (method !== 'GET' && method !== 'DELETE')) return []
    const step: Step = { operation: name, what: 'of its own', method, path: `${at}${id}${part}` }
    return method === 'GET' || !get ? [step] : [step, { ...step, what: 'twice' }, get]
  })
}

/** Returns steps that read a first page, and the next one, whose address the first one names. */
function pageSteps(first: Step, next: string): Step[] {
  return [
    { ...first, what: `a first page ${first.what}`, saves: { [next]: 'next_page_uri' } },
    { ...first, what: `the next page ${first.what}`, path: `{${next}}` },
  ]
}

/**
 * Returns steps that filter the list, after the first resource was changed. `filter` selects that resource, the older one
 * of two.
 */
function filterSteps(make: StepMaker, filter = 'obj.id == "{a}"'): Step[] {
  const field = /^obj\.\w+/.exec(filter)?.[0]
  const list = (what: string, expression: string, limit = ''): Step => {
    // The names of values stay as they are.
    const encoded = encodeURIComponent(expression).replaceAll('%7B', '{').replaceAll('%7D', '}')
    return make.list(what, `${limit}filter=${encoded}`)
  }
  return [
    list('with a filter', filter, 'limit=1&'),
    list('with a filter that nothing matches', `${field}.startsWith("none")`),
    list('with a filter in other capitals', filter.replaceAll('{mark}', '{capital_mark}')),
    list('with a filter for all but one', 'obj.id != "{b}"'),
    ...(make.isFiltered
      ? pageSteps(list('with a filter', 'obj.id == "{a}" || obj.id == "{b}"', 'limit=1&'), 'filtered')
      : []),
  ]
}

function makerFor({ family, path = `/${family}` }: Need) {
  return stepMaker(family, path)
}

type StepMaker = ReturnType<typeof stepMaker>

/** Returns functions that make the steps of a group of operations, whose list is at this path. */
function stepMaker(group: string, path: string, isFiltered = false) {
  const step = (verb: string, what: string, method: Step['method'], at: string): Step => ({
    operation: `${group}.${verb}`,
    what,
    method,
    path: at,
  })
  const make = {
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
    removal: (id: string): Step[] => [make.remove('of its own', id), make.get('after its deletion', id)],
  }
  return make
}

function unreadableCreations(make: StepMaker, create: object): Step[] {
  const other = withOtherNames(create)
  const json = JSON.stringify(other)
  return [
    { ...make.create('with a body that is no JSON', other), body: `${json.slice(0, -1)},` },
    make.create('with a list for a body', [other]),
    { ...make.create('with another content type', other), headers: { 'content-type': 'text/plain' } },
  ]
}
