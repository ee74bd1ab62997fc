import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { exportState } from '../../src/server/state/state-file.ts'

it('leaves nothing behind where a state file cannot be put in place', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-state-'))
  mkdirSync(join(folder, 'taken', 'by a folder'), { recursive: true })
  await expect(exportState(createGateway(), join(folder, 'taken'))).rejects.toThrow()
  await expect(exportState(createGateway(), join(folder, 'missing', 'state.json'))).rejects.toThrow('ENOENT')
  expect(readdirSync(folder)).toEqual(['taken'])
  rmSync(folder, { recursive: true })
})
