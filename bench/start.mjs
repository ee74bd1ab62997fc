// What importing the built main entry costs, over an empty start of Node.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { median, row } from './measure.mjs'

const RUNS = 21

export function benchStart() {
  const entry = new URL('../dist/index.js', import.meta.url)
  const difference = (code) => {
    const deltas = []
    for (let run = 0; run < RUNS; run++) {
      const empty = start('')
      deltas.push(start(code) - empty)
    }
    return median(deltas)
  }
  row('import of the main entry (ESM), ms', difference(`import '${entry}'`).toFixed(1), 'under 25')
  const commonJs = fileURLToPath(new URL('../dist/index.cjs', import.meta.url))
  row(
    'require of the main entry (CommonJS), ms',
    difference(
      `import { createRequire } from 'node:module'; createRequire('${entry}')(${JSON.stringify(commonJs)})`,
    ).toFixed(1),
    'under 25',
  )
}

function start(code) {
  const begin = performance.now()
  execFileSync(process.execPath, ['--input-type=module', '-e', code])
  return performance.now() - begin
}
