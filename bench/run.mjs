// All measurements, each group in a process of its own so that none inherits another's heap: npm run bench [name …]
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { benchDirect, benchPages } from './direct.mjs'
import { benchFixture } from './fixture.mjs'
import { benchHttp } from './http.mjs'
import { row } from './measure.mjs'
import { benchStart } from './start.mjs'
import { benchMsw, benchState } from './state.mjs'
import { benchIssue, benchYear } from './year.mjs'

const ALL = {
  start: benchStart,
  http: benchHttp,
  direct: benchDirect,
  year: benchYear,
  issue: benchIssue,
  state: benchState,
  fixture: benchFixture,
  msw: benchMsw,
  pages: benchPages,
}
const [only, ...more] = process.argv.slice(2)

if (only && more.length === 0) {
  await ALL[only]()
} else {
  row(`Node ${process.version}`, 'measured', 'target')
  for (const name of only ? [only, ...more] : Object.keys(ALL)) {
    execFileSync(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url), name], { stdio: 'inherit' })
  }
}
