import type { Operation } from '../core/operation/operation.ts'
import type { Step } from './step.ts'

/** The suffix of an ID that does not belong to any resource. */
export const UNKNOWN_ID = 'fauxgateVerify0000000000000'

/** Returns a nonexistent ID of the kind that an operation's path contains first. */
export function unknownIdFor(operation: Operation | undefined): string {
  return `${Object.values(operation?.ids ?? {})[0]?.split('|')[0] ?? 'op'}_${UNKNOWN_ID}`
}

/** Functions that create the steps for a group of operations. */
export type StepMaker = ReturnType<typeof stepMaker>

/** Returns functions that create the steps for a group of operations, given the path of its list. */
export function stepMaker(group: string, path: string) {
  const step = (verb: string, what: string, method: Step['method'], at: string): Step => ({
    operation: `${group}.${verb}`,
    what,
    method,
    path: at,
  })
  const make = {
    group,
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
    removal: (id: string): Step[] => [make.remove('of the new resource', id), make.get('after its deletion', id)],
  }
  return make
}

/** Returns a creation that saves the ID of its resource under a name. */
export const saveIdAs = (name: string, creation: Step): Step => ({ ...creation, saves: { [name]: 'id' } })

/** List queries and filters that a service may reject, keyed by what is special about them. */
const QUERIES = {
  'a limit of 0': 'limit=0',
  'a limit that is too large': 'limit=101',
  'a limit below 0': 'limit=-1',
  'a fractional limit': 'limit=1.5',
  'a limit that is not a number': 'limit=many',
  'a limit with a leading zero': 'limit=05',
  'an empty limit': 'limit=',
  'an empty cursor': 'before_id=',
  'a cursor that is not an ID': 'before_id=nonsense',
  'an unknown parameter': 'fauxgate_verify=1',
  'an uppercase parameter': 'LIMIT=1',
  'a repeated parameter': 'limit=1&limit=2',
}
const FILTERS = {
  'an invalid filter': 'obj.',
  'a filter by an unknown field': 'obj.fauxgate_verify == "1"',
  'an empty filter': '',
}

/** Returns steps about the API version. A server reads it in one place for all lists. */
export function versionSteps(make: StepMaker): Step[] {
  return [
    { ...make.list('without a version', ''), headers: { '{version}': null } },
    { ...make.list('with an unknown version', ''), headers: { '{version}': '1' } },
  ]
}

/** Returns steps that read a family without its resources. */
export function readingSteps(make: StepMaker, own: readonly Operation[]): Step[] {
  const get = own.find(({ name }) => name === `${make.group}.get`)
  return [
    make.list('the whole list', ''),
    make.list('with the maximum limit', 'limit=100'),
    ...Object.entries(QUERIES).map(([what, query]) => make.list(`with ${what}`, query)),
    make.list('with a cursor of another type', `before_id=op_${UNKNOWN_ID}`),
    ...Object.entries(FILTERS).map(([what, filter]) =>
      make.list(`with ${what}`, `filter=${encodeURIComponent(filter)}`),
    ),
    { ...make.list('without a key', ''), headers: { authorization: null } },
    ...(get
      ? [
          make.get('of an unknown ID', unknownIdFor(get)),
          make.get('of an ID of another type', `op_${UNKNOWN_ID}`),
          make.get('of an invalid ID', 'nonsense'),
        ]
      : []),
  ]
}

/** Returns steps that read nonexistent IDs. */
export function readsOfUnknownIds({ name, method, path, ids }: Operation): Step[] {
  if (method !== 'GET') return []
  const at = path.replaceAll(/\{(\w+)\}/g, (_, id) => `${ids[id]?.split('|')[0]}_${UNKNOWN_ID}`)
  return [{ operation: name, what: 'of unknown IDs', method, path: at }]
}

/** Returns steps that read the first page, and then the next page by the URL in the first. */
export function pageSteps(first: Step, next: string): Step[] {
  return [
    { ...first, what: `a first page ${first.what}`, saves: { [next]: 'next_page_uri' } },
    { ...first, what: `the next page ${first.what}`, path: `{${next}}` },
  ]
}

/** Expressions over a field and a string that it may contain, by operator. Parts of strings are not in a recording. */
const OPERATORS: Readonly<Record<string, (field: string, value: string) => string>> = {
  'by !=': (field, value) => `${field} != ${value}`,
  'by >=': (field) => `${field} >= "a"`,
  'by <': (field) => `${field} < "a"`,
  'by in': (field, value) => `${field} in ["none", ${value}]`,
  'by endsWith': (field, value) => `${field}.endsWith(${value})`,
  'by contains': (field, value) => `${field}.contains(${value})`,
  'by its size': (field, value) => `size(${field}) == size(${value})`,
  'by a negation': (field, value) => `!(${field} == ${value})`,
  'by two conditions': (field, value) => `${field} == ${value} && obj.id == "{b}"`,
  'by a time': () => 'obj.created_at > timestamp("2000-01-01T00:00:00Z")',
  'by a future time': () => 'timestamp(obj.created_at) > timestamp(time.now).add("1h")',
  'by null': (field) => `${field} == null`,
  'by an empty string': (field) => `${field} == ""`,
}

/**
 * Returns steps that filter the list after the first resource was changed. `filter` selects that resource, the older of the two. `fields`
 * contains the strings that a filter can select by.
 */
export function filterSteps(
  make: StepMaker,
  filter: string,
  fields: Readonly<Record<string, string>>,
  isFiltered: boolean,
): Step[] {
  const [field = 'obj.id'] = /^obj\.\w+/.exec(filter) ?? []
  const list = (what: string, expression: string, limit = ''): Step => {
    // The names of values stay unchanged.
    const encoded = encodeURIComponent(expression).replaceAll('%7B', '{').replaceAll('%7D', '}')
    return make.list(what, `${limit}filter=${encoded}`)
  }
  const always = [
    list('with a filter', filter, 'limit=1&'),
    list('with a filter that nothing matches', `${field}.startsWith("none")`),
    list('with a filter in another case', filter.replaceAll('{mark}', '{capital_mark}')),
    list('with a filter for all but one', 'obj.id != "{b}"'),
  ]
  if (!isFiltered) return always
  const [[name, value] = ['metadata', '{mark}-changed\n']] = Object.entries(fields)
  return [
    ...always,
    ...pageSteps(list('with a filter', 'obj.id == "{a}" || obj.id == "{b}"', 'limit=1&'), 'filtered'),
    ...Object.entries(OPERATORS).map(([what, expression]) =>
      list(`with a filter ${what}`, expression(`obj.${name}`, JSON.stringify(value))),
    ),
    ...Object.entries(fields).map(([each, text]) =>
      list(`with a filter by its ${each}`, `obj.${each} == ${JSON.stringify(text)}`),
    ),
  ]
}
