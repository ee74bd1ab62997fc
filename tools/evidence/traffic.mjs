// Sends visitors through each traffic policy of a folder, and counts what happens: `node tools/evidence/traffic.mjs FOLDER [NAME]`.
// It reads YAML, JSON and the blocks of Markdown. With NAME it writes the counts to tools/evidence/traffic.json: `documented` for a
// checkout of github.com/ngrok/ngrok-docs, `public` for a folder with the files of other repositories as OWNER+REPOSITORY/PATH.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { load as parse } from 'js-yaml'
import { importSource } from '../../scripts/import-source.mjs'
import { root } from '../../scripts/shared.mjs'
import { guessVisit, matchAll, sampleOf, unique } from './guesses.mjs'
import { listPolicies } from './policies.mjs'

const { createNgrok } = await importSource('src/gateway/ngrok.ts')
const { checkPolicy, listExpressions } = await importSource('src/service/policy/index.ts')
const { findBelow, listPaths, variablesOf } = await importSource('src/service/policy/environment.ts')

const [folder = '', name] = process.argv.slice(2)
const FILE = join(root, 'tools/evidence/traffic.json')
const APP = 'https://app.example.com'
const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
/** The places where a policy may be in use, the usual one first. */
const PLACES = [{ place: 'agent' }, { place: 'module' }, { place: 'agent', protocol: 'tcp' }]
const VARIABLES = variablesOf({ phase: 'on_http_response', hasTls: true, isModule: true })

const countAll = (list) =>
  Object.fromEntries(unique(list.toSorted()).map((each) => [each, list.filter((other) => other === each).length]))
const listActions = (policy) =>
  Object.values(policy)
    .flat()
    .flatMap((rule) => rule?.actions ?? [])
const errorsOf = (text, place) => checkPolicy(text, place).filter(({ severity }) => severity === 'error')

