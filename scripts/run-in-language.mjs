// Runs an example in another language, against the built command; left out, loudly, where the language is not here.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../examples/', import.meta.url))
const env = {
  ...process.env,
  FAUXGATE: `${process.execPath} ${fileURLToPath(new URL('../dist/cli.js', import.meta.url))}`,
  PYTHONDONTWRITEBYTECODE: '1',
}

/** The reference implementation of the format of compose.yaml, for those who have Go. */
const COMPOSE_VALIDATOR = 'github.com/compose-spec/compose-go/v2/cmd@v2.9.0'

const isThere = ([command, ...args]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

/** What each needs on the machine, and the steps of its run; `to` is an empty folder that is removed afterwards. */
const languages = {
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
      [process.execPath, fileURLToPath(new URL('run-compose.mjs', import.meta.url))],
      ...(isThere(['go', 'version'])
        ? [['sh', '-c', `go run ${COMPOSE_VALIDATOR} -no-interpolation compose.yaml > /dev/null`]]
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

export const isInLanguage = (name) => Object.hasOwn(languages, name)

/** Whether it passed or was left out. */
export function runInLanguage(name) {
  const { needs, steps } = languages[name]
  const cwd = join(folder, name)
  const run = ([command, ...args]) => spawnSync(command, args, { cwd, env, stdio: 'inherit' }).status === 0
  if (!isThere(needs)) {
    const line = `examples/${name} was left out, because this does not work here: ${needs.join(' ')}`
    console.warn(`${'!'.repeat(line.length)}\n${line}\n${'!'.repeat(line.length)}`)
    return true
  }
  const to = mkdtempSync(join(tmpdir(), 'fauxgate-example-'))
  try {
    return steps(to).every(run)
  } finally {
    rmSync(to, { recursive: true, force: true })
  }
}
