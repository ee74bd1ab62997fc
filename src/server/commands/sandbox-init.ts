import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { version } from '../../../package.json'
import { sandboxExample } from '../../generated/sandbox-example.ts'
import { readText, writeError } from '../files.ts'
import { print, printLine } from '../terminal.ts'
import { type Arguments, type Command, requireNoWords } from './command.ts'
import { writeNewFile } from './init.ts'

export const sandboxInit: Command = {
  name: 'sandbox init',
  words: '[FOLDER]',
  summary: 'Write the files for deploying sandboxes to a folder, without changing existing files',
  flags: [],
  notes: ['Without FOLDER, the command writes to the current folder. README.md explains how to use the files.'],
  async run(parsed: Arguments): Promise<number> {
    const [folder = '.', ...rest] = parsed.words
    requireNoWords(rest, 'sandbox init [FOLDER]', parsed)
    await mkdir(folder, { recursive: true }).catch((error) => {
      throw writeError(folder, error, 'folder')
    })
    const tarball = `fauxgate-${version}.tgz`
    const [notice, install, start] = (await hasOwnPackage(folder))
      ? ['', 'npm install --save-dev workerd', 'npx fauxgate sandbox']
      : [
          `\nfauxgate isn't on npm yet. First copy ${tarball} to ${folder === '.' ? 'this folder' : folder}.\n`,
          `npm install ./${tarball}`,
          'npm start',
        ]
    for (const { name, purpose, text } of sandboxExample)
      printLine(await writeNewFile({ name: join(folder, name), purpose, text }))
    const enter = folder === '.' ? '' : `cd ${folder} && `
    return print(`${notice}
Install:          ${enter}${install}
Start it here:    ${enter}${start}
With Docker:      ${enter}ACCOUNT_KEY=… docker compose up --build
On Cloudflare:    ${enter}npx wrangler secret put ACCOUNT_KEY && npx wrangler deploy
`)
  },
}

/** Returns true if a folder has a package.json that this command did not write. */
async function hasOwnPackage(folder: string): Promise<boolean> {
  const path = join(folder, 'package.json')
  const written = sandboxExample.find(({ name }) => name === 'package.json')
  return existsSync(path) && (await readText(path)) !== written?.text
}
