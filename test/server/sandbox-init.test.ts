import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { version } from '../../package.json'
import { runToEnd } from '../support/command.ts'
import { enterNewFolder } from '../support/folder.ts'

const example = fileURLToPath(new URL('../../examples/sandbox', import.meta.url))
const names = readdirSync(example, { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== 'package-lock.json')
  .map(({ name }) => name)

const tarball = `fauxgate-${version}.tgz`

beforeEach(() => void enterNewFolder())

describe('fauxgate sandbox init', () => {
  it('writes all files of the example, and prints the purpose of each and the next steps', async () => {
    const { code, stdout, stderr } = await runToEnd({}, 'sandbox', 'init', 'deploy/sandboxes')
    expect([code, stderr]).toEqual([0, ''])
    for (const name of names) {
      expect(stdout).toMatch(new RegExp(`^wrote  deploy/sandboxes/${name.replaceAll('.', '\\.')}, \\w.+[^.]$`, 'm'))
      expect(readFileSync(join('deploy/sandboxes', name), 'utf8')).toBe(readFileSync(join(example, name), 'utf8'))
    }
    expect(stdout.match(/^wrote/gm)).toHaveLength(names.length)
    expect(stdout).toContain(
      `\n\nfauxgate isn't on npm yet. First copy ${tarball} to deploy/sandboxes.\n\nInstall:          cd deploy/sandboxes && npm install ./${tarball}\nStart it here:    cd deploy/sandboxes && npm start\n`,
    )
  })

  it('names its own version in package.json', async () => {
    await runToEnd({}, 'sandbox', 'init')
    expect(JSON.parse(readFileSync('package.json', 'utf8')).devDependencies.fauxgate).toBe(`^${version}`)
  })

  it('writes into the current folder, overwrites nothing, and says so', async () => {
    writeFileSync('Dockerfile', 'mine')
    const { code, stdout } = await runToEnd({}, 'sandbox', 'init')
    expect(code).toBe(0)
    expect(stdout).toContain('kept   Dockerfile, which already exists\n')
    expect(stdout).toContain('wrote  compose.yaml, ')
    expect(stdout).toContain(`First copy ${tarball} to this folder.\n\nInstall:          npm install ./${tarball}\n`)
    expect(readFileSync('Dockerfile', 'utf8')).toBe('mine')
  })

  it('prints the same next steps if a second run keeps all files', async () => {
    const first = await runToEnd({}, 'sandbox', 'init', 'box')
    const second = await runToEnd({}, 'sandbox', 'init', 'box')
    expect(second.stdout).not.toContain('wrote ')
    const stepsOf = (stdout: string) => stdout.slice(stdout.indexOf('\n\n'))
    expect(stepsOf(second.stdout)).toBe(stepsOf(first.stdout))
    expect(stepsOf(second.stdout)).toContain(`npm install ./${tarball}`)
  })

  it('writes a README whose links lead to files that it writes, or to GitHub', async () => {
    await runToEnd({}, 'sandbox', 'init')
    const links = [...readFileSync('README.md', 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    expect(links.length).toBeGreaterThan(4)
    expect(links.filter((link) => !/^https?:/.test(link) && !existsSync(link))).toEqual([])
  })

  it('prints what to install in a project that has a package.json', async () => {
    writeFileSync('package.json', '{}')
    const { stdout } = await runToEnd({}, 'sandbox', 'init')
    expect(stdout).toContain('kept   package.json')
    expect(stdout).toContain(
      '\n\nInstall:          npm install --save-dev workerd\nStart it here:    npx fauxgate sandbox\n',
    )
    expect(stdout).not.toContain(tarball)
  })

  it('ends with a one-line error if it cannot write, or has too many words', async () => {
    writeFileSync('file', '')
    const denied = await runToEnd({}, 'sandbox', 'init', 'file')
    expect(denied.code).toBe(1)
    expect(denied.stderr).toContain('file cannot be written: it is a file, not a folder.')
    mkdirSync('deploy')
    const { code, stderr } = await runToEnd({}, 'sandbox', 'init', 'deploy', 'more')
    expect([code, stderr]).toEqual([
      2,
      'fauxgate: Unexpected word "more" after "sandbox init [FOLDER]". See "fauxgate help sandbox init".\n',
    ])
  })
})