/** Makes a gateway with a policy and with what the policy names: secrets, IP policies, internal endpoints and upstreams. */
function createVisited(text, place) {
  const gateway = createNgrok({ seed: 'evidence' })
  const secrets = matchAll(/secrets\.get\(\s*\\?['"]([^'"\\]+)\\?['"]\s*,\s*\\?['"]([^'"\\]+)/g, text)
  for (const vault of unique(secrets.map(([vault]) => vault))) {
    gateway.vaults.create({ name: vault })
    const names = unique(secrets.filter(([owner]) => owner === vault).map(([, secret]) => secret))
    for (const each of names) gateway.vaultSecrets.create({ vault_name: vault, name: each, value: 'a value' })
  }
  const policy = text.replace(/\bipp_\w+/g, () => gateway.ipPolicies.create({}).id)
  const internal = unique(matchAll(/(https?:\/\/[\w.-]+\.internal(?::\d+)?)/g, text).flat())
  const urls = matchAll(/(https:\/\/[\w./-]+)/g, text).flat()
  for (const url of unique([APP, 'bkdhr_1', ...internal, ...urls.filter((each) => URL.canParse(each))]))
    gateway.traffic.upstream(url, () => Response.json({ a: [1] }, { headers: { 'set-cookie': 'a=b' } }))
  const endpoints = internal.map((url) => ({ url }))
  if (place === 'module') gateway.trafficPolicy.replace(ROUTE, parse(policy))
  else endpoints.push({ url: APP, traffic_policy: policy })
  gateway.declare.tunnelSession({ endpoints })
  return gateway
}

const valueAt = (path, text) => sampleOf(findBelow(VARIABLES, path.split('.')), path, text)

/** Returns the results of an action: a value for each of its variables. */
function resultOf(action, text) {
  const prefix = `actions.ngrok.${action.replaceAll('-', '_')}.`
  const paths = listPaths(VARIABLES).filter((path) => path.startsWith(prefix))
  return Object.fromEntries(paths.map((path) => [path.slice(prefix.length), valueAt(path, text)]))
}

/** Sends a request. Gives the facts and the results for which the gateway asks, and notes them. Returns what happened. */
async function visit(gateway, text, place, [url, init], asked) {
  const from = { ...init.from, facts: {}, actions: {} }
  const target = place === 'module' ? { edge: ROUTE.edge_id, route: ROUTE.id, backend: 'bkdhr_1' } : {}
  for (;;) {
    try {
      const fetching = gateway.traffic.fetch(url, { ...init, ...target, from }).then((response) => response.bytes())
      return (await Promise.race([fetching, sleep(10_000, undefined, { ref: false })])) ? 'ran' : 'hung'
    } catch (error) {
      if (/^(ECONNRESET$|ERR_SSL_)/.test(error.cause?.code)) return 'ran'
      const [, fact] = /The policy reads (\S+),/.exec(error.message) ?? []
      const [, action] = /The action (\S+) is not carried out/.exec(error.message) ?? []
      if (fact === undefined && action === undefined) return `threw ${error.message}`
      if (fact) from.facts[fact] = valueAt(fact, text)
      else from.actions[action] = resultOf(action, text)
      asked.push(fact ?? action)
    }
  }
}

/** Returns the expressions that failed in the last request, in conditions and in actions. */
const listFailures = (gateway) =>
  gateway.traffic
    .last()
    .trace.flatMap(({ expressions = [], actions = [] }) => [
      ...expressions.flatMap(({ source, error }) => (error ? [`${source}: ${error}`] : [])),
      ...actions.flatMap(({ did }) => (did.startsWith('failed') ? [did] : [])),
    ])

/** Sends a visitor to each rule of a policy. */
async function run({ text, ...each }) {
  const found = PLACES.find((each) => errorsOf(text, each).length === 0)
  if (!found) {
    const [{ number, message }] = errorsOf(text, PLACES[0])
    return { ...each, text, result: 'refused', number, message }
  }
  if (found.protocol) return { ...each, text, result: 'tcp' }
  const policy = parse(text)
  const rules = Object.values(policy)
    .flat()
    .map((rule) => (rule?.expressions ?? []).join(' && '))
  const [asked, failed, results] = [[], [], []]
  const gateway = createVisited(text, found.place)
  for (const guess of [[APP, { from: {} }], ...unique(['', ...rules]).map((each) => guessVisit(each, APP))]) {
    results.push(await visit(gateway, text, found.place, guess, asked))
    failed.push(...listFailures(gateway))
  }
  const actions = unique(asked).filter((each) => !each.includes('.'))
  const result = results.find((each) => each !== 'ran') ?? (actions.length > 0 ? 'notSimulated' : 'ran')
  return {
    ...each,
    policy,
    place: found,
    result,
    actions,
    facts: unique(asked).filter((each) => each.includes('.')),
    failed: unique(failed),
  }
}

/** Returns whether an expression may need an action that ran before it: for its variables, or for its results. */
const isNeeded = (source, { type }) =>
  type === 'set-vars' ? source.includes('vars.') : source.includes(`ngrok.${type.replaceAll('-', '_')}.`)

/** Evaluates an expression in its own rule, after the actions of its policy that it needs. */
async function evaluate({ source, kind, path, policy, place }) {
  const before = Object.entries(policy).map(([phase, rules]) => {
    const actions = (rules ?? []).flatMap?.((rule) => rule?.actions ?? []) ?? []
    return [phase, actions.filter((action) => isNeeded(source, action)).map((action) => ({ actions: [action] }))]
  })
  const body = kind === 'field' && !source.includes('${') ? source : `\${${source}}`
  const rules = [{ actions: [{ type: 'log', config: { metadata: { body } } }] }]
  for (const phase of [path[0], 'on_http_request', 'on_http_response']) {
    const text = JSON.stringify(
      Object.fromEntries([...before, [phase, [...(Object.fromEntries(before)[phase] ?? []), ...rules]]]),
    )
    if (errorsOf(text, place).length > 0) continue
    const gateway = createVisited(text, place.place)
    const result = await visit(gateway, source, place.place, guessVisit(source, APP), [])
    return result === 'ran' ? (listFailures(gateway).at(-1) ?? 'value') : result
  }
  return 'no phase takes it'
}

const results = []
for (const each of listPolicies(folder)) results.push(await run(each))
const sources = new Map()
for (const each of results.filter(({ place }) => place))
  for (const found of listExpressions(each.policy, each.place)) sources.set(found.source, { ...each, ...found })
const values = new Map()
for (const [source, each] of sources) values.set(source, await evaluate(each))

const withoutValue = [...values].filter(([, value]) => value !== 'value')
const typesOf = ({ policy }) => unique(listActions(policy).map(({ type }) => type))
const summary = {
  policies: results.length,
  results: countAll(results.map(({ result }) => result.replace(/ .*/s, ''))),
  actions: countAll(results.filter(({ place }) => place).flatMap(typesOf)),
  notSimulated: countAll(results.flatMap(({ actions = [] }) => actions)),
  facts: countAll(results.flatMap(({ facts = [] }) => facts)),
  expressions: { all: values.size, evaluated: values.size - withoutValue.length },
}
console.log(JSON.stringify(summary, undefined, 2))
for (const { path, result, message = '', failed = [] } of results) {
  if (!/^(?:ran|notSimulated)$/.test(result)) console.log(`${path}: ${result} ${message}`)
  for (const each of failed) console.log(`${path}: ${each}`)
}
for (const [source, why] of withoutValue) console.log(`${source} => ${why}`)

/** Returns a line of the list of policies: the repository, the path, what the policy says as a hash, and what happened. */
function toRow({ path, hash, result, number }) {
  const [, owner, repository, file] = /^([^+]+)\+([^/]+)\/(.*)$/.exec(path)
  return { repository: `${owner}/${repository}`, path: file, hash, result, ...(number && { number }) }
}
if (name !== undefined) {
  const saved = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {}
  const rows = name === 'public' ? { list: results.map(toRow) } : {}
  writeFileSync(FILE, `${JSON.stringify({ ...saved, [name]: { ...summary, ...rows } }, undefined, 1)}\n`)
}
