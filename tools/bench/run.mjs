// Runs all measurements, each group in its own process so that no group inherits another's heap:
// npm run bench [-- name …] prints the results, npm run bench -- --write writes all into tools/bench/README.md.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { benchDirect, benchEvents, benchPages } from './direct.mjs'
import { benchFixture } from './fixture.mjs'
import { benchHttp } from './http.mjs'
import { print } from './measure.mjs'
import { benchObservers } from './observers.mjs'
import { benchPort } from './port.mjs'
import { benchData, benchLog, benchServe } from './serve.mjs'
import { benchRestart, benchStart } from './start.mjs'
import { benchMsw, benchState } from './state.mjs'
import { benchSurvives } from './survives.mjs'
import { benchTraffic } from './traffic.mjs'
import { benchWatched } from './watched.mjs'
import { benchIssue, benchMillion, benchYear } from './year.mjs'

const ALL = {
  start: benchStart,
  restart: benchRestart,
  http: benchHttp,
  serve: benchServe,
  log: benchLog,
  data: benchData,
  direct: benchDirect,
  events: benchEvents,
  year: benchYear,
  watched: benchWatched,
  observers: benchObservers,
  million: benchMillion,
  issue: benchIssue,
  state: benchState,
  fixture: benchFixture,
  msw: benchMsw,
  pages: benchPages,
  survives: benchSurvives,
  traffic: benchTraffic,
  port: benchPort,
}
const self = fileURLToPath(import.meta.url)
const isWriting = process.argv.includes('--write')
const names = process.argv.slice(2).filter((name) => name !== '--write')

if (process.env.FAUXGATE_BENCH_GROUP) await ALL[process.env.FAUXGATE_BENCH_GROUP]()
else if (isWriting) await writeReadme()
else printAll(names.length > 0 ? names : Object.keys(ALL))

function printAll(groups) {
  const load = loadavg()[0].toFixed(1)
  print(`Node ${process.version}, ${availableParallelism()} processors, load before ${load}`, 'measured', 'target')
  for (const group of groups) {
    const env = { ...process.env, FAUXGATE_BENCH_GROUP: group }
    execFileSync(process.execPath, [...process.execArgv, self], { stdio: 'inherit', env })
  }
}

/** Runs all measurements, and replaces the table of the README. */
async function writeReadme() {
  const all = spawn(process.execPath, [...process.execArgv, self], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(all, 'close')
  let table = ''
  for await (const text of all.stdout.setEncoding('utf8')) {
    process.stdout.write(text)
    table += text
  }
  const [code] = await closed
  if (code !== 0) throw new Error('Not all could be measured; the README stays unchanged.')
  const readme = new URL('./README.md', import.meta.url)
  writeFileSync(
    readme,
    readFileSync(readme, 'utf8').replace(/(?<=^## Figures$[^`]*```\n)[^`]*/m, () => table.replace(/ +$/gm, '')),
  )
}
