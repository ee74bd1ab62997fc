// The official clients of the public service, each running a program of its own: how each is started, by its language, or
// undefined where that is not here.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const works = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

/** Those that run `client.mjs`, `client.py` and `client.go` of a folder; what they need is put into an empty one. */
export function officialClients(programs, folder) {
  const commands = {
    typescript: () => [process.execPath, [join(programs, 'client.mjs')]],
    python() {
      const python = join(folder, 'python/bin/python')
      if (!works('python3', '-m', 'venv', join(folder, 'python'))) return undefined
      const requirements = path('../examples/python/requirements.txt')
      const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]
      const { status } = spawnSync(python, install, { stdio: ['ignore', 'inherit', 'inherit'] })
      if (status !== 0) throw new Error('The Python client could not be installed.')
      return [python, [join(programs, 'client.py')]]
    },
    go() {
      if (!works('go', 'version')) return undefined
      const program = join(folder, 'client')
      const build = ['build', '-o', program, join(programs, 'client.go')]
      const { status } = spawnSync('go', build, { cwd: path('../examples/go'), stdio: 'inherit' })
      if (status !== 0) throw new Error('The Go client could not be built.')
      return [program, []]
    },
  }
  const found = Object.entries(commands).map(([name, command]) => [name, command()])
  for (const [name, command] of found) {
    if (!command) console.warn(`!!! The ${name} client was left out, because ${name} is not here !!!`)
  }
  return found.filter(([, command]) => command)
}
