// Runs every example and fails with the first one that fails. Those with packages of their own are run by
// scripts/run-packed-examples.mjs. One in a language that is missing here is left out, loudly.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inFolder } from './packed.mjs'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const examples = path('../examples/')
const require = createRequire(import.meta.url)
const programOf = (name) => join(dirname(require.resolve(`${name}/package.json`)), 'bin', `${name}.js`)

const node = (...args) => [process.execPath, ...args]
const vitest = node(join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs'), 'run', '--root', '.')

/** The reference implementation of the format of compose.yaml, for those who have Go. */
const COMPOSE_VALIDATOR = 'go run github.com/compose-spec/compose-go/v2/cmd@v2.9.0'

const isThere = ([command, ...args]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

/** The examples that are folders: a command that must work, and the steps of the run; `to` is an empty folder. */
const FOLDERS = {
  'msw-migration': { steps: () => [vitest] },
  jest: { steps: () => [node(programOf('jest'), '--rootDir', '.')] },
  'node-test': { steps: () => [node('--test')] },
  vitest: { steps: () => [vitest] },
  python: {
    needs: ['python3', '-c', 'import venv, ensurepip'],
    steps: (to) => [
      ['python3', '-m', 'venv', to],
      [join(to, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'],
      [join(to, 'bin/python'), '-m', 'pytest', '-q', '-p', 'no:cacheprovider'],
    ],
  },
  compose: {
    needs: ['python3', '--version'],
    steps: () => [
      node(path('run-compose.mjs')),
      ...(isThere(['go', 'version'])
        ? [['sh', '-c', `${COMPOSE_VALIDATOR} -no-interpolation compose.yaml > /dev/null`]]
        : []),
    ],
  },
  go: {
    needs: ['go', 'version'],
    steps: () => [
      ['go', 'vet', './...'],
      ['go', 'test', '-count=1', './...'],
    ],
  },
}

const env = {
  ...process.env,
  FAUXGATE: `${process.execPath} ${path('../dist/cli.js')}`,
  PYTHONDONTWRITEBYTECODE: '1',
}

async function passes(name) {
  const { needs, steps } = name.endsWith('.mjs') ? { steps: () => [node(name)] } : (FOLDERS[name] ?? {})
  if (!steps) throw new Error(`Nothing runs examples/${name}. Add it to the folders of scripts/run-examples.mjs.`)
  if (needs && !isThere(needs)) {
    const line = `examples/${name} was left out, because this does not work here: ${needs.join(' ')}`
    console.warn(`${'!'.repeat(line.length)}\n${line}\n${'!'.repeat(line.length)}`)
    return true
  }
  const cwd = name.endsWith('.mjs') ? examples : join(examples, name)
  const runs = ([command, ...args]) => spawnSync(command, args, { cwd, env, stdio: 'inherit' }).status === 0
  return inFolder((to) => steps(to).every(runs))
}

for (const name of readdirSync(examples)) {
  if (existsSync(join(examples, name, 'package.json'))) continue
  console.log(`-- ${name}`)
  if (!(await passes(name))) process.exit(1)
}
