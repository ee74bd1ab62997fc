// All measurements in one run: npm run bench [name …]
import { benchDirect, benchPages } from './direct.mjs'
import { benchHttp } from './http.mjs'
import { row } from './measure.mjs'
import { benchStart } from './start.mjs'
import { benchIssue, benchYear } from './year.mjs'

const ALL = {
  start: benchStart,
  http: benchHttp,
  direct: benchDirect,
  year: benchYear,
  issue: benchIssue,
  pages: benchPages,
}
const wanted = process.argv.slice(2)

row(`Node ${process.version}`, 'measured', 'target')
for (const [name, bench] of Object.entries(ALL)) {
  if (wanted.length === 0 || wanted.includes(name)) await bench()
}
