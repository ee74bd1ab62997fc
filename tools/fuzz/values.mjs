// Hostile values and mutations. A case is JSON text with tokens such as @@rd:0@@, so that its printed form stays small.
// `expand` replaces the tokens by their values.
import fc from 'fast-check'

export const UNKNOWN_IDS = 'rd_1 ra_1 cert_1 bkdwd_1 bkdhr_1 ec_1 edghts_1 edghtsrt_1 op_1 rd__ '.split(' ')
const TEXTS = [
  ...'0 null true us mars rsa ecdsa letsencrypt deny github sns success 30s 1e9d DNS_ERROR %00 ../..'.split(' '),
  ...'a.example.com *.example.com xn--0.com a_b.com app.gateway.test x.ngrok.app localhost 1.2.3.4'.split(' '),
  ...'__proto__ constructor toString hasOwnProperty 2026-01-01T00:00:00Z 9999-12-31T23:59:59Z'.split(' '),
  ...['', ' ', '\u0000', '\ud800', '\ufeff', '\u202e\u0301', '-----BEGIN CERTIFICATE-----'],
]
const NUMBERS = [0, -0, -1, 1, 0.5, 128, 129, 10_000, 10_001, 2 ** 31, 2 ** 32, 2 ** 53, 1e308, -1e308, 5e-324]

/** Draws from one of some arbitraries, each with its weight. */
export const oneOf = (...choices) => fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** One odd value, as JSON text. */
export const oddValue = oneOf(
  [4, fc.constantFrom('null', 'true', 'false', '[]', '{}', '[null]', '{"":""}')],
  [9, fc.constantFrom(...NUMBERS, ...TEXTS, ...UNKNOWN_IDS).map((value) => JSON.stringify(value))],
  [2, fc.string({ unit: 'binary', maxLength: 12 }).map((value) => JSON.stringify(value))],
  [1, fc.constantFrom('"@@huge:5000@@"', '"@@huge:70000@@"', '"@@deep:100@@"', '"@@deep:4000@@"')],
  [1, fc.constantFrom('"@@many:50@@"', '"@@many:3000@@"', '"@@wide:3000@@"', '"@@key:0@@"')],
  [1, fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value))],
  [2, fc.constantFrom('{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}')],
)

const OPERATIONS = ['replace', 'replace', 'replace', 'remove', 'add', 'wrap', 'rename', 'repeat']

const NAMES = ['__proto__', 'id', 'metadata', 'toString', 'domain', 'x', '']

/** A change to a JSON value: where (counted over all places in it), what, and with which value. */
export const mutation = fc.record({
  at: fc.nat({ max: 400 }),
  how: fc.constantFrom(...OPERATIONS),
  name: fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 6 })),
  value: oddValue,
})

/** Returns a tree of JSON in which an object is a list of entries, so that a name can occur twice. */
function parseTree(value) {
  if (Array.isArray(value)) return { list: value.map(parseTree) }
  if (typeof value !== 'object' || value === null) return { text: JSON.stringify(value) }
  return { entries: Object.entries(value).map(([name, inner]) => [name, parseTree(inner)]) }
}

function formatTree({ list, entries, text }) {
  if (list) return `[${list.map(formatTree).join()}]`
  return entries ? `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${formatTree(inner)}`).join()}}` : text
}

/** Returns all places of a tree: the tree at each place, its parent, and its index in the parent. */
function listPlaces(tree, found = [], parent = null, index = 0) {
  found.push({ tree, holder: parent, index })
  for (const [at, inner] of (tree.list ?? []).entries()) listPlaces(inner, found, tree, at)
  for (const [at, [, inner]] of (tree.entries ?? []).entries()) listPlaces(inner, found, tree, at)
  return found
}

/** Returns the text of a value after some mutations. */
export function mutate(value, mutations) {
  const root = { list: [parseTree(value)] }
  for (const { at, how, name, value: text } of mutations) {
    const places = listPlaces(root.list[0] ?? { text: 'null' }, [], root)
    const { tree, holder: parent, index } = places[at % places.length]
    const siblings = parent.list ?? parent.entries
    const put = (next) => {
      if (parent.list) parent.list[index] = next
      else parent.entries[index][1] = next
    }
    if (how === 'remove' && parent !== root) siblings.splice(index, 1)
    else if (how === 'add' && tree.entries) tree.entries.push([name, { text }])
    else if (how === 'add' && tree.list) tree.list.push({ text })
    else if (how === 'wrap') put({ list: [tree] })
    else if (how === 'rename' && parent.entries) parent.entries[index][0] = name
    else if (how === 'repeat' && parent !== root) siblings.push(siblings[index])
    else put({ text })
  }
  return formatTree(root.list[0] ?? { text: '{}' })
}

const mutations = oneOf([5, fc.constant([])], [1, fc.array(mutation, { minLength: 1, maxLength: 3 })])

/** Draws the text of a value: mostly unchanged, else with some mutations. */
export const orMutated = (arbitrary) => fc.tuple(arbitrary, mutations).map(([value, drawn]) => mutate(value, drawn))

const PUT = ['', '', '\n', '\r', '\r\n', ' ', '=', '\ufeff']
const MARKERS = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----']

/** Changes to a text, by places. */
export const textEdits = fc.array(
  fc.record({
    at: fc.nat(),
    cut: fc.constantFrom(0, 1, 1, 2, 64, 200),
    put: fc.oneof(fc.constantFrom(...PUT), fc.constantFrom(...MARKERS), fc.string({ maxLength: 3 })),
  }),
  { maxLength: 3 },
)

/** Returns a text with such changes. */
export const edit = (text, edits) =>
  edits.reduce((now, { at, cut, put }) => {
    const from = at % (now.length + 1)
    return now.slice(0, from) + put + now.slice(from + cut)
  }, text)

const nestLists = (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const RAW = {
  deep: nestLists,
  many: (count) => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join()}}`,
  wide: (count) => `[${Array.from({ length: count }, () => '""').join()}]`,
}

/** Replaces tokens by their values. `lookUp` returns ids and PEM texts. In a JSON text, the values are escaped. */
export function expand(text, lookUp, isJson) {
  const raw = text.replace(/"@@(deep|many|wide):(\d+)@@"/g, (_, name, count) => RAW[name](Number(count)))
  return raw.replace(/@@(\w+):(\d+)@@/g, (_, name, count) => {
    const value = name === 'huge' ? 'x'.repeat(Number(count)) : lookUp(name, Number(count))
    return isJson ? JSON.stringify(value).slice(1, -1) : value
  })
}
