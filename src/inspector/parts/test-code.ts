import type { JournalEntry, UsedControls } from '../../core/generated/controls.ts'
import { page } from '../page.ts'
import { writeTest } from './test-file.ts'
import type { Runner } from './test-source.ts'

/** Returns a test file that repeats what the server knows. */
export async function generateTest(runner: Runner): Promise<string> {
  const { gateway, overview, versionHeader } = page
  return writeTest(runner, {
    used: await page.control<UsedControls>('GET', '/controls'),
    journal: await page.control<JournalEntry[]>('GET', '/requests'),
    url: gateway?.url ?? '',
    dialect: gateway?.dialect ?? '',
    versionHeader,
    visits: overview?.traffic ?? 0,
    now: `${new Date(page.now).toISOString().slice(0, 19)}Z`,
  })
}
