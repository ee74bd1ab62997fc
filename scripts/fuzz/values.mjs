// Hostile values and mutations. A case is kept as JSON text with tokens such as @@rd:0@@, so that it stays small when it
// is printed; `expand` puts in what they stand for.
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

/** Returns a tree of JSON in which an object is a list of entries, so that any name, twice too, can be one. */
function treeOf(value) {
  if (Array.isArray(value)) return { list: value.map(treeOf) }
  if (typeof value !== 'object' || value === null) return { text: JSON.stringify(value) }
  return { entries: Object.entries(value).map(([name, inner]) => [name, treeOf(inner)]) }
}

function textOf({ list, entries, text }) {
  if (list) return `[${list.map(textOf).join()}]`
  return entries ? `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${textOf(inner)}`).join()}}` : text
}

/** Returns all places of a tree, each as its tree with what holds it. */
function placesOf(tree, found = [], holder = null, index = 0) {
  found.push({ tree, holder, index })
  for (const [at, inner] of (tree.list ?? []).entries()) placesOf(inner, found, tree, at)
  for (const [at, [, inner]] of (tree.entries ?? []).entries()) placesOf(inner, found, tree, at)
  return found
}

/** Returns the text of a value after some mutations. */
export function mutate(value, mutations) {
  const root = { list: [treeOf(value)] }
  for (const { at, how, name, value: text } of mutations) {
    const places = placesOf(root.list[0] ?? { text: 'null' }, [], root)
    const { tree, holder, index } = places[at % places.length]
    const siblings = holder.list ?? holder.entries
    const put = (next) => {
      if (holder.list) holder.list[index] = next
      else holder.entries[index][1] = next
    }
    if (how === 'remove' && holder !== root) siblings.splice(index, 1)
    else if (how === 'add' && tree.entries) tree.entries.push([name, { text }])
    else if (how === 'add' && tree.list) tree.list.push({ text })
    else if (how === 'wrap') put({ list: [tree] })
    else if (how === 'rename' && holder.entries) holder.entries[index][0] = name
    else if (how === 'repeat' && holder !== root) siblings.push(siblings[index])
    else put({ text })
  }
  return textOf(root.list[0] ?? { text: '{}' })
}

const mutations = oneOf([5, fc.constant([])], [1, fc.array(mutation, { minLength: 1, maxLength: 3 })])

/** Draws the text of a value: mostly unchanged, else with some mutations. */
export const sometimesMutated = (arbitrary) =>
  fc.tuple(arbitrary, mutations).map(([value, drawn]) => mutate(value, drawn))

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

const nested = (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const RAW = {
  deep: nested,
  many: (count) => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join()}}`,
  wide: (count) => `[${Array.from({ length: count }, () => '""').join()}]`,
}

/** Puts in what the tokens stand for: `lookUp` knows ids and PEM texts. In a JSON text, what is put in is escaped. */
export function expand(text, lookUp, isJson) {
  const raw = text.replace(/"@@(deep|many|wide):(\d+)@@"/g, (_, name, count) => RAW[name](Number(count)))
  return raw.replace(/@@(\w+):(\d+)@@/g, (_, name, count) => {
    const value = name === 'huge' ? 'x'.repeat(Number(count)) : lookUp(name, Number(count))
    return isJson ? JSON.stringify(value).slice(1, -1) : value
  })
}
