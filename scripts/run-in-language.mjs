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
  const run = ([command, ...args], stdio) => spawnSync(command, args, { cwd, env, stdio }).status === 0
  if (!run(needs, 'ignore')) {
    const line = `examples/${name} was left out, because this does not work here: ${needs.join(' ')}`
    console.warn(`${'!'.repeat(line.length)}\n${line}\n${'!'.repeat(line.length)}`)
    return true
  }
  const to = mkdtempSync(join(tmpdir(), 'fauxgate-example-'))
  try {
    return steps(to).every((step) => run(step, 'inherit'))
  } finally {
    rmSync(to, { recursive: true, force: true })
  }
}
